"""The verbs of the corpus: English forms, the Spanish verb, and the nouns it takes as objects."""

from dataclasses import dataclass, field

from .lexicon import Noun, nouns_for
from .morphology import (
    IMPERFECT,
    PRESENT,
    PRETERITE,
    conjugate,
    english_ing,
    english_past,
    english_third_person,
    gerund,
)


@dataclass(frozen=True)
class Verb:
    """One verb in both languages.

    particle: English words after the verb ("for" in look for, "up" in wake up).
    preposition: Spanish words after the verb ("en" in entrar en).
    past: the Spanish past tense that English "-ed" becomes. Events take the preterite (cruzó),
    states the imperfect (vivía): one rule per verb, so that every sentence has one translation.
    """

    english: str
    english_past: str
    english_ing: str
    particle: str
    spanish: str
    preposition: str
    past: str
    reflexive: bool
    personal_a: bool
    objects: tuple[Noun, ...] = field(repr=False)
    animals_too: bool = False  # may an animal do it?

    @property
    def english_third(self) -> str:
        return english_third_person(self.english)

    @property
    def same_past(self) -> bool:
        """True for "read" and "hurt": present and past look alike."""
        return self.english == self.english_past

    def spanish_form(self, tense: str, person: int) -> str:
        return conjugate(self.spanish, PRESENT if tense == PRESENT else self.past)[person]

    @property
    def spanish_gerund(self) -> str:
        return gerund(self.spanish)


def _verb(
    english: str,
    spanish: str,
    objects: str = "",
    *,
    past: str = "",
    ing: str = "",
    state: bool = False,
    personal_a: bool = True,
    animals_too: bool = False,
) -> Verb:
    base, _, particle = english.partition(" ")
    infinitive, _, preposition = spanish.partition(" ")
    reflexive = infinitive.endswith("se")
    return Verb(
        english=base,
        english_past=past or english_past(base),
        english_ing=ing or english_ing(base),
        particle=particle,
        spanish=infinitive.removesuffix("se") if reflexive else infinitive,
        preposition=preposition,
        past=IMPERFECT if state else PRETERITE,
        reflexive=reflexive,
        personal_a=personal_a,
        objects=tuple(nouns_for(objects)),
        animals_too=animals_too,
    )


THINGS = "thing clothes furniture vehicle"
# fmt: off
TRANSITIVE = [
    _verb("see", "ver", "person animal building road waters land climbed plant vehicle seen thing storm town star",
          past="saw", animals_too=True),
    _verb("eat", "comer", "food", past="ate"),
    _verb("cook", "cocinar", "cooked vegetable"),
    _verb("make", "hacer", "sandwich salad soup cake cookie bread coffee tea juice", past="made"),
    _verb("drink", "beber", "drink", past="drank"),
    _verb("buy", "comprar", THINGS + " food drink house flower rose plant machine piano bell", past="bought", personal_a=False),
    _verb("sell", "vender", THINGS + " food drink house flower rose machine piano bell", past="sold", personal_a=False),
    _verb("need", "necesitar", THINGS + " food drink machine doctor teacher friend idea", state=True),
    _verb("want", "querer", THINGS + " food drink pet house flower rose", state=True, personal_a=False),
    _verb("open", "abrir", "opens gift package letter book"),
    _verb("close", "cerrar", "opens book notebook"),
    _verb("clean", "limpiar", "room house furniture vehicle dishes shoe boot window street church classroom mirror rug tooth"),
    _verb("wash", "lavar", "clothes vehicle fruit vegetable dishes dog horse blanket tablecloth window", animals_too=False),
    _verb("paint", "pintar", "painted house chair flower tree church city horse sea"),
    _verb("draw", "dibujar", "animal flower tree house map castle mountain plant tower hand foot eye head", past="drew", personal_a=False),
    _verb("break", "romper", "breakable chair", past="broke"),
    _verb("build", "construir", "house cabin castle church school hospital bridge wall fence tower boat hotel museum", past="built"),
    _verb("find", "encontrar", THINGS + " person pet prey cave castle store restaurant solution", past="found", animals_too=True),
    _verb("lose", "perder", "clothes handy dishes key coin phone bag suitcase backpack book letter dog cat photo toy game trophy package money", past="lost", personal_a=False),
    _verb("look for", "buscar", "person pet clothes handy key book letter bag suitcase bicycle hotel restaurant station store map photo idea word language"),
    _verb("write", "escribir", "letter book song story word question", past="wrote", ing="writing"),
    _verb("read", "leer", "read story question word map", past="read"),
    _verb("learn", "aprender", "language song word game tongue"),
    _verb("study", "estudiar", "language map problem question tongue"),
    _verb("understand", "entender", "question problem word idea language movie story book game person tongue", past="understood", state=True),
    _verb("remember", "recordar", "song word story movie day night party question idea name house winter summer", ),
    _verb("forget", "olvidar", "handy clothes key book letter phone suitcase backpack song word question gift", past="forgot", ing="forgetting"),
    _verb("listen to", "escuchar", "heard story person bird bell storm"),
    _verb("help", "ayudar", "person"),
    _verb("know", "conocer", "person city town country museum restaurant hotel song story game castle", past="knew", state=True),
    _verb("love", "querer", "family baby child friend king queen", state=True),
    _verb("hug", "abrazar", "person dog cat", ing="hugging"),
    _verb("visit", "visitar", "person visited"),
    _verb("follow", "seguir", "person animal vehicle", animals_too=True),
    _verb("wait for", "esperar", "person train bus letter summer winter"),
    _verb("call", "llamar", "person dog cat"),
    _verb("carry", "llevar", "heavy handy bag basket baby", ),
    _verb("push", "empujar", "heavy vehicle box wardrobe -airplane -rug -sea -package -machine -mirror"),
    _verb("hide", "esconder", "handy key coin gift letter book trophy cookie bottle dishes hat shoe map", past="hid"),
    _verb("bring", "traer", "thing clothes food drink", past="brought"),
    _verb("wear", "llevar", "clothes", past="wore"),
    _verb("use", "usar", "machine computer phone knife spoon pencil map car bicycle ladder key cup plate glass bathroom kitchen word"),
    _verb("cross", "cruzar", "road waters desert forest field meadow park", animals_too=True),
    _verb("climb", "subir a", "climbed", animals_too=True),
    _verb("enter", "entrar en", "inside castle -tunnel", animals_too=True),
    _verb("play", "tocar", "instrument drum bell guitar violin", ),
    _verb("prefer", "preferir", "food drink season abstract clothes vehicle city beach mountain animal instrument game tongue", past="preferred", ing="preferring", state=True, personal_a=False),
    _verb("think about", "pensar en", "person pet party idea problem question day city country winter summer house music soccer movie song food", past="thought"),
]

# Verbs of animals and things among themselves, and verbs used in pronoun sentences only.
CHASE = _verb("chase", "perseguir", "prey", animals_too=True)
CATCH = _verb("catch", "atrapar", "prey", past="caught", animals_too=True)
FRIGHTEN = _verb("frighten", "asustar", "animal")
STOP = _verb("stop", "detener", "animal", ing="stopping")
FIT = _verb("fit in", "caber en", "container", past="fit", state=True)
HOLD = _verb("hold", "aguantar", "heavy", past="held")
COVER = _verb("cover", "cubrir", "covered", state=True)
HURT = _verb("hurt", "doler", "", past="hurt", state=True)
HAVE = _verb("have", "tener", past="had", ing="having", state=True, personal_a=False)
TAKE_OUT = _verb("take", "sacar", past="took")
PUT = _verb("put", "poner", past="put")
DRY = _verb("dry", "secar")
FOLD = _verb("fold", "doblar")

INTRANSITIVE = [
    _verb("sleep", "dormir", past="slept", animals_too=True),
    _verb("run", "correr", past="ran", ing="running", animals_too=True),
    _verb("swim", "nadar", past="swam", ing="swimming", animals_too=True),
    _verb("walk", "caminar", animals_too=True),
    _verb("work", "trabajar"),
    _verb("live", "vivir", state=True, animals_too=True),
    _verb("dance", "bailar"),
    _verb("sing", "cantar", past="sang"),
    _verb("cry", "llorar"),
    _verb("play", "jugar", animals_too=True),
    _verb("rest", "descansar", animals_too=True),
    _verb("eat", "comer", past="ate", animals_too=True),
    _verb("cook", "cocinar"),
    _verb("study", "estudiar"),
    _verb("read", "leer", past="read"),
    _verb("think", "pensar", past="thought"),
]
GROW = _verb("grow", "crecer", past="grew", animals_too=True)
FLY = _verb("fly", "volar", past="flew", animals_too=True)
GO = _verb("go", "ir", past="went", animals_too=True)
COME = _verb("come", "venir", past="came", animals_too=True)
ARRIVE = _verb("arrive", "llegar", animals_too=True)
RETURN = _verb("return", "volver", animals_too=True)
SPEAK = _verb("speak", "hablar", past="spoke")
REFLEXIVE = [
    _verb("wake up", "despertarse", past="woke"),
    _verb("get up", "levantarse", past="got", ing="getting"),
    _verb("sit down", "sentarse", past="sat", ing="sitting"),
    _verb("go to bed", "acostarse", past="went"),
]
WASH = next(verb for verb in TRANSITIVE if verb.english == "wash")
DITRANSITIVE = [
    _verb("give", "dar", "giftable food handy toy", past="gave"),
    _verb("show", "mostrar", "giftable handy house map photo clothes letter key trophy"),
    _verb("send", "enviar", "giftable letter package photo map", past="sent"),
    _verb("bring", "traer", "giftable food drink clothes handy", past="brought"),
    _verb("sell", "vender", "vehicle house thing clothes food", past="sold"),
    _verb("write", "escribir", "letter song story", past="wrote", ing="writing"),
    _verb("tell", "contar", "story", past="told"),
]
# fmt: on
VERBS = {(verb.english, verb.particle): verb for verb in TRANSITIVE}
