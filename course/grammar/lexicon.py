"""The words of the corpus: nouns, names, adjectives, and which of them go together.

A noun carries *tags* ("animal", "clothes", "breakable" ...). Adjectives and verbs name the tags,
or single nouns, that they suit, so that the grammar writes "the boy eats the apple" and never
"the boy eats the chair".
"""

from dataclasses import dataclass, field
from functools import cache

from course.grammar.morphology import (
    adjective_form,
    english_plural,
    inflects_for_gender,
    spanish_plural,
)


@dataclass(frozen=True, eq=False)  # two are equal only if they are the same one
class Noun:
    """One noun in both languages.

    gender: "m", "f", or "c" where the person may be either (doctor/doctora); then `feminine` is the
    Spanish word for a woman. tags: what kinds of thing it is.
    """

    english: str
    english_plural: str
    spanish: str
    feminine: str
    gender: str
    tags: frozenset[str] = field(repr=False)

    def in_english(self, plural: bool) -> str:
        return self.english_plural if plural else self.english

    def in_spanish(self, gender: str, plural: bool) -> str:
        word = self.feminine if self.gender == "c" and gender == "f" else self.spanish
        return spanish_plural(word) if plural else word

    @property
    def default_gender(self) -> str:
        """Masculine for "c", the convention where nothing in the sentence says otherwise."""
        return "m" if self.gender == "c" else self.gender

    @property
    def person(self) -> bool:
        return "person" in self.tags

    @property
    def animate(self) -> bool:
        return "person" in self.tags or "animal" in self.tags

    @property
    def mass(self) -> bool:
        return "mass" in self.tags


@dataclass(frozen=True, eq=False)  # two are equal only if they are the same one
class Adjective:
    """One adjective in both languages.

    copula: its verb in Spanish, "ser" (what something is) or "estar" (how it is at the moment).
    suits: the English nouns that it can describe. before_noun: Spanish puts it before the noun.
    """

    english: str
    spanish: str
    copula: str
    suits: frozenset[str] = field(repr=False)
    before_noun: bool = False
    attributive: bool = True  # False: only after "is" (the baby is asleep, not: the asleep baby)
    gradable: bool = True  # False: not with "too" or "very" (closed, broken)

    def form(self, gender: str, plural: bool) -> str:
        return adjective_form(self.spanish, gender, plural)

    @property
    def inflects(self) -> bool:
        return inflects_for_gender(self.spanish)


# english[/irregular plural]  spanish[/feminine]  gender  tags
# mass: not counted; single: not used in the plural; plural: used only in the plural;
# tonic: feminine with "el" (el agua). The other tags say what the noun is good for.
GRAMMAR_TAGS = frozenset({"mass", "single", "plural", "tonic"})
NOUN_TABLE = """
boy niño m person young
girl niña f person young
child/children niño/niña c person young
baby bebé m person young close
man/men hombre m person
woman/women mujer f person
mother madre f person family single
father padre m person family single
parent padre m person family plural
son hijo m person family
daughter hija f person family
brother hermano m person family
sister hermana f person family
grandmother abuela f person family
grandfather abuelo m person family
uncle tío m person family
aunt tía f person family
cousin primo/prima c person family
king rey m person
queen reina f person
teacher profesor/profesora c person job close
doctor doctor/doctora c person job close
student estudiante/estudiante c person job
artist artista/artista c person job
friend amigo/amiga c person close
neighbor vecino/vecina c person close

animal animal m animal
dog perro m animal pet hunter
cat gato m animal pet hunter
horse caballo m animal pet strong
cow vaca f animal farm strong
donkey burro m animal farm strong
mule mula f animal farm strong
pig cerdo m animal farm
goat cabra f animal farm
hen gallina f animal farm prey
duck pato m animal farm prey
rabbit conejo m animal pet prey
mouse/mice ratón m animal little prey
squirrel ardilla f animal little prey
frog rana f animal little prey
turtle tortuga f animal pet
bird pájaro m animal little flies prey
butterfly mariposa f animal little flies insect
bee abeja f animal little flies insect
eagle águila f animal wild flies hunter tonic
snake serpiente f animal wild hunter
fox zorro m animal wild hunter
wolf/wolves lobo m animal wild hunter
bear oso m animal wild strong
lion león m animal wild hunter
tiger tigre m animal wild hunter
panther pantera f animal wild hunter
elephant elefante m animal wild strong
giraffe jirafa f animal wild
monkey mono m animal wild

street calle f road place
road camino m road place
avenue avenida f road place
bridge puente m road place holds
square plaza f road place
path sendero m road place
river río m waters place
lake lago m waters place
lagoon laguna f waters place
pool piscina f waters place
sea mar m waters place single
forest bosque m land place shady
jungle selva f land place shady
desert desierto m land place
field campo m land place
meadow pradera f land place
park parque m land place visited
garden jardín m land place owned
beach playa f place visited
island isla f place visited

house casa f inside building place owned
castle castillo m inside building place visited
church iglesia f inside building place visited
barn granero m inside building place
hotel hotel m inside building place visited
museum museo m inside building place visited
school escuela f inside building place visited
store tienda f inside building place visited opens
library biblioteca f inside building place visited opens
hospital hospital m inside building place visited
restaurant restaurante m inside building place visited opens
station estación f inside building place
tower torre f building climbed place visited
room habitación f inside room place owned
kitchen cocina f inside room place owned
bathroom baño m inside room place owned
garage garaje m inside room place owned parking
classroom aula f inside room place tonic
cave cueva f inside place shady
tunnel túnel m inside place shady road
city ciudad f place visited town
town pueblo m place visited town
country/countries país m town visited

mountain montaña f climbed place
hill colina f climbed place
rock roca f climbed heavy
tree árbol m climbed plant
roof tejado m climbed
ladder escalera f climbed heavy
wall muro m barrier painted built
fence valla f barrier painted built
door puerta f barrier opens painted
window ventana f opens breakable

flower flor f plant giftable
rose rosa f plant giftable
plant planta f plant giftable

apple manzana f food fruit
pear pera f food fruit
peach melocotón m food fruit
banana plátano m food fruit
lemon limón m food fruit
strawberry fresa f food fruit
tomato/tomatoes tomate m food fruit vegetable
potato/potatoes patata f food vegetable
carrot zanahoria f food vegetable
onion cebolla f food vegetable
egg huevo m food cooked
cake pastel m food sweetened
cookie galleta f food sweetened
soup sopa f food dish cooked
bread pan m food mass
cheese queso m food mass
meat carne f food mass cooked
rice arroz m food mass cooked dish
chocolate chocolate m food mass sweetened
water agua f drink mass tonic
milk leche f drink mass
coffee café m drink mass
tea té m drink mass
juice zumo m drink mass
wine vino m drink mass

box caja f container heavy thing opens
bag bolsa f container thing opens
sack saco m container heavy thing
trunk baúl m container heavy thing opens
basket cesta f container thing
suitcase maleta f container heavy thing opens
backpack mochila f container thing opens
drawer cajón m container opens
wardrobe armario m container furniture heavy opens
car coche m vehicle wheels
van furgoneta f vehicle wheels loud
truck camión m vehicle wheels loud heavy
train tren m vehicle loud
bus/buses autobús m vehicle wheels loud
motorcycle moto f vehicle loud wheels
bicycle bicicleta f vehicle thing giftable
boat barco m vehicle painted
airplane avión m vehicle loud flying
machine máquina f loud heavy
storm tormenta f loud
bell campana f loud

table mesa f furniture heavy painted holds covered surface
chair silla f furniture heavy painted holds surface
sofa sofá m furniture heavy covered surface
bed cama f furniture heavy covered surface
shelf/shelves estante m furniture heavy holds surface
lamp lámpara f furniture thing breakable giftable
mirror espejo m furniture heavy breakable
clock reloj m thing breakable giftable
piano piano m instrument heavy
guitar guitarra f instrument thing breakable giftable
drum tambor m instrument thing loud
blanket manta f thing cover washed giftable
tablecloth mantel m thing cover washed
rug alfombra f thing cover washed heavy

trophy/trophies trofeo m thing
gift regalo m thing
book libro m thing read giftable
letter carta f thing read handy
newspaper periódico m thing read
map mapa m thing handy
photo foto f thing handy giftable
picture cuadro m thing giftable
key llave f thing handy
coin moneda f thing handy
pencil lápiz m thing handy giftable
phone teléfono m thing handy breakable giftable
computer ordenador m thing breakable giftable
cup taza f thing dishes breakable
glass vaso m thing dishes breakable
plate plato m thing dishes breakable
bottle botella f thing breakable opens
knife/knives cuchillo m thing dishes
ball pelota f thing handy giftable
toy juguete m thing handy breakable giftable
doll muñeca f thing handy giftable

hat sombrero m clothes thing giftable
shirt camisa f clothes thing giftable
dress vestido m clothes thing giftable
skirt falda f clothes thing giftable
coat abrigo m clothes thing giftable
jacket chaqueta f clothes thing giftable
sweater jersey m clothes thing giftable
shoe zapato m clothes thing giftable
sock calcetín m clothes thing giftable

head cabeza f body
back espalda f body single
stomach estómago m body single
hand mano f body
arm brazo m body
leg pierna f body
foot/feet pie m body
eye ojo m body
tooth/teeth diente m body

song canción f art heard
movie película f art seen
story cuento m art told
game juego m idea
party fiesta f idea
idea idea f idea
question pregunta f idea taught
problem problema m idea
word palabra f taught
language idioma m idea taught
day día m time
night noche f time single
music música f mass heard abstract
soccer fútbol m mass abstract
winter invierno m mass abstract season
summer verano m mass abstract season
Spanish español m mass abstract tongue
English inglés m mass abstract tongue
"""
NAMES = {
    "Ana": "f",
    "Carmen": "f",
    "Elena": "f",
    "Lucía": "f",
    "María": "f",
    "Diego": "m",
    "Juan": "m",
    "Miguel": "m",
    "Pablo": "m",
    "Pedro": "m",
}
# english  spanish  copula  tags and nouns it suits; "-noun" takes a noun out again.
# An indented line goes on with the one above.
# Flags: !before (stands before the noun), !predicate (only after "is"), !absolute (no degrees).
ADJECTIVE_TABLE = """
red rojo ser clothes vehicle furniture container cup glass plate apple tomato rose flower house
    door ball pencil -train -airplane !absolute
white blanco ser clothes vehicle furniture cup glass plate house wall door flower rose dog cat
    horse rabbit cow hen duck goat !absolute
black negro ser clothes vehicle furniture container dog cat horse cow goat bear bird hen panther
    pencil phone piano !absolute
yellow amarillo ser clothes vehicle cup glass plate house flower butterfly bird banana lemon
    pencil ball bag box -train !absolute
green verde ser clothes vehicle cup glass plate house door apple pear tree plant field bird bottle
    frog snake meadow !absolute
blue azul ser clothes vehicle cup glass plate house door window sea bird butterfly ball pencil bag
    backpack suitcase eye !absolute
big grande ser animal inside place building furniture container vehicle plant food rock machine
    storm eye hand foot tooth wall fence window door problem -sea -insect -desert -soup -dish
    -mass box gift clothes ball book trophy mirror picture bottle cup lamp rug blanket tablecloth
    guitar drum toy
small pequeño ser animal building inside town furniture container vehicle thing plant fruit
    vegetable food young foot hand window door garden park island lake river -mass -dish -elephant
    -giraffe -country
new nuevo ser clothes vehicle thing furniture container building machine song movie game
    instrument bridge -castle -barn -photo -coin !absolute
old viejo ser man woman king queen horse dog cat donkey mule animal clothes vehicle thing
    furniture building container road machine piano tree -young -insect -gift -tower
young joven ser man woman king queen teacher doctor artist animal tree -insect
beautiful hermoso ser woman queen animal flower rose tree house castle city town country beach
    island garden park lake mountain song language picture day night meadow river
pretty bonito ser girl clothes house garden photo doll flower song city town picture blanket cup
    eye hand church square
strange extraño ser animal man woman house place song movie story idea machine language -sea
expensive caro ser clothes vehicle thing furniture house hotel restaurant food drink instrument
    machine -newspaper -letter -photo -coin -key
cheap barato ser clothes vehicle thing furniture hotel restaurant food drink house instrument
    -letter -photo -coin -key -trophy
clean limpio estar clothes vehicle room house dishes street river lake beach square table hand
    foot tooth dog horse window kitchen park hospital hotel bottle water rug blanket tablecloth
    -train !absolute
dirty sucio estar clothes vehicle room house dishes street river lake beach square table hand foot
    dog horse pig cat window kitchen bottle water rug blanket tablecloth cover container mirror
    -train
broken roto estar breakable chair table bicycle machine bell fence door ladder shelf bed shoe
    !absolute
empty vacío estar container room house street avenue square bottle cup glass plate beach bus park
    restaurant hotel classroom church pool !absolute
full lleno estar container room bottle cup glass bus train restaurant hotel classroom museum
    -garage !absolute
open abierto estar opens -drawer -wardrobe !absolute
closed cerrado estar opens museum school church bridge station -backpack !absolute
long largo ser road river dress coat skirt bridge tunnel story movie letter song word day night
    snake table ladder winter summer blanket rug train question -square
short corto ser dress skirt coat road story movie letter song word blanket ladder tunnel street
    rug day tablecloth question -square
wide ancho ser road river furniture bed table door window tunnel box drawer rug -clock -lamp
    -mirror -chair
narrow estrecho ser road tunnel room bed door window box drawer kitchen garage wardrobe shelf
    -square
deep profundo ser waters cave sea
dangerous peligroso ser road river sea wild animal cave tunnel mountain jungle forest desert
    machine game city storm knife bridge -pet -farm -prey -insect -square -turtle
safe seguro ser road bridge city town country park beach house hotel car airplane game machine
    ladder -path
noisy ruidoso ser loud street avenue city child classroom restaurant party car music square school
    -bell -storm
quiet tranquilo ser street park beach town library hotel garden island place square -road -bridge
    -path
dark oscuro ser shady room house street night tunnel barn church castle path
steep empinado ser mountain hill street roof path
low bajo ser barrier table chair roof bed hill shelf -door
high alto ser mountain hill wall fence tower roof shelf
tall alto ser person tree giraffe building ladder -baby -house -school -station -barn -restaurant
    -store -library -room
heavy pesado ser heavy thing clothes truck container -hand -sock -shirt -hat -skirt -dress -dishes
    -letter -photo -blanket -tablecloth -ball -pencil -basket -bag
light ligero ser clothes bag basket backpack bicycle chair suitcase box computer tablecloth
    blanket
thick grueso ser book coat blanket wall rug sock sweater jacket tablecloth
round redondo ser table mirror clock cake box ball window rug cookie tower !absolute
sweet dulce ser apple pear peach banana strawberry cake cookie juice wine chocolate
sour ácido ser lemon apple strawberry juice wine
bitter amargo ser coffee tea chocolate lemon
salty salado estar soup meat cheese rice potato bread egg
rotten podrido estar apple pear peach banana tomato potato onion egg meat carrot strawberry
    !absolute
raw crudo estar meat egg potato rice carrot onion !absolute
hard duro estar bread cheese cookie meat potato egg pear
ripe maduro estar apple pear peach banana tomato strawberry !absolute
delicious delicioso estar food drink -egg -onion -potato -lemon
cold frío estar soup water milk coffee tea meat rice hand foot potato
hot caliente estar soup water milk coffee tea meat rice potato bread
dry seco estar clothes plant bread river field rose flower blanket
wet mojado estar clothes dog cat street rug blanket hand foot horse bird road chair !absolute
slippery resbaladizo estar street road path bridge roof hill rock ladder
tired cansado estar person animal eye leg -insect
scared asustado estar person animal -insect
sick enfermo estar person animal plant tree -insect
nervous nervioso estar person animal -insect -turtle -baby
injured herido estar person animal hand leg arm foot -insect !absolute
lost perdido estar young dog cat key letter ball coin animal sock bird phone -baby -insect -wild
    !absolute
hidden escondido estar key letter coin ball photo map gift mouse rabbit toy cookie frog squirrel
    !absolute
busy ocupado estar person -young -baby
happy feliz estar person animal -insect -snake
sad triste estar person dog horse monkey donkey
angry enfadado estar person -baby
worried preocupado estar person -baby -young
bored aburrido estar person dog cat monkey -baby
surprised sorprendido estar person -baby
calm tranquilo estar person horse dog cow sea cat
asleep dormido estar person dog cat bear lion pet farm !predicate !absolute
alone solo estar person dog cat !predicate !absolute
married casado estar man woman brother sister cousin teacher doctor neighbor friend !absolute
distracted distraído estar person dog cat hunter -baby -snake
lazy perezoso ser person cat dog donkey horse mule bear -baby -parent
slow lento ser turtle donkey cow mule train bus car vehicle game computer song animal -wild -flies
    -airplane -insect
fast rápido ser horse dog car motorcycle train animal vehicle computer boat bicycle -turtle -pig
    -cow -farm -insect
strong fuerte ser man woman strong bear lion tiger horse boy girl coffee elephant father brother
weak débil ser man animal grandmother grandfather -insect -wild
shy tímido ser person animal -wild -insect -king -baby
fat gordo ser cat dog pig hen duck king animal rabbit -insect -wild -eagle
thin delgado ser man woman dog cat boy girl horse
brave valiente ser person dog lion -baby
curious curioso ser young cat dog monkey student animal mouse -baby -insect
kind amable ser person -baby -young
friendly simpático ser person dog -baby
rich rico ser man woman king queen uncle aunt country neighbor artist
poor pobre ser man woman country artist student
famous famoso ser king queen artist doctor city museum song movie book picture castle restaurant
intelligent inteligente ser person dog monkey animal horse -baby -insect -hen -snake -turtle
funny divertido ser person story movie game book song party monkey -king -queen
boring aburrido ser movie book story game party soccer city museum song
interesting interesante ser book story movie museum city country game question idea word language
    picture song
important importante ser idea question problem book letter word language map key doctor music
    party day king
easy fácil ser question problem game word language song book Spanish English
difficult difícil ser question problem game word language song book Spanish English
good bueno ser idea question book movie song story friend teacher doctor student neighbor dog
    horse car hotel restaurant school day computer !before
bad malo ser idea movie song story day neighbor hotel restaurant student game night !before
great grande ser idea city artist friend king queen teacher country party day !before
"""


def _read_nouns() -> dict[str, Noun]:
    nouns = {}
    for line in NOUN_TABLE.split("\n"):
        if not line.strip():
            continue
        english, spanish, gender, *tags = line.split()
        singular, _, plural = english.partition("/")
        spanish, _, feminine = spanish.partition("/")
        nouns[singular] = Noun(
            english=singular,
            english_plural=plural or english_plural(singular),
            spanish=spanish,
            feminine=feminine,
            gender=gender,
            tags=frozenset(tags),
        )
    return nouns


NOUNS = _read_nouns()


@cache
def nouns_for(suits: str) -> list[Noun]:
    """The nouns of a list such as "animal book -cow": the animals and the book, without the cow.

    suits: tags and nouns; "-" before one leaves it out. They come in the order of the table.
    """
    wanted = {item for item in suits.split() if not item.startswith(("-", "!"))}
    unwanted = {item[1:] for item in suits.split() if item.startswith("-")}
    return [
        noun
        for noun in NOUNS.values()
        if (noun.english in wanted or (noun.tags & wanted and not noun.tags & unwanted))
        and noun.english not in unwanted
    ]


def _read_adjectives() -> dict[str, Adjective]:
    adjectives = {}
    for line in ADJECTIVE_TABLE.replace("\n    ", " ").strip().split("\n"):
        english, spanish, copula, suits = line.split(maxsplit=3)
        adjectives[english] = Adjective(
            english=english,
            spanish=spanish,
            copula=copula,
            suits=frozenset(noun.english for noun in nouns_for(suits)),
            before_noun="!before" in suits,
            attributive="!predicate" not in suits,
            gradable="!absolute" not in suits,
        )
    return adjectives


ADJECTIVES = _read_adjectives()
# Opposites don't stand together: not "the cold water was hot".
OPPOSITES = """
big small, new old, old young, expensive cheap, clean dirty, empty full, open closed, long short,
wide narrow, dangerous safe, noisy quiet, high low, heavy light, sweet sour, sweet bitter,
sweet salty, rotten delicious, rotten ripe, hot cold, dry wet, nervous calm, scared calm,
worried calm, happy sad, scared brave, slow fast, strong weak, fat thin, rich poor, funny boring,
boring interesting, easy difficult, raw delicious, raw hot, busy bored, light dark
"""
OPPOSITE_PAIRS = {
    frozenset(ADJECTIVES[name] for name in pair.split())
    for pair in OPPOSITES.replace("\n", " ").split(",")
}


def opposite(first: Adjective | None, second: Adjective | None) -> bool:
    return frozenset((first, second)) in OPPOSITE_PAIRS


# All adjectives that suit a noun.
ADJECTIVES_FOR: dict[str, list[Adjective]] = {
    name: [adjective for adjective in ADJECTIVES.values() if name in adjective.suits]
    for name in NOUNS
}
# English word form -> noun, for finding the nouns of a finished sentence.
NOUN_OF_FORM: dict[str, Noun] = {
    form: noun for noun in NOUNS.values() for form in (noun.english_plural, noun.english)
}
