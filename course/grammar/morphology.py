"""How words change their form: plurals, agreement and conjugation, in English and Spanish.

Everything here is a pure function of words. Rules come first, the exceptions stand in tables.
Persons are counted 0 to 4: I, you (singular), he/she/it, we, they.
"""

import functools

PRESENT, PRETERITE, IMPERFECT = "present", "preterite", "imperfect"
WITHOUT_ACCENT = str.maketrans("áéíóú", "aeiou")


# --- English ---------------------------------------------------------------------------------


def ends_in_consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in "aeiou"


def english_plural(noun: str) -> str:
    """dog -> dogs, box -> boxes, city -> cities (exceptions are written in the lexicon)."""
    if ends_in_consonant_y(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def english_third_person(verb: str) -> str:
    """see -> sees, wash -> washes, carry -> carries: as a plural ends, but for has and goes."""
    return {"have": "has", "go": "goes"}.get(verb, english_plural(verb))


def english_past(verb: str) -> str:
    """paint -> painted, close -> closed, cry -> cried."""
    if ends_in_consonant_y(verb):
        return verb[:-1] + "ied"
    return verb + ("d" if verb.endswith("e") else "ed")


def english_ing(verb: str) -> str:
    """paint -> painting, close -> closing, see -> seeing."""
    if verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    return verb + "ing"


def indefinite_article(next_word: str) -> str:
    """a dog, an apple: by the first letter, which is enough for the words of the lexicon."""
    return "an" if next_word[0].lower() in "aeiou" else "a"


# --- Spanish nouns and adjectives ------------------------------------------------------------


IRREGULAR_PLURALS = {"joven": "jóvenes", "país": "países", "jersey": "jerséis"}


def spanish_plural(word: str) -> str:
    """perro -> perros, flor -> flores, lápiz -> lápices, canción -> canciones, joven -> jóvenes."""
    if word in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[word]
    if word[-1] in "aeiouáéó":
        return word + "s"
    if word[-1] == "z":
        return word[:-1] + "ces"
    if word[-1] in "ns" and word[-2] in "áéíóú":  # the stress no longer needs writing
        word = word[:-2] + word[-2].translate(WITHOUT_ACCENT) + word[-1]
    return word + "es"


def inflects_for_gender(adjective: str) -> bool:
    """Has the adjective a form for each gender? rojo/roja has; grande, azul and feliz haven't."""
    return adjective.endswith("o")


def adjective_form(adjective: str, gender: str, plural: bool) -> str:
    """The form of an adjective (given as masculine singular) that agrees with its noun."""
    if inflects_for_gender(adjective) and gender == "f":
        adjective = adjective[:-1] + "a"
    return spanish_plural(adjective) if plural else adjective


SHORT_FORMS = {"bueno": "buen", "malo": "mal", "grande": "gran"}


def adjective_before_noun(adjective: str, gender: str, plural: bool) -> str:
    """buen libro, buena idea, buenos libros; gran is for both genders: gran idea."""
    form = adjective_form(adjective, gender, plural)
    if plural or (gender == "f" and adjective != "grande"):
        return form
    return SHORT_FORMS.get(form, form)


# --- Spanish verbs ---------------------------------------------------------------------------

ENDINGS = {
    PRESENT: {"ar": "o as a amos an", "er": "o es e emos en", "ir": "o es e imos en"},
    PRETERITE: {
        "ar": "é aste ó amos aron",
        "er": "í iste ió imos ieron",
        "ir": "í iste ió imos ieron",
    },
    IMPERFECT: {
        "ar": "aba abas aba ábamos aban",
        "er": "ía ías ía íamos ían",
        "ir": "ía ías ía íamos ían",
    },
}
# The stem under stress (all persons of the present but "we"): cerrar -> cierro, cerramos.
STRESSED_STEM = {
    "cerrar": "cierr",
    "pensar": "piens",
    "despertar": "despiert",
    "sentar": "sient",
    "acostar": "acuest",
    "encontrar": "encuentr",
    "mostrar": "muestr",
    "contar": "cuent",
    "recordar": "recuerd",
    "volar": "vuel",
    "jugar": "jueg",
    "perder": "pierd",
    "entender": "entiend",
    "querer": "quier",
    "volver": "vuelv",
    "poder": "pued",
    "doler": "duel",
    "dormir": "duerm",
    "preferir": "prefier",
    "seguir": "sigu",
    "perseguir": "persigu",
    "enviar": "enví",
}
# The first person of the present, where it goes its own way.
FIRST_PERSON = {
    "hacer": "hago",
    "traer": "traigo",
    "conocer": "conozco",
    "crecer": "crezco",
    "caber": "quepo",
    "seguir": "sigo",
    "perseguir": "persigo",
    "detener": "detengo",
    "tener": "tengo",
    "venir": "vengo",
}
# -ir verbs whose vowel closes in the third person of the preterite and in the gerund.
CLOSED_STEM = {
    "dormir": "durm",
    "seguir": "sigu",
    "perseguir": "persigu",
    "preferir": "prefir",
}
# Preterites with a stem of their own, stressed on the stem: hice, hiciste, hizo.
STRONG_PRETERITE = {
    "hacer": "hic",
    "traer": "traj",
    "venir": "vin",
    "tener": "tuv",
    "detener": "detuv",
    "poder": "pud",
    "querer": "quis",
}
WHOLE_TENSE = {
    ("ser", PRESENT): "soy eres es somos son",
    ("ser", IMPERFECT): "era eras era éramos eran",
    ("ser", PRETERITE): "fui fuiste fue fuimos fueron",
    ("estar", PRESENT): "estoy estás está estamos están",
    ("ir", PRESENT): "voy vas va vamos van",
    ("ir", IMPERFECT): "iba ibas iba íbamos iban",
    ("ir", PRETERITE): "fui fuiste fue fuimos fueron",
    ("dar", PRESENT): "doy das da damos dan",
    ("dar", PRETERITE): "di diste dio dimos dieron",
    ("ver", PRESENT): "veo ves ve vemos ven",
    ("ver", PRETERITE): "vi viste vio vimos vieron",
    ("ver", IMPERFECT): "veía veías veía veíamos veían",
    ("tener", PRESENT): "tengo tienes tiene tenemos tienen",
    ("detener", PRESENT): "detengo detienes detiene detenemos detienen",
    ("venir", PRESENT): "vengo vienes viene venimos vienen",
    ("construir", PRESENT): "construyo construyes construye construimos construyen",
    ("construir", PRETERITE): "construí construiste construyó construimos construyeron",
    ("leer", PRETERITE): "leí leíste leyó leímos leyeron",
}
GERUNDS = {"ir": "yendo", "leer": "leyendo", "traer": "trayendo", "construir": "construyendo"}
PARTICIPLES = {
    "escribir": "escrito",
    "abrir": "abierto",
    "romper": "roto",
    "ver": "visto",
    "hacer": "hecho",
    "construir": "construido",
}
# -car, -gar and -zar keep their sound before é: buscar -> busqué.
SPELLING_BEFORE_E = {"c": "qu", "g": "gu", "z": "c"}


@functools.cache
def conjugate(infinitive: str, tense: str) -> tuple[str, ...]:
    """The five forms (I, you, he/she/it, we, they) of a Spanish verb in one tense.

    tense: PRESENT, PRETERITE or IMPERFECT.
    """
    if (infinitive, tense) in WHOLE_TENSE:
        return tuple(WHOLE_TENSE[infinitive, tense].split())
    stem, family = infinitive[:-2], infinitive[-2:]
    if tense == PRETERITE and infinitive in STRONG_PRETERITE:
        stem = STRONG_PRETERITE[infinitive]
        third = "hizo" if infinitive == "hacer" else stem + "o"
        they = stem + ("eron" if stem.endswith("j") else "ieron")
        return (stem + "e", stem + "iste", third, stem + "imos", they)
    forms = [stem + ending for ending in ENDINGS[tense][family].split()]
    if tense == PRESENT:
        if infinitive in STRESSED_STEM:
            endings = ENDINGS[PRESENT][family].split()
            for person in (0, 1, 2, 4):
                forms[person] = STRESSED_STEM[infinitive] + endings[person]
        forms[0] = FIRST_PERSON.get(infinitive, forms[0])
    if tense == PRETERITE:
        if family == "ar" and stem[-1] in SPELLING_BEFORE_E:
            forms[0] = stem[:-1] + SPELLING_BEFORE_E[stem[-1]] + "é"
        if infinitive in CLOSED_STEM:
            forms[2], forms[4] = CLOSED_STEM[infinitive] + "ió", CLOSED_STEM[infinitive] + "ieron"
    return tuple(forms)


def gerund(infinitive: str) -> str:
    """lavar -> lavando, comer -> comiendo, dormir -> durmiendo."""
    if infinitive in GERUNDS:
        return GERUNDS[infinitive]
    stem = CLOSED_STEM.get(infinitive, infinitive[:-2])
    return stem + ("ando" if infinitive.endswith("ar") else "iendo")


def participle(infinitive: str) -> str:
    """lavar -> lavado, vender -> vendido (masculine singular; it agrees like an adjective)."""
    if infinitive in PARTICIPLES:
        return PARTICIPLES[infinitive]
    return infinitive[:-2] + ("ado" if infinitive.endswith("ar") else "ido")
