"""Spanish grammar read back from the text alone.

The rules below know nothing of the grammar that wrote the corpus: their tables are typed by hand,
and they see only the sentences. A rule takes a sentence's words and returns what is wrong: [] where
all is well, None where it has nothing to judge. A rule that judges too few sentences fails as well.
"""

import re

import pytest

from tests.each import each

# --- Tables: gender "m", "f" or "c" (either), number "s", "p" or "c" ----------------------------

MASCULINE = """abrigo abuelo amigo animal arroz armario árbol autobús avión baño barco baúl bebé
bosque brazo burro caballo café cajón calcetín calor camino camión campo castillo cerdo chocolate
coche conejo cuadro cuchillo cuento desierto día diente doctor domingo elefante espejo estante
estómago fútbol garaje gato granero hermano hijo hombre hospital hotel huevo idioma jardín jersey
juego juguete lago lápiz león libro limón lobo mantel mapa mar melocotón miedo mono muro museo
niño ojo ordenador oso padre pan país parque pastel pato pájaro periódico perro piano pie plato
plátano primo problema profesor pueblo puente queso ratón regalo reloj restaurante rey río saco
sendero sofá sombrero sueño tambor tejado teléfono tigre tío tomate tren trofeo túnel té vaso
vecino verano vestido zapato zorro zumo""".split()
FEMININE = """abeja abuela agua águila alfombra amiga ardilla aula avenida biblioteca bicicleta
bolsa botella cabeza cabra caja calle cama camisa campana canción carne carta casa cebolla cesta
chaqueta ciudad cocina colina cueva doctora escalera escuela espalda estación falda fiesta flor
foto fresa furgoneta galleta gallina guitarra habitación hambre hermana hija idea iglesia isla
jirafa laguna lámpara leche llave madre maleta mano manta mañana manzana mariposa máquina mesa
mochila moneda montaña moto mujer mula muñeca música niña noche palabra pantera patata película
pelota pera pierna piscina planta playa plaza pradera pregunta prima profesora puerta rana reina
roca rosa sed selva semana serpiente silla sopa taza tía tienda tormenta torre tortuga vaca valla
vecina ventana zanahoria""".split()
EITHER = "artista estudiante".split()

# These are verbs too: "y las cocina" is "and cooks them". After la, los, las they are not judged.
NOUN_OR_VERB = set("cocina cocinas cuento camino dibujo juego regalo saco vaso".split())
# "el niño limpia la mesa": after a noun these may be verbs.
ADJECTIVE_OR_VERB = set("limpia limpio limpias despierta despierto despiertas".split())
# el agua, un águila: a stressed a- takes el and un although the noun is feminine.
STRESSED_A = {"agua", "águila", "aula", "hambre"}

NAMES = dict.fromkeys("Ana Carmen Elena Lucía María".split(), "f")
NAMES |= dict.fromkeys("Diego Juan Miguel Pablo Pedro".split(), "m")

IN_O = """abierto aburrido ácido alto amargo amarillo ancho asustado bajo barato blanco bonito bueno
cansado caro casado cerrado cocinado construido corto crudo curioso delgado delicioso dibujado
distraído divertido dormido duro empinado encontrado enfadado enfermo escondido escrito estrecho
extraño famoso frío gordo grueso herido hermoso largo lavado lento ligero limpio lleno maduro malo
mojado negro nervioso nuevo ocupado oscuro pasado peligroso pequeño perdido perezoso pesado
pintado podrido preocupado profundo rápido redondo resbaladizo rico rojo roto ruidoso salado seco
seguro simpático solo sorprendido sucio tímido tranquilo vacío viejo despierto""".split()
NO_GENDER = """amable azul caliente débil difícil dulce fácil feliz fuerte grande importante
inteligente interesante joven pobre triste valiente verde""".split()

# Whatever can stand before the noun inside its phrase.
BEFORE = {
    word: form
    for form, words in {
        "ms": "el al del un este ese nuestro mucho otro buen mal",
        "fs": "la una esta esa nuestra mucha otra buena mala",
        "mp": "los unos estos esos nuestros muchos cuántos todos otros buenos malos",
        "fp": "las unas estas esas nuestras muchas cuántas todas otras buenas malas",
        "cs": "mi tu su cada gran",
        "cp": "mis tus sus dos tres cuatro cinco grandes",
    }.items()
    for word in words.split()
}


def plural(word: str) -> str:
    """The plural by the school rule: -s after a vowel, -es after a consonant."""
    special = {"jersey": "jerséis", "país": "países", "joven": "jóvenes"}
    if word in special:
        return special[word]
    if word.endswith("z"):
        return word[:-1] + "ces"
    if word[-1] in "aeoáéó":
        return word + "s"
    if word[-2] in "áéíóú" and word[-1] in "ns":  # ratón -> ratones
        word = word[:-2] + "aeiou"["áéíóú".index(word[-2])] + word[-1]
    return word + "es"


NOUN: dict[str, str] = {}
for gender, nouns in (("m", MASCULINE), ("f", FEMININE), ("c", EITHER)):
    for noun in nouns:
        NOUN[noun], NOUN[plural(noun)] = gender + "s", gender + "p"

ADJECTIVE: dict[str, str] = {}
for base in IN_O:
    for ending, form in (("o", "ms"), ("a", "fs"), ("os", "mp"), ("as", "fp")):
        ADJECTIVE[base[:-1] + ending] = form
for base in NO_GENDER:
    ADJECTIVE[base], ADJECTIVE[plural(base)] = "cs", "cp"

END = ""  # stands behind every sentence, and in none of the tables

# --- Reading ------------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """Lower-case words and marks, and END; names keep their capital."""
    found = re.findall(r"\w+|[^\w\s]", text)
    return [*(word if word in NAMES else word.lower() for word in found), END]


def agree(a: str, b: str) -> bool:
    return all(x == y or "c" in (x, y) for x, y in zip(a, b, strict=True))


def noun_phrase(tokens: list[str], i: int) -> tuple[str, int] | None:
    """Gender and number of the noun phrase that starts at i, and where it ends; None if none does.

    "las otras cabras cansadas ..." -> ("fp", 4)
    """
    if tokens[i] in NAMES:
        return NAMES[tokens[i]] + "s", i + 1
    start = i
    while tokens[i] in BEFORE:
        i += 1
    if tokens[i] not in NOUN:
        return None
    form = NOUN[tokens[i]]
    if form[0] == "c":  # el artista, la artista: the determiner tells
        form = next((BEFORE[t] for t in tokens[start:i] if BEFORE[t][0] != "c"), form)[0] + form[1]
    i += 1
    while tokens[i] in ADJECTIVE and tokens[i] not in ADJECTIVE_OR_VERB:
        i += 1
    return form, i


def joined(tokens: list[str], i: int) -> tuple[str, int] | None:
    """The same for one phrase or two: "el gato y la vaca" is masculine plural."""
    first = noun_phrase(tokens, i)
    if first is None or tokens[first[1]] not in ("y", "e"):
        return first
    second = noun_phrase(tokens, first[1] + 1)
    if second is None:
        return first
    return ("f" if first[0][0] == second[0][0] == "f" else "m") + "p", second[1]


# --- Rules --------------------------------------------------------------------------------------


def words_before_the_noun(tokens: list[str]) -> list[str] | None:
    """las otras cabras, este río, esta águila, but el águila, un aula."""
    found = None
    for i, noun in enumerate(tokens):
        if noun not in NOUN or i == 0 or tokens[i - 1] not in BEFORE:
            continue
        if noun in NOUN_OR_VERB and tokens[i - 1] in ("la", "los", "las"):
            continue
        found = [] if found is None else found
        j = i - 1
        while j >= 0 and tokens[j] in BEFORE:
            form = NOUN[noun]
            if noun in STRESSED_A and j == i - 1:
                if tokens[j] in ("el", "al", "del", "un"):
                    form = "ms"
                elif tokens[j] in ("la", "una"):
                    found.append(f"{tokens[j]} {noun}")
            if not agree(BEFORE[tokens[j]], form):
                found.append(f"{tokens[j]} + {noun}")
            if tokens[j] in ("al", "del"):  # it starts here: "ojos grandes | del doctor"
                break
            j -= 1
    return found


def adjective_after_the_noun(tokens: list[str]) -> list[str] | None:
    """las cabras cansadas, el agua fría, ¡Qué águilas tan jóvenes!"""
    found = None
    for i, noun in enumerate(tokens):
        if noun not in NOUN:
            continue
        j = i + 2 if tokens[i + 1] == "tan" else i + 1
        if tokens[j] not in ADJECTIVE or tokens[j] in ADJECTIVE_OR_VERB:
            continue
        # "y las cocina frías" cannot be, but "el vaso" after a verb is a noun all the same
        if i and noun in NOUN_OR_VERB and tokens[i - 1] not in BEFORE:
            continue
        found = [] if found is None else found
        if not agree(ADJECTIVE[tokens[j]], NOUN[noun]):
            found.append(f"{noun} + {tokens[j]}")
    return found


LIKING = re.compile(
    r"(?:(?:gust|encant|interes|qued)(?:an?|aban?|ó|aron)|duelen?|dolían?|dolió|dolieron"
    r"|falt(?:an?|aban?))"
)
INFINITIVE = re.compile(r"\w+[aei]r(?:se)?")


def liking_verb(tokens: list[str]) -> list[str] | None:
    """Me gustan los árboles, le duele la cabeza, nos gusta bailar: the verb has what follows."""
    for i, verb in enumerate(tokens):
        if not LIKING.fullmatch(verb) or i == 0:
            continue
        if tokens[i - 1] not in ("me", "te", "le", "nos", "les"):
            continue
        is_plural = verb.endswith("n")
        if set(tokens[:2]) & {"cuántos", "cuántas"}:  # ¿Cuántas monedas le quedan al niño?
            return [] if is_plural else [f"{verb} + cuántos"]
        phrase = joined(tokens, i + 1) if tokens[i + 1] != "al" else None
        if phrase:
            return [] if is_plural == (phrase[0][1] == "p") else [f"{verb} {phrase[0]}"]
        if INFINITIVE.fullmatch(tokens[i + 1]):
            return [f"{verb} + infinitive"] if is_plural else []
    return None


COPULA = set("es son era eran fue fueron está están estaba estaban".split())
TIMES = {"mañana", "noche", "semana", "verano", "domingo", "día"}
DEGREE = {"muy", "demasiado", "tan", "más"}


def predicate_adjective(tokens: list[str]) -> list[str] | None:
    """Las vacas no estaban muy cansadas; Ana es alta; el gato y la vaca son viejos."""
    tokens = [token for token in tokens if token not in ("¿", "?")]
    subject = joined(tokens, 0)
    if subject is None:
        # ¿Está cansada la vaca?  ¿Eran altas las torres?
        i = 1 if tokens[0] in COPULA else 0
        while i and tokens[i] in DEGREE:
            i += 1
        if not i or tokens[i] not in ADJECTIVE:
            return None
        behind = joined(tokens, i + 1)
        if behind is None or tokens[behind[1] - 1] in TIMES:  # está herido esta mañana
            return None
        wrong = not agree(ADJECTIVE[tokens[i]], behind[0])
        return [f"{tokens[i]} of {behind[0]}"] if wrong else []
    form, i = subject
    if tokens[i] == "no":
        i += 1
    if tokens[i] not in COPULA:
        return None
    i += 1
    while tokens[i] in DEGREE:
        i += 1
    if tokens[i] not in ADJECTIVE:
        return None
    found = []
    while tokens[i] in ADJECTIVE:
        if not agree(ADJECTIVE[tokens[i]], form):
            found.append(f"{tokens[i]} of {form}")
        i += 2 if tokens[i + 1] in ("y", "e") else 1
    return found


# No verb follows these: the subject goes on, or what stands first is no subject.
NOT_A_VERB = {END, *"a al con de del en que y e o pero por ? ! , no".split()}
CLITICS = set("me te se nos lo la los las le les".split())
PAST_IN_O = set("vio dio hizo vino trajo detuvo".split())


def verb_of_the_subject(tokens: list[str]) -> list[str] | None:
    """La vaca come, las vacas comen, Ana y Juan comen: the verb behind a subject that is first.

    Every Spanish third person plural ends in -n, and no third person singular does: those end in
    a vowel, but for es.
    """
    subject = joined(tokens, 0)
    if subject is None or tokens[0] in ("al", "del") or tokens[0] in NOUN_OR_VERB:
        return None
    form, i = subject
    if tokens[i] == "no":
        i += 1
    while tokens[i] in CLITICS:
        i += 1
    if tokens[i] in NOT_A_VERB | ADJECTIVE_OR_VERB:
        return None
    verb = tokens[i]
    if form[1] == "p":
        right = verb.endswith("n")
    else:
        right = verb == "es" or verb[-1] in "aeáó" or verb in PAST_IN_O
    return [] if right else [f"{verb} of {form}"]


RULES = {  # the least number of sentences that each must judge in the whole corpus
    words_before_the_noun: 50_000,
    adjective_after_the_noun: 10_000,
    liking_verb: 3_000,
    predicate_adjective: 3_000,
    verb_of_the_subject: 20_000,
}


@pytest.fixture(scope="module")
def every(splits) -> list[list[str]]:
    return [words(spanish) for pairs in splits.values() for _, spanish in pairs]


def test_the_corpus_obeys(every):
    def check(rule):
        found = [(tokens, rule(tokens)) for tokens in every]
        offenders = [f"{' '.join(tokens)}: {'; '.join(wrong)}" for tokens, wrong in found if wrong]
        count = sum(wrong is not None for _, wrong in found)
        assert not offenders, f"{len(offenders)} of {count}:\n" + "\n".join(offenders[:40])
        assert count >= RULES[rule], f"{rule.__name__} judged only {count} sentences"

    each(RULES, check)
