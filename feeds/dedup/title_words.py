"""Words for comparing titles: labels, publishers' names, function words, numbers, opposites, negations.

All in lower case and NFKC, as in a normalized title: without apostrophes and dots ("dont", "us"). Collected from
headlines of many publishers. A missing word at worst loses a match or lets a wrong one pass.
"""

from feeds.word_lists import read_lists, read_words

_LISTS, _WORDS = read_lists("feeds.dedup", "title_words.tsv"), read_words("feeds.dedup", "title_words.tsv")

# Scripts without spaces: Thai, Lao, Burmese, Khmer, Kana, Han. Inside a regular expression's brackets.
SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)

# Regular expressions, matched without regard to case.
PREFIXES = "|".join(_LISTS["prefixes"])
TAGS = "|".join(_LISTS["tags"])
MEDIA_ENDINGS = "|".join(_LISTS["media_endings"])
HOSTNAME = (
    r"(?:[A-Za-z0-9-]+\.)+(?:com|org|net|news|tv|info|gov|edu|eu|uk|us|ca|au|nz|de|at|ch|fr|it|es|nl|be|se|no|fi|"
    r"dk|pl|ru|ua|br|mx|ar|in|jp|cn|hk|tw|kr|sg)(?:\.(?:cn|uk|au|jp|br))?"
)

MEDIA_WORDS = _WORDS["media_words"]
FUNCTION_WORDS = _WORDS["function_words"]
FUNCTION_CHARACTERS = frozenset(
    "的了着过過在于於和与與及是被将將把也就都又还還已之其等并並而或からのはがをにへともでやよりしたるてですますれ"
)
ARTICLES = frozenset({"the", "a", "an"})
CONJUNCTIONS = _WORDS["conjunctions"]
NEGATIONS = _WORDS["negations"]
NEGATIVE_CHARACTERS = tuple(" ".join(_LISTS["negative_characters"]).split())
VARIANTS = _WORDS["variants"]
SERIES = _WORDS["series"]
GENERIC = _WORDS["generic"]
GENERIC_CHARACTERS = tuple(" ".join(_LISTS["generic_characters"]).split())

MONTHS = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
]  # fmt: skip
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
# Also ordinary words; names of months only beside a number.
MONTHS_BESIDE_NUMBERS = {name[:3]: name for name in MONTHS} | {"sept": "september", "march": "march"}

_NUMBER_WORDS = (
    "zero|one first|two second|three third|four fourth|five fifth|six sixth|seven seventh|eight eighth|nine ninth|"
    "ten tenth|eleven eleventh|twelve twelfth|thirteen thirteenth|fourteen fourteenth|fifteen fifteenth|"
    "sixteen sixteenth|seventeen seventeenth|eighteen eighteenth|nineteen nineteenth|twenty twentieth"
)
NUMBER_WORDS = {word: str(value) for value, names in enumerate(_NUMBER_WORDS.split("|")) for word in names.split()}
# Replaced by digits; "one" and the ordinals have other uses too and are only compared as numbers.
CARDINALS = {
    names.split()[0]: str(value) for value, names in enumerate(_NUMBER_WORDS.split("|")) if names != "one first"
}
# Without "xi", which is also a name.
ROMAN_NUMBERS = {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xii": "12", "xiii": "13",
    "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17", "xviii": "18", "xix": "19", "xx": "20",
}  # fmt: skip
ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10", "xi": "11"}  # only after a word such as "part"

SCALES = {
    word: 10**power
    for power, names in {
        3: "k thousand tausend mille mil тыс 千",
        2: "百",
        4: "万 萬",
        6: "m mn mln mio million millions millionen millones milhões milioni млн 百万",
        7: "千万 千萬",
        8: "亿 億",
        9: "b bn bln mrd billion billions milliarden milliards млрд",
        12: "tn trn trillion trillions 万亿 萬億 兆",
    }.items()
    for word in names.split()
}
HAN_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
HAN_COUNTERS = "月日年人名死伤傷天岁歳万萬亿億号號季周週期届屆话話集章回次版卷巻部局轮輪位倍度"
HAN_WEEKDAYS = {
    **dict(zip("一二三四五六日天", (*WEEKDAYS, "sunday"), strict=True)),
    **dict(zip("月火水木金土日", WEEKDAYS, strict=True)),
}


def _opposites() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for row in _LISTS["opposites"]:
        left, right = (side.split() for side in row.split("|"))
        for words, others in ((left, right), (right, left)):
            for word in words:
                opposites.setdefault(word, set()).update(others)
    return {word: frozenset(others) for word, others in opposites.items()}


NUMBERS_BY_WORD = (
    NUMBER_WORDS | ROMAN_NUMBERS | {name: name for name in (*MONTHS, *WEEKDAYS) if name not in MONTHS_BESIDE_NUMBERS}
)
SAME = {word: number for number, row in enumerate(_LISTS["same"]) for word in row.split()}  # words of one meaning
OPPOSITE = _opposites()
OPPOSITE_TEXTS = [tuple(row.split(" | ")) for row in _LISTS["opposite_characters"]]
