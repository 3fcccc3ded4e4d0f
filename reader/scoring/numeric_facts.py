"""Counts figures in a text: numbers with a unit, percentages, amounts of money, magnitudes ("1.2 million people").

Theory. A number alone says little: it may be a year, a time, a phone number, a version, a list position. What makes it
data is directly before it (a currency) or after it (a percent sign, a unit, a magnitude), so every number is matched
first, then its two sides:

1. A number directly after a letter or a dot ("H2", "v1.5 GB", the ends of "1.2.3") is part of something else; so is a
   Chinese ordinal (第5).
2. A year (1900–2099) followed by a space doesn't combine with the next word ("in 2024 millions of people"); "2,000 km"
   does.
3. Durations are not figures, since they date events and appear in most articles. Neither are counts of things ("30
   people", 30人) without a magnitude.

Text is normalized to NFKC, so that 45％, ５万円 and ㎞ match. Magnitudes, units and currencies are in English, German,
French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish, Russian, Arabic, Hindi, Chinese, Japanese and Korean;
symbols and abbreviations apply everywhere.

Known false positives: "100%" and "5 miles" as figures of speech, the 4 of "4-bit". Known misses: numbers in words or in
Han numerals (三十亿, but 百分之三十 matches), multiples ("3x", 3倍), "2000 km" because of rule 2.
"""

import re
import unicodedata

MAX_FIGURES = 1000  # counted at most
MAX_TEXT = 200_000  # characters

_CJK = "\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # scripts that set no space between a number and a word
_LETTER = rf"[^\W{_CJK}]"  # … or digit

_NUMBER = re.compile(r"(?<!\d)\d{1,15}+(?:[.,'’]\d{1,9}+)*+(?: \d{3}(?!\d))*+")
_SHAPE = re.compile(  # the last is Indian grouping, 12,34,567; dates and versions have none of these
    r"\d{1,3}(?P<group>[.,'’ ])\d{3}(?:(?P=group)\d{3})*(?:[.,]\d+)?|\d+(?:[.,]\d+)?|\d+(?:,\d+)+"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_GLUED = re.compile(rf"(?:{_LETTER}|[.第])\Z")

_CURRENCIES = "$¢£¤¥֏৳฿₠-⃀"
_CODES = (
    "USD|EUR|GBP|JPY|CNY|RMB|CHF|INR|AUD|CAD|NZD|HKD|SGD|TWD|KRW|BRL|MXN|ZAR|SEK|NOK|DKK|PLN|CZK|HUF|TRY|RUB|BTC|Rs"
)

_PERCENT = (
    "per ?cent|pct|percentage points?|basis points?|prozent|pour ?cent|por ?cien(?:to)?|por ?cento|per ?cento|"
    r"procent|процент\w*|प्रतिशत|फीसदी|في المئة|في المائة|بالمئة|بالمائة"
)
_MAGNITUDES = (
    r"(?:m|b|tr)[iy]l(?:li|l|i|j|h|y)[oóõã]\w{0,6}|mil(?:li|i|j|y)[aá]rd?\w{0,4}|thousand|tausend|mil|mille|mila|duizend|"
    r"lakhs?|crores?|[mbt]n|bln|tln|mln|mld|mlrd|mrd|mio|tys|млн|млрд|трлн|тыс|миллион\w*|миллиард\w*|тысяч\w*|"
    "लाख|करोड़|हजार|مليون|مليار|ألف|میلیون|میلیارد"
)
_MONEY = (
    "dollars?|euros?|pounds?|pence|cents|yen|yuan|rupees?|rupien|francs?|franken|pesos?|reais|kronor|kroner|z[łl]oty\\w*|"
    r"lira|рубл\w*|руб|доллар\w*|долл|евро|гривен|रुपये|रुपए|डॉलर|دولار|يورو|ريال"
)
_UNITS = (
    r"(?:kilo|centi|milli|nano|zenti)?met(?:er|re|ros?|ri)s?(?<!metro)|(?:kilo|centi|milli)?mètres?|[qk]uil[oóô]metros?|"
    r"kil[oó]metros?|chilometr[io]|miles?|feet|foot|inch(?:es)?|yards?|nautical miles?|light[ -]years?|"
    r"(?:square|cubic|sq\.?) (?:met|kilomet|f|mi|in|y)\w+|sq ?(?:ft|km|mi|m)|quadratmeter|quadratkilometer|"
    r"(?:kilo|milli)?gram(?:me|m|o|i)?s?|kilos?|chili|pounds?|lbs?|ounces?|oz|tons?|tonnes?|tonnen|toneladas?|tonnellate|ton|"
    r"(?:milli|hecto)?lit(?:er|re|ro|ri)s?|gallons?|barrels?|hectares?|hektar|hect[aá]reas?|ettari|acres?|"
    r"knots|degrees?|grad|degrés|grados|graus|gradi|celsius|fahrenheit|kelvin|"
    r"(?:kilo|mega|giga|tera)?(?:watts?|hertz|bytes?|bits?|volts?)|(?:kilo|mega|giga|tera)watt[ -]?hours?|calories|"
    r"километр\w*|метр\w*|тонн\w*|градус\w*|литр\w*|гектар\w*|км|см|мм|кг|"
    r"किलोमीटर|किमी|मीटर|टन|كيلومتر\w*|كلم|كم|متر\w*|طن"
)
_SYMBOLS = (
    r"[kcmnμ]?m[23]?|mi|ft|yd|[kmμ]?g(?<!\b[2-6]g)|[mcdh]?[lL]|ha|km/h|kph|km/s|mph|m/s|fps|rpm|"
    r"[kMGT]?Hz|[kMGT]?Wh?|GWp|MWp|kWp|[km]?V|mAh|k?cal|kJ|[hkMG]?Pa|psi|dB[A-Z]?|[KMGTP]i?B(?:/s)?|kB|[KMGT]b(?:ps|it/s)?|"
    rf"[mnμ]s|ppm|ppb|bps|kr|Kč|zł|Ft|k|(?<=[\d.,]\d)[KMB]|{_CODES}"
)
_CJK_UNITS = (
    "[万萬亿億兆千百]|만|억|조|천만|元|円|圆|圓|원|엔|美[元金]|欧元|歐元|日[元圆圓]|英[镑鎊里亩畝尺寸]|港[元币幣]|韩元|韓元|卢[布比]|盧[布比]|"
    "[台臺][币幣]|新[台臺][币幣]|人民[币幣]|[块塊][钱錢]|달러|유로|위안|ドル|ユーロ|ウォン|ポンド|ルピー|"
    "[个個]?百分[点點]|パーセント|퍼센트|%|ポイント|"
    "公[里斤顷頃尺分克升吨噸]|[千毫][米克升瓦]|厘米|[纳納]米|奈米|微米|[平立]方|米|克|升|吨|噸|[亩畝]|海里|光年|[兆吉]?瓦|[摄攝]氏|"
    "キロ|メートル|センチ|ミリ|トン|グラム|リットル|ヘクタール|ワット|ヘルツ|バイト|メガ|ギガ|テラ|"
    "킬로|미터|톤|그램|리터|헥타르|와트|바이트|메가|기가"
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", pattern))


_BEFORE = _compiled(rf"(?:[{_CURRENCIES}]|(?<!{_LETTER})(?:{_CODES})\.?|(?<!\S)[Yy]üzde|百分之|(?<!\S)[%٪]) ?\Z")
_AFTER = _compiled(
    rf" ?[%‰٪°{_CURRENCIES}]|[ -]?(?:(?i:{_PERCENT}|{_MAGNITUDES}|{_MONEY}|{_UNITS})|{_SYMBOLS})(?!{_LETTER}|['’]\w)|"
    rf" ?[多余餘来數数여]?(?:{_CJK_UNITS})"
)
_HAN_PERCENT = re.compile("百分之[一二三四五六七八九十百零〇两兩几幾]")
_LONGEST_BEFORE = 8  # characters that `_BEFORE` may take


def count_figures(text: str) -> int:
    """The number of figures in the first 200,000 characters of a plain text, at most 1,000."""
    text = text[:MAX_TEXT]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)[:MAX_TEXT]
    n_figures = len(_HAN_PERCENT.findall(text))
    for number in _NUMBER.finditer(text):
        n_figures += _is_figure(text, number)
        if n_figures >= MAX_FIGURES:
            return MAX_FIGURES
    return n_figures


def _is_figure(text: str, number: re.Match[str]) -> bool:
    start, end = number.span()
    before = text[max(0, start - _LONGEST_BEFORE) : start]
    if not _SHAPE.fullmatch(number[0]):
        return False
    if _BEFORE.search(before):
        return True
    if _GLUED.search(before) or (text[end : end + 1] == " " and _YEAR.fullmatch(number[0])):
        return False
    return _AFTER.match(text, end) is not None
