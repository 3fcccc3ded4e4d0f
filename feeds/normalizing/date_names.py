"""The words that stand in dates: months in many languages, and the zones that are written as letters.

Keys are case-folded, NFKC, without dots. Where a zone's letters have several meanings, the one of RFC 822 holds, else
the one with most readers: CST is Chicago's, IST India's, BST Britain's.
"""

from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_MONTHS_BY_LANGUAGE = {
    "en": "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|"
    "oct october|nov november|dec december",
    "de": "jänner jän|februar febr|mär märz maerz mrz|||juni|juli|||okt oktober||dez dezember",
    "fr": "janv janvier|févr fév février fevrier|mars|avr avril|mai|juin|juil juillet|août aout|septembre|octobre|"
    "novembre|déc décembre decembre",
    "es": "ene enero|febrero|marzo|abr abril|mayo|junio|julio|ago agosto|septiembre setiembre|octubre|noviembre|"
    "dic diciembre",
    "it": "gen gennaio|febbraio||aprile|mag maggio|giu giugno|lug luglio||set sett settembre|ott ottobre|novembre|"
    "dicembre",
    "pt": "janeiro|fev fevereiro|março marco||maio|junho|julho||setembro|out outubro|novembro|dezembro",
    "nl": "januari|februari|mrt maart||mei|||augustus||||",
    "ru": "янв январь января|фев февр февраль февраля|мар март марта|апр апрель апреля|май мая|июн июнь июня|"
    "июл июль июля|авг август августа|сен сент сентябрь сентября|окт октябрь октября|ноя нояб ноябрь ноября|"
    "дек декабрь декабря",
    "uk": "січ січня|лют лютого|бер березня|квіт квітня|трав травня|чер черв червня|лип липня|серп серпня|вер вересня|"
    "жовт жовтня|лист листопада|груд грудня",
    "pl": "sty stycznia styczeń|lut lutego luty|marca marzec|kwi kwietnia kwiecień|maj maja|cze czerwca czerwiec|"
    "lip lipca lipiec|sie sierpnia sierpień|wrz września wrzesień|paź października październik|lis listopada listopad|"
    "gru grudnia grudzień",
    "cs": "led ledna leden|úno února únor|bře března březen|dub dubna duben|kvě května květen|čvn června červen|"
    "čvc července červenec|srp srpna srpen|zář září|říj října říjen||pro prosince prosinec",
    "hu": "január|február|márc március|ápr április|máj május|június|július|augusztus|szept szeptember|október||",
    "ro": "ianuarie ian|februarie|martie|aprilie||iunie iun|iulie iul||septembrie|octombrie|noiembrie noi|decembrie",
    "tr": "oca ocak|şub şubat|mart|nis nisan|mayıs|haz haziran|tem temmuz|ağu ağustos|eyl eylül|eki ekim|kas kasım|"
    "ara aralık",
    "el": "ιαν ιανουαρίου|φεβ φεβρ φεβρουαρίου|μάρ μαρ μάρτ μαρτ μαρτίου|απρ απριλίου|"
    "μάι μαι μαϊ μαΐου|ιούν ιουν ιουνίου|"
    "ιούλ ιουλ ιουλίου|αύγ αυγ αυγούστου|"
    "σεπ σεπτ σεπτεμβρίου|οκτ οκτωβρίου|νοέ νοε νοεμβρίου|δεκ δεκεμβρίου",
    "id": "||maret|||||agt agustus||||des desember",
    "ar": "يناير|فبراير|مارس|أبريل ابريل|مايو|يونيو|يوليو|أغسطس اغسطس|سبتمبر|أكتوبر اكتوبر|نوفمبر|ديسمبر",
    "he": "ינואר|פברואר|מרץ|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר",
    "th": "มค มกราคม|กพ กุมภาพันธ์|มีค มีนาคม|เมย เมษายน|พค พฤษภาคม|มิย มิถุนายน|กค กรกฎาคม|สค สิงหาคม|กย กันยายน|ตค ตุลาคม|"
    "พย พฤศจิกายน|ธค ธันวาคม",
    "cjk": "1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月",
    "zh": "一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月",
}

MONTHS = {
    name: number
    for names in _MONTHS_BY_LANGUAGE.values()
    for number, of_month in enumerate(names.split("|"), start=1)
    for name in of_month.split()
}

_HOURS_BY_NAME = {
    "UTC UT GMT Z WET UCT ZULU": 0,
    "CET MEZ BST WEST WAT MET": 1,
    "CEST MESZ EET SAST CAT MEST": 2,
    "EEST MSK EAT TRT IDT": 3,
    "IRST": 3.5,
    "GST MSD SAMT": 4,
    "AFT": 4.5,
    "PKT UZT YEKT": 5,
    "IST": 5.5,
    "NPT": 5.75,
    "BDT OMST ALMT": 6,
    "MMT": 6.5,
    "ICT WIB NOVT KRAT": 7,
    "HKT SGT MYT PHT AWST WITA IRKT PHST": 8,
    "JST KST WIT YAKT": 9,
    "ACST": 9.5,
    "AEST VLAT CHST": 10,
    "ACDT": 10.5,
    "AEDT": 11,
    "NZST PETT": 12,
    "NZDT": 13,
    "NDT": -2.5,
    "BRT ART ADT CLST UYT WGT": -3,
    "NST": -3.5,
    "EDT AST CLT BOT VET AMT": -4,
    "EST CDT PET COT ECT": -5,
    "CST MDT": -6,
    "MST PDT": -7,
    "PST AKDT": -8,
    "AKST HDT": -9,
    "HST": -10,
    "SST": -11,
}

_ZONES_WITH_SUMMER_TIME = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
}

ZONES: dict[str, tzinfo] = {
    name: timezone(timedelta(hours=hours)) for names, hours in _HOURS_BY_NAME.items() for name in names.split()
} | {letters: ZoneInfo(name) for letters, name in _ZONES_WITH_SUMMER_TIME.items()}
