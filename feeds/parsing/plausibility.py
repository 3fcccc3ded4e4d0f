"""How much a decoded text looks like writing: what tells one legacy encoding from another.

Theory. Most legacy codecs decode most byte strings, so "it decodes" proves little; what they produce from
foreign bytes is not language. Four observations carry the score, and hold for a single headline already:

1. *Frequent characters.* In any language a few characters are most of the text: five kana in a Japanese
   sentence, ten letters of an alphabet, a hundred Han characters. Bytes read by a wrong codec spread evenly
   over its table, which is mostly made of rare characters.
2. *Script.* A codec is made for a script. Kana in text read as GBK, Hanja in bulk in text read as EUC-KR,
   half-width katakana, box drawings and private-use characters are signs of another codec.
3. *Case.* A capital after a small letter is rare: it separates the Cyrillic codecs, whose halves are swapped.
4. *Neighbours.* In Western and Central European words an accented letter stands beside ASCII letters;
   runs of accented letters are another script read through a Western codec. Letters of the other scripts
   do not stand beside ASCII letters (East Asian ones not alone between two), and a quotation mark does not
   stand within a word.

Only characters outside ASCII count. A replacement character (an undecodable byte) weighs more than a good one.
Known to fail: a lone accented letter cannot tell ISO-8859-1 from ISO-8859-2 or -15; the declared encoding or
the Western reading wins then. Rejected: letting charset-normalizer decide (it calls "café à Paris" cp775 and
Russian headlines big5hkscs; it is made for longer texts).
"""

import re
from dataclasses import dataclass

SAMPLE_CHARACTERS = 4000  # of the characters outside ASCII; enough for a stable mean
READS_AS_LANGUAGE = 0.3  # from here on a declared codec is believed
_UNDECODABLE = -4.0
_FOREIGN = -1.0
_RARE = 0.35  # belongs to the script
_FREQUENT = 1.0
_NEUTRAL = 0.5  # punctuation that such texts use
_BAD_CASE = -1.0

_HAN_SIMPLIFIED = (
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能"
    "好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把"
    "法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西"
    "再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原"
    "车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林"
    "题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周"
    "保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双"
    "历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏"
    "港股涨跌亿银央俄美韩宣布媒消息据悉公布表示记者"
)
_HAN_TRADITIONAL = (
    "這個來們國說為時對會過學裡後麼沒發還當開無經頭從動兩長樣現將進實點種聲話兒問機給幾業間電門東聽氣關並內產萬體別處總場"
    "師書員華報馬張難數車應親務計進論術結義請讓認愛隊連遠資帶條變聯權該領傳紅辦達運強區轉眾輕語滿寫識極錢黨雙歷廣議際則單"
    "據導網專觀爭組視濟離雖壞臺灣記題統證選舉億銀媒訊與於及新聞今日最的一是不了在人有我他中大上到子和你地出道也年得就那要下"
    "以生自著去之家可她小心多天而能好都然起成事只作想看文手十用主行方又如前所本見面公同三已老知民分外但身些高意把法此回二理"
    "美月明其全工己者向情部正名定女力等很什便位因重被走四第相次政海口使教西再平真世信北少加化由卻代入先山五太水市眼才比住性"
)
_KANJI_FREQUENT = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校"
    "語土木聞食車何南万天火右左首都市県区新発表政府相経済株価社会議員選挙事故地震者的対米合同定部内回開明"
    "動力場自分関業方手実全当通機体立理化性度戦予記教京民主文強要目指決野球最初公連"
)
_KANA_FREQUENT = "のにをはがでとたしるてなれいかっすらくあもさりこまきうよんスルントラリアイーク、。「」・"
_HANGUL_FREQUENT = (
    "이다의에는을가고한지하를로은사도서기시자대인정부일어리해있그나수국라전상원장주보아유들으만제과여오구"
    "늘뉴스속경성률발표미북중월년방송문화신학교회선거총재판검찰당내외간출개최근민공무통산울우"
)


@dataclass(frozen=True, slots=True)
class Script:
    """What a text in a codec is made of: `letters` matches one character of the script."""

    letters: re.Pattern[str]
    frequent: frozenset[str]
    is_cased: bool = False
    stands_among_ascii: bool = False  # accented letters within words of ASCII letters
    is_cjk: bool = False


def _script(letters: str, frequent: str) -> Script:
    return Script(re.compile(f"[{letters}]"), frozenset(frequent))


def _cased(letters: str, frequent: str) -> Script:
    return Script(re.compile(f"[{letters}]"), frozenset(frequent), is_cased=True)


def _latin(letters: str, frequent: str) -> Script:
    return Script(re.compile(f"[{letters}]"), frozenset(frequent), stands_among_ascii=True)


def _cjk(letters: str, frequent: str) -> Script:
    return Script(re.compile(f"[{letters}]"), frozenset(frequent), is_cjk=True)


_CHINESE = _cjk("一-龥", _HAN_SIMPLIFIED + _HAN_TRADITIONAL + "，。、：“”《》")
_TRADITIONAL = _cjk("一-龥", _HAN_TRADITIONAL + "，。、：「」《》")
_JAPANESE = _cjk("぀-ヿ一-龥々", _KANA_FREQUENT + _KANJI_FREQUENT)
_KOREAN = _cjk("가-힣", _HANGUL_FREQUENT)
_CYRILLIC = _cased("Ѐ-ӿ", "оеаинтсрвлкмдпОЕАИНТСРВЛКМДП")
_GREEK = _cased("Ͱ-Ͽ", "αοιετσνηυρπκμλςάίόέΑΟΙΕΤΣΝΗ")
_HEBREW = _script("א-ת", "יוהלארמתבשםנן")
_ARABIC = _script("ء-ۿ", "اليمنرتوبةعدسفكه")
_THAI = _script("ก-๛", "าน่อรกเงม้ยลวดทสตะปบคหแ")
_WESTERN = _latin("À-ÖØ-öø-ÿŒœŸŠšŽž", "¿¡éèàáíóúñçãõâêôäöüßåæøÉÖÜÄÅØìòùîï")
_CENTRAL = _latin("À-ÖØ-öø-žȘ-ț", "áéíóúůýčďěňřšťžąćęłńśźżăâîșțöőüűđŁŚŻČŠŽ")
_TURKISH = _latin("À-ÖØ-öø-ş", "ıİşŞğĞüÜöÖçÇ")

SCRIPT_OF: dict[str, Script] = {  # of equals the first wins
    "cp1252": _WESTERN,
    "gb18030": _CHINESE,
    "big5hkscs": _TRADITIONAL,
    "cp932": _JAPANESE,
    "euc_jp": _JAPANESE,
    "iso2022_jp": _JAPANESE,
    "cp949": _KOREAN,
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "cp866": _CYRILLIC,
    "cp1253": _GREEK,
    "iso8859_7": _GREEK,
    "cp1255": _HEBREW,
    "iso8859_8": _HEBREW,
    "cp1256": _ARABIC,
    "iso8859_6": _ARABIC,
    "cp874": _THAI,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "iso8859_16": _CENTRAL,
    "cp1254": _TURKISH,
}

_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_PUNCTUATION = frozenset("«»“”‘’‚„…–—•·°§©®™€£¥№†‡‰¡¿ºª、。，．：；！？（）「」『』【】《》〈〉・ー～　\u00a0")
_WITHIN_WORDS = frozenset("’‘·–—…\u00a0")
_ASCII_LETTER = re.compile("[A-Za-z]")


def plausibility(text: str, codec: str) -> float:
    """The mean weight of the characters outside ASCII, in [-4, 1]; above 0.3 reads as language, under 0 it does not.

    `codec` is a Python codec name of `SCRIPT_OF`; others are judged as Western. A text of ASCII alone gives 1.
    """
    script = SCRIPT_OF.get(codec, _WESTERN)
    total, n = 0.0, 0
    for match in _NON_ASCII.finditer(text):
        position = match.start()
        before = text[position - 1] if position else ""
        after = text[position + 1 : position + 2]
        total += _weight(match.group(), before, after, script)
        n += 1
        if n == SAMPLE_CHARACTERS:
            break
    return total / n if n else 1.0


def _weight(character: str, before: str, after: str, script: Script) -> float:
    if character == "\ufffd":
        return _UNDECODABLE
    if script.letters.match(character):
        return _letter_weight(character, before, after, script)
    if character in _PUNCTUATION and not script.is_cjk:
        if character not in _WITHIN_WORDS and before.isalpha() and after.isalpha():
            return _FOREIGN
        return _FREQUENT if character in script.frequent else _NEUTRAL
    if character in script.frequent or character in _PUNCTUATION:
        return _FREQUENT if character in script.frequent else _NEUTRAL
    return _NEUTRAL if script.is_cjk and _is_guest(character) else _FOREIGN


def _letter_weight(character: str, before: str, after: str, script: Script) -> float:
    weight = _FREQUENT if character in script.frequent else _RARE
    if script.is_cjk:
        return _FOREIGN if _ASCII_LETTER.match(before) and _ASCII_LETTER.match(after) else weight
    if script.stands_among_ascii:
        return _FOREIGN if _is_in_foreign_run(before, after) else weight
    if _ASCII_LETTER.match(before) or _ASCII_LETTER.match(after):
        return _FOREIGN
    if script.is_cased and character.isupper():
        return _BAD_CASE if before.islower() else weight / 2
    return weight


def _is_in_foreign_run(before: str, after: str) -> bool:
    """Both neighbours are outside ASCII and at least one is a letter: not how accents stand in words."""
    return bool(before > "\x7f" and after > "\x7f" and (before.isalpha() or after.isalpha()))


def _is_guest(character: str) -> bool:
    """Full-width forms and CJK punctuation, which any East Asian text may use; not letters of another script."""
    return "\u3000" <= character <= "\u303f" or "\uff01" <= character <= "\uff5e"
