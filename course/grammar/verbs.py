"""The verbs of the corpus: English forms, the Spanish verb, and the nouns they go with."""

from dataclasses import dataclass, field

from course.grammar.lexicon import Noun, nouns_for
from course.grammar.morphology import (
    IMPERFECT,
    PRESENT,
    PRETERITE,
    conjugate,
    english_ing,
    english_past,
    english_third_person,
    gerund,
)


@dataclass(frozen=True, eq=False)
class Verb:
    """One verb in both languages.

    particle: English words after the verb ("for" in look for, "up" in wake up).
    preposition: Spanish words after the verb ("en" in entrar en).
    past: the Spanish past tense that English "-ed" becomes. Events take the preterite (cruzó),
    states the imperfect (vivía): one rule per verb, so that every sentence has one translation.
    personal_a: Spanish puts "a" before an object that is a person.
    objects: nouns that it can be done to. animals: animals that do it, to `animal_objects`.
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
    animals: tuple[Noun, ...] = field(repr=False)
    animal_objects: tuple[Noun, ...] = field(repr=False)

    @property
    def state(self) -> bool:
        return self.past == IMPERFECT

    @property
    def english_base(self) -> str:
        return f"{self.english} {self.particle}"

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
    animals: str = "",
    animal_objects: str = "",
) -> Verb:
    base, _, particle = english.partition(" ")
    infinitive, _, preposition = spanish.partition(" ")
    return Verb(
        english=base,
        english_past=past or english_past(base),
        english_ing=ing or english_ing(base),
        particle=particle,
        spanish=infinitive.removesuffix("se"),
        preposition=preposition,
        past=IMPERFECT if state else PRETERITE,
        reflexive=infinitive.endswith("se"),
        personal_a=personal_a,
        objects=tuple(nouns_for(objects)),
        animals=tuple(nouns_for(animals)),
        animal_objects=tuple(nouns_for(animal_objects or objects)),
    )


# Which animals do what.
WALKERS = "animal -flies -insect -sea"
RUNNERS = "dog cat horse cow goat donkey mule pig rabbit mouse squirrel fox wolf bear lion tiger"
RUNNERS += " panther elephant giraffe monkey"
SWIMMERS = "dog duck frog turtle bear snake tiger elephant"
CLIMBERS = "cat goat monkey squirrel bear panther mouse fox snake dog"
EATERS = "dog cat pig mouse bear monkey goat horse fox squirrel hen duck donkey rabbit cow bird"
SLEEPERS = "animal -insect"
# What can be bought, lost, hidden ...
WARES = "thing clothes furniture vehicle instrument drink rose flower plant machine bell food"
SMALL = "handy clothes key coin phone book letter newspaper map bottle suitcase backpack bag"
TRANSITIVE = [
    _verb(
        "see",
        "ver",
        "person animal building road waters climbed plant vehicle movie picture storm town star "
        "bridge clothes thing",
        past="saw",
        animals="animal -insect",
        animal_objects="person animal river lake road house tree apple car train",
    ),
    _verb(
        "eat",
        "comer",
        "food",
        past="ate",
        animals=EATERS,
        animal_objects="apple carrot pear tomato bread strawberry banana cheese",
    ),
    _verb("cook", "cocinar", "cooked vegetable"),
    _verb("make", "hacer", "soup cake cookie bread coffee tea juice", past="made"),
    _verb(
        "drink",
        "beber",
        "drink",
        past="drank",
        animals="dog cat horse cow goat donkey pig",
        animal_objects="water milk",
    ),
    _verb("buy", "comprar", WARES + " house", past="bought", personal_a=False),
    _verb("sell", "vender", WARES + " house", past="sold", personal_a=False),
    _verb("need", "necesitar", WARES + " doctor teacher friend idea question", state=True),
    _verb("want", "querer", WARES + " pet house", state=True, personal_a=False),
    _verb("open", "abrir", "opens gift letter book"),
    _verb("close", "cerrar", "opens book"),
    _verb(
        "clean",
        "limpiar",
        "room house furniture vehicle dishes shoe window street church mirror rug",
    ),
    _verb(
        "wash", "lavar", "clothes vehicle fruit carrot potato dishes dog horse blanket tablecloth"
    ),
    _verb("paint", "pintar", "painted house chair flower tree church city horse sea"),
    _verb(
        "draw",
        "dibujar",
        "animal flower tree house map castle mountain plant tower",
        past="drew",
        personal_a=False,
    ),
    _verb("break", "romper", "breakable chair", past="broke"),
    _verb(
        "build",
        "construir",
        "house castle church school hospital bridge wall fence tower boat hotel museum",
        past="built",
    ),
    _verb(
        "find",
        "encontrar",
        SMALL + " person pet farm bicycle car cave castle store restaurant money",
        past="found",
        animals="dog cat fox pig bear monkey squirrel bird",
        animal_objects="apple meat carrot strawberry ball shoe sock cheese river",
    ),
    _verb("lose", "perder", SMALL + " dog cat photo game trophy", past="lost", personal_a=False),
    _verb("look for", "buscar", SMALL + " person pet bicycle hotel restaurant store station photo"),
    _verb("write", "escribir", "letter book song story word question", past="wrote", ing="writing"),
    _verb("read", "leer", "read story question", past="read"),
    _verb("learn", "aprender", "language song word game tongue"),
    _verb("study", "estudiar", "language map problem question tongue"),
    _verb(
        "understand",
        "entender",
        "question problem word idea language movie story book song teacher tongue",
        past="understood",
    ),
    _verb("remember", "recordar", "song word story movie day night party question idea house"),
    _verb("forget", "olvidar", SMALL + " song word question", past="forgot", ing="forgetting"),
    _verb("listen to", "escuchar", "heard story person bird bell storm"),
    _verb("help", "ayudar", "person"),
    _verb(
        "know",
        "conocer",
        "person city town country museum restaurant hotel song story game castle",
        past="knew",
        state=True,
    ),
    _verb("love", "querer", "family baby child friend", state=True),
    _verb("hug", "abrazar", "family child baby friend dog cat", past="hugged", ing="hugging"),
    _verb("visit", "visitar", "family friend neighbor teacher king queen visited"),
    _verb(
        "follow",
        "seguir",
        "person animal vehicle -airplane -insect",
        animals="dog cat wolf fox duck lion hen goat horse",
        animal_objects="person animal car -insect",
    ),
    _verb("wait for", "esperar", "person train bus letter summer winter"),
    _verb("call", "llamar", "person dog cat"),
    _verb("carry", "llevar", "heavy basket bag baby book -rock -truck -piano -machine"),
    _verb("push", "empujar", "box wardrobe table bed sofa piano car truck motorcycle bicycle door"),
    _verb(
        "hide", "esconder", "handy key coin gift letter book trophy cookie bottle map", past="hid"
    ),
    _verb(
        "bring", "traer", "handy clothes dishes food drink book gift flower guitar", past="brought"
    ),
    _verb("wear", "llevar", "clothes", past="wore"),
    _verb(
        "use",
        "usar",
        "machine computer phone knife pencil map car bicycle ladder key cup plate word",
    ),
    _verb(
        "cross",
        "cruzar",
        "road river lake desert forest jungle field meadow park",
        animals=WALKERS,
    ),
    _verb(
        "climb",
        "subir a",
        "climbed",
        animals=CLIMBERS,
        animal_objects="tree wall rock roof mountain hill",
    ),
    _verb(
        "enter",
        "entrar en",
        "inside -tunnel",
        animals="pet farm fox squirrel bird bear -horse",
        animal_objects="house room kitchen barn garage cave church store",
    ),
    _verb("play", "tocar", "instrument drum"),
    _verb(
        "prefer",
        "preferir",
        "food drink season abstract clothes vehicle city beach animal instrument game tongue",
        past="preferred",
        ing="preferring",
        state=True,
        personal_a=False,
    ),
    _verb(
        "think about",
        "pensar en",
        "person pet party idea problem question day city country winter summer house music soccer",
        past="thought",
    ),
]
VERBS = {verb.english: verb for verb in TRANSITIVE}


def verbs_for(names: str) -> list[Verb]:
    """Transitive verbs by their English names: "see follow help"."""
    return [VERBS[name] for name in names.split()]


INTRANSITIVE = [
    _verb("sleep", "dormir", past="slept", animals=SLEEPERS),
    _verb("run", "correr", past="ran", ing="running", animals=RUNNERS),
    _verb("swim", "nadar", past="swam", ing="swimming", animals=SWIMMERS),
    _verb("walk", "caminar", animals=RUNNERS + " turtle duck hen"),
    _verb("work", "trabajar", animals="horse donkey mule"),
    _verb("live", "vivir", state=True, animals="animal"),
    _verb("dance", "bailar"),
    _verb("sing", "cantar", past="sang", animals="bird"),
    _verb("cry", "llorar"),
    _verb("play", "jugar", animals="dog cat monkey bear fox squirrel rabbit"),
    _verb("rest", "descansar", animals=SLEEPERS),
    _verb("eat", "comer", past="ate", animals=SLEEPERS),
    _verb("cook", "cocinar"),
    _verb("study", "estudiar"),
    _verb("read", "leer", past="read"),
    _verb("think", "pensar", past="thought"),
]
DOES = {verb.english: verb for verb in INTRANSITIVE}
GROW = _verb("grow", "crecer", past="grew", animals="animal -insect")
FLY = _verb("fly", "volar", past="flew", animals="flies")
GO = _verb("go", "ir", past="went", animals=WALKERS)
COME = _verb("come", "venir", past="came", animals=WALKERS)
ARRIVE = _verb("arrive", "llegar", animals=WALKERS)
RETURN = _verb("return", "volver", animals=WALKERS)
SPEAK = _verb("speak", "hablar", past="spoke")
HAVE = _verb("have", "tener", past="had", ing="having", state=True, personal_a=False)
HURT = _verb("hurt", "doler", past="hurt", state=True)
BRUSH = _verb("brush", "cepillar")
REFLEXIVE = [
    _verb("wake up", "despertarse", past="woke"),
    _verb("get up", "levantarse", past="got", ing="getting"),
    _verb("sit down", "sentarse", past="sat", ing="sitting"),
    _verb("go to bed", "acostarse", past="went"),
]
DITRANSITIVE = [
    _verb("give", "dar", "giftable food handy book", past="gave"),
    _verb("show", "mostrar", "giftable handy house book clothes letter key trophy"),
    _verb("send", "enviar", "giftable letter map book gift", past="sent"),
    _verb("bring", "traer", "giftable food drink clothes handy book", past="brought"),
    _verb("sell", "vender", "vehicle house clothes fruit guitar book bell", past="sold"),
    _verb("write", "escribir", "letter song story", past="wrote", ing="writing"),
    _verb("tell", "contar", "story", past="told"),
]
# Used in pronoun sentences.
CHASE = _verb("chase", "perseguir", "prey", animals="hunter")
CATCH = _verb("catch", "atrapar", "prey", past="caught", animals="hunter")
FRIGHTEN = _verb("frighten", "asustar", "animal")
STOP = _verb("stop", "detener", "animal", past="stopped", ing="stopping")
FIT = _verb("fit in", "caber en", "container", past="fit", state=True)
HOLD = _verb("hold", "aguantar", "heavy", past="held")
COVER = _verb("cover", "cubrir", "covered", state=True)
TAKE = _verb("take", "sacar", past="took")
