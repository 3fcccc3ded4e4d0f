"""Finds names in Chinese and Japanese with rules, without segmenting words. Pure.

Theory. Neither script marks names, but the context does: quotation marks for titles, Latin letters and katakana for
foreign names, endings for organizations and places (公司, 大学, 省), titles beside people (总统, 氏). In Chinese, a
list of the characters that transcribe foreign names finds most of them ("特朗普" is three in a row), and a list of
surnames finds people before a verb of saying or a title. A name before an ending must follow a grammatical or non-Han
character.

Known false positives: rarer katakana words that aren't names; nouns before 公司. Known false negatives: people without
a title or verb, foreign names of two characters, short names of companies.
"""

import re
from collections.abc import Iterator

from feeds.dedup.entities import Kind
from feeds.dedup.entity_tables import COUNTRIES

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_KANA = "\u30a1-\u30fa\u30fc"  # katakana
_GRAMMAR = (
    "的了在是和与與及等对對将將被从從向为為于於把也有到由但而或让讓给給这這那其该該此已曾称稱说說就都又并並自至以因当當"
    "每各个個位名年月日前后後中往"
)
_BEGINS = f"(?:(?<![{_HAN}])|(?<=[{_GRAMMAR}]))"
_ONE = f"(?:(?![{_GRAMMAR}])[{_HAN}])"  # character of a name

_COUNTRIES = re.compile(
    "|".join(sorted((name for name in COUNTRIES if re.match(f"[{_HAN}{_KANA}]", name)), key=len, reverse=True))
)
_QUOTED = re.compile("[《「『“]([^《》「」『』“”]{2,20})[》」』”]")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9&+.-]*(?: [A-Z][A-Za-z0-9&+.-]*)*")

_BODIES = re.compile(
    f"{_BEGINS}(?!根据|根據|现任|現任|顾问|顧問|各级|上市|科技公司|有限)({_ONE}{{2,10}}?(?:公司|集团|集團|大学|大學|法院|检察院|"
    "政府|银行|銀行|委员会|委員會|研究院|研究所|医院|醫院|协会|協會|联盟|聯盟))"
)
_MINISTRIES = re.compile("(?:外交|国防|商务|财政|教育|公安|司法|国土|工信|农业|能源|外務|國防|財政)部")
_REGIONS = re.compile(
    f"{_BEGINS}({_ONE}{{2,3}}(?:省|(?<![股收花年都超夜门門休尾即])市|县|縣|自治区))"
    "(?![民場场價价值面況况占佔容內内集道售心下])"
)
_KNOWN_REGIONS = re.compile(
    "(北京|上海|天津|重庆|重慶|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|廣東|海南|四川|"
    "贵州|云南|陕西|甘肃|青海|内蒙古|广西|西藏|宁夏|新疆|澳门|澳門|深圳|广州|杭州|武汉|南京|成都|西安)(?:省|市)?(?!大学|大學|银行)"
)
_SURNAMES = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘于蒋蔣蔡"
    "余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀"
    "顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯习習"
)
_OFFICES = (
    "总统|總統|主席|总理|總理|首相|部长|部長|外长|外長|书记|書記|省长|市长|市長|教授|先生|女士|院长|院長|局长|"
    "董事长|发言人|發言人"
)
_SPEECH_VERBS = "表示|指出|强调|強調|认为|認為|介绍|透露|宣布|称|稱|说|說"
_CHINESE_PEOPLE = (
    re.compile(f"(?:{_OFFICES})([{_SURNAMES}]{_ONE}{{1,2}}?)(?={_SPEECH_VERBS}|[，。、：\\s在与將将会會]|$)"),
    re.compile(f"(?<![{_HAN}])([{_SURNAMES}]{_ONE}{{1,2}}?)(?={_SPEECH_VERBS}|{_OFFICES})"),
)
_TRANSCRIBING = (
    "阿埃艾安奥奧巴贝貝比波玻布查达達德迪杜多尔爾法菲费費弗夫福甘戈格哈海赫华華霍基吉加杰卡凯凱科克库庫拉莱萊兰蘭朗劳勞雷"
    "里利林卢盧鲁魯罗羅洛马馬麦麥迈邁曼梅蒙米莫穆纳納内尼努诺諾欧歐帕佩皮普奇乔喬切萨薩塞沙舍史斯塔泰特图圖托瓦威维維温"
    "沃乌烏西希夏谢謝辛雅亚亞扬伊英约約泽澤扎詹朱伦倫森顿頓登金宾賓丹丁茨兹茲隆唐鲍鮑弥彌赛賽"
)
_FOREIGN = re.compile(
    f"[{_TRANSCRIBING}]{{3,8}}(?:·[{_TRANSCRIBING}]{{2,8}})*|[{_TRANSCRIBING}]{{1,6}}(?:·[{_TRANSCRIBING}]{{1,8}})+"
)

_KATAKANA = re.compile(f"[{_KANA}]{{3,}}(?:[・＝][{_KANA}]+)*")
_KATAKANA_WORDS = """
    サービス システム ニュース サイト ページ データ インターネット ユーザー アプリ ゲーム テレビ イベント スタート
    プロジェクト メンバー チーム シーズン プレー ファン リーグ コメント グループ メーカー モデル デザイン カメラ
    スマートフォン スマホ ネット ホテル レストラン メディア キャンペーン ポイント タイプ サポート セキュリティ ソフト
    ソフトウェア パソコン コンピューター エネルギー ビジネス リスク トップ ワクチン ウイルス コロナ センター マンション
    トラブル スポーツ インタビュー メッセージ デジタル オンライン プログラム レベル ルール
"""
_NO_NAMES_IN_KATAKANA = frozenset(_KATAKANA_WORDS.split())
_JAPANESE_PEOPLE = re.compile(
    f"([{_HAN}]{{2,4}}|(?<![{_KANA}・])・*+[{_KANA}][{_KANA}・]++)(?:氏|さん|首相|大統領|社長|会長|容疑者|被告|選手|監督|知事|議員|大臣|教授)"
)
_JAPANESE_BODIES = re.compile(
    f"(?:株式会社)?([{_HAN}{_KANA}]{{2,8}}?(?:大学|銀行|新聞|省庁|警察|地裁|高裁|電力|自動車))"
)
_JAPANESE_REGIONS = re.compile(f"([{_HAN}]{{2,3}}?[都道府県市])")


def han_mentions(text: str, language: str) -> Iterator[tuple[Kind, str]]:
    """Mentions of names in a Chinese (`zh`) or Japanese (`ja`) text, with repetitions."""
    yield from (("places", name) for name in _COUNTRIES.findall(text))
    yield from (("organizations", name) for name in _QUOTED.findall(text))
    for name in _LATIN.findall(text):
        if len(name) > 1 and not name.islower():
            yield "organizations", name
    yield from _japanese(text) if language == "ja" else _chinese(text)


def _chinese(text: str) -> Iterator[tuple[Kind, str]]:
    for pattern in _CHINESE_PEOPLE:
        yield from (("people", name) for name in pattern.findall(text))
    yield from (("people", name) for name in _FOREIGN.findall(text) if name not in COUNTRIES)
    for pattern in (_BODIES, _MINISTRIES):
        yield from (("organizations", name) for name in pattern.findall(text))
    yield from (("places", name) for name in _KNOWN_REGIONS.findall(text))
    yield from (("places", name) for name in _REGIONS.findall(text) if not _KNOWN_REGIONS.fullmatch(name))


def _japanese(text: str) -> Iterator[tuple[Kind, str]]:
    people = {name.strip("・") for name in _JAPANESE_PEOPLE.findall(text)}
    bodies = set(_JAPANESE_BODIES.findall(text))
    longer = " ".join(people | bodies)
    yield from (("people", name) for name in people)
    yield from (("organizations", name) for name in bodies)
    for name in _KATAKANA.findall(text):
        if name not in longer and name not in COUNTRIES and name not in _NO_NAMES_IN_KATAKANA:
            yield "organizations", name
    yield from (("places", name) for name in _JAPANESE_REGIONS.findall(text))
