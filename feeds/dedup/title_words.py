"""The words that titles are compared by: what to drop from them, what counts as a number, what says the opposite.

All in lower case and NFKC, as they stand in a normalized title: without apostrophes and dots ("dont", "us"). Collected
from headlines of many publishers; a word that is missing costs a match or lets one pass, no more.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Scripts without spaces: Thai, Lao, Burmese, Khmer, Kana, Han. Inside a regular expression's brackets.
SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)

# Labels that a newsroom puts before a headline. Regular expressions, matched without regard to case.
PREFIXES = (
    r"breaking(?: news)?|just in|icymi|exclusive|updated?|watch(?: live)?|listen|video|photos?|audio|podcast|"
    r"in pictures|show hn|alert|developing|live(?: updates?| blog)?|news alert|"
    r"first on \w+|(?:\d(?:st|nd|rd|th) )?(?:lead|ld)|wrapup|brief|"
    r"factbox|refile|corrected|rpt|must read|"
    r"eilmeldung|exklusiv|liveticker|alerte(?: info)?|en direct|exclusif|vidéo|vídeo|última hora|exclusiva|en vivo|"
    r"urgente|exclusivo|ultim'ora|esclusiva|esclusivo|срочно|эксклюзив|видео|молния|"
    r"速報|続報|詳報|独自|独占|号外|動画|更新|ニュース速報|"
    r"快讯|快訊|突发|突發|独家|獨家|最新|最新消息|视频|視頻|影片|直播|號外|重磅|要闻|要聞|组图|組圖|即时|即時|"
    r"속보|단독|영상|포토|종합"
)

# What stands in brackets, or behind a dash, at the end of a headline without being part of it.
TAGS = r"video|updated?|pdf|photos?|audio|watch|live|exclusive|in pictures|動画|動画あり|视频|視頻|組圖|组图|영상"

# A publisher's name ends in one of these words, or is one of these names.
MEDIA_WORDS = _set(
    "news times post journal herald tribune gazette magazine chronicle telegraph press newspaper nachrichten zeitung "
    "reuters bloomberg bbc cnn npr cnbc guardian techcrunch engadget axios politico afp forbes fortune huffpost"
)
MEDIA_ENDINGS = (
    r"新闻|新聞|新闻网|(?<!联)网|(?<!聯)網|日报|日報|晚报|晚報|时报|時報|早报|早報|晨报|商报|通讯社|通訊社|通信社|"
    r"频道|頻道|电视台|電視台|卫视|ニュース|オンライン|テレビ|뉴스|일보|신문"
)
HOSTNAME = (
    r"(?:[A-Za-z0-9-]+\.)+(?:com|org|net|news|tv|info|gov|edu|eu|uk|us|ca|au|nz|de|at|ch|fr|it|es|nl|be|se|no|fi|"
    r"dk|pl|ru|ua|br|mx|ar|in|jp|cn|hk|tw|kr|sg)(?:\.(?:cn|uk|au|jp|br))?"
)

# Words that carry no content of their own: their coming and going changes no claim.
FUNCTION_WORDS = _set(
    "a an the and or of in on at to for from by with as into onto about over amid after before during than that this "
    "these those its it is are was were be been being has have had will would can could might do does did so if "
    "but also just now still yet then there here via per how why what when where which who s t re "
    "der das den dem des ein eine einen einem einer und oder im am zu zum zur von vom mit für auf aus bei nach ist "
    "sind wird werden le la les un une des du de et ou au aux en dans sur pour par avec est sont el los las una y o "
    "del al con por para es il lo gli i e di da dal della nel su per che è os as um uma do dos em no na com "
    "het een van voor met и в во на с по о об из за к у для от до"
) - {"no"}
FUNCTION_CHARACTERS = frozenset(
    "的了着过過在于於和与與及是被将將把也就都又还還已之其等并並而或からのはがをにへともでやよりしたるてですますれ"
)
ARTICLES = _set("the a an")
# Two names that are joined so may change places.
CONJUNCTIONS = _set("and or vs v versus with meets met mit und et y e и 和 与 與 及 と や 跟")

# Words that say the same, one set a line.
SAME_GROUPS = """
    say says said saying tell tells told
    us usa america american americans
    uk britain british
    kyiv kiev
    vs v versus
    government govt
    percent pct
    photo photos picture pictures image images pics
    kill kills killed dead die dies died
    make makes made
    get gets got
    rise rises rose risen
    fall falls fell fallen
    win wins won
    lose loses lost
    buy buys bought
    sell sells sold
    find finds found
    hold holds held
    leave leaves left
    take takes took taken
    see sees saw seen
    go goes went gone
    begin begins began begun
    program programme
    gray grey
    tv television
    说 説 称 表示
"""

# Opposites: what stands left of the bar against what stands right of it.
OPPOSITES = """
    rise rises rose rising gain gains gained up higher increase increases increased climb climbs climbed jump
        jumps jumped soar soars soared rally surge surges surged | fall falls fell falling loss losses down
        lower decrease decreases decreased decline declines declined drop drops dropped sink sinks sank slump
        slumps slumped plunge plunges plunged slide slides slid tumble tumbles tumbled;
    win wins won winning victory beat beats | lose loses lost losing defeat loss;
    buy buys bought buying buyer buyers | sell sells sold selling seller sellers sale;
    approve approves approved approval accept accepts accepted pass passes passed adopt adopts adopted back
        backs backed | reject rejects rejected rejection block blocks blocked veto vetoes vetoed;
    confirm confirms confirmed admit admits admitted | deny denies denied;
    support supports supported | oppose opposes opposed;
    allow allows allowed permit permits permitted legal legalize legalizes | ban bans banned prohibit prohibits
        prohibited illegal;
    raise raises raised hike hikes hiked | cut cuts lower lowers lowered;
    open opens opened opening reopen reopens | close closes closed closing shut shuts;
    start starts started begin begins began launch launches launched | end ends ended stop stops stopped finish
        finishes;
    resume resumes resumed | suspend suspends suspended halt halts halted;
    hire hires hired hiring | fire fires fired firing lay;
    arrest arrests arrested jailed detained | free frees freed release releases released;
    join joins joined enter enters entered | leave leaves left quit quits exit exits exited;
    guilty convicted | innocent acquitted;
    first | last;
    before | after;
    more | less fewer;
    most best | least worst;
    high highs highest | low lows lowest;
    with | without;
    for | against;
    from | to;
    above over | below under;
    north northern | south southern;
    east eastern | west western;
    left | right;
    man men male boy boys | woman women female girl girls;
    husband father son brother | wife mother daughter sister;
    he his him | she her;
    import imports inflow inflows | export exports outflow outflows;
    profit profits surplus | loss losses deficit;
    upgrade upgrades upgraded | downgrade downgrades downgraded;
    strong stronger strengthen strengthens | weak weaker weaken weakens;
    expand expands expanded grow grows grew growth | shrink shrinks shrank contract contracts contraction;
    survive survives survived alive | die dies died dead killed;
    employer employers | employee employees;
    home | away;
    morning | evening night;
    summer | winter;
    true | false;
    new | old;
    good | bad;
    early | late;
    long | short;
    fast faster | slow slower;
    major | minor;
    maximum | minimum;
    public | private;
    senior | junior;
    success succeeds | failure fails;
    steigt steigen stieg | fällt fallen fiel sinkt sinken;
    hausse monte montent | baisse baissent chute;
    sube suben subió | baja bajan bajó cae;
    растет выросли вырос | падает упали упал снизились;
    상승 증가 | 하락 감소;
"""
OPPOSITE_CHARACTERS = """
    涨 跌 | 升 降 | 上涨 下跌 | 上升 下降 | 上昇 下落 | 上昇 下降 | 増 減 | 增 减 | 增 減 | 赢 输
    贏 輸 | 胜 负 | 胜 败 | 勝 敗 | 勝 負 | 买 卖 | 買 賣 | 買 売 | 批准 拒绝 | 同意 反对
    高 低 | 男 女 | 黒字 赤字 | 盈利 亏损 | 可決 否決 | 上方 下方 | 値上げ 値下げ | 円高 円安 | 開始 終了
    开始 结束 | 东 西 | 東 西 | 南 北 | 入 出 | 前 后 | 前 後 | 承认 否认 | 認める 否定 | 加 减
"""

# One of these on one side only, and the two titles make opposite claims.
NEGATIONS = _set(
    "not no never without cannot nobody none neither nor isnt arent wasnt werent dont doesnt didnt wont wouldnt "
    "cant couldnt shouldnt hasnt havent hadnt aint deny denies denied denying denial false fake hoax cancel cancels "
    "canceled cancelled postpone postpones postponed reject rejects rejected refuse refuses refused fail fails failed "
    "nicht kein keine keinen nie ohne pas jamais sans sin nunca senza não niet geen не нет без ни nie"
)
NEGATIVE_CHARACTERS = (
    "不", "未", "没", "沒", "无", "無", "非", "否", "拒", "取消", "中止", "延期",
    "ない", "なく", "ません", "せず", "なし",
)  # fmt: skip

# Behind a number they name another model or another stage: "16 Pro", "1.84 beta".
VARIANTS = _set("pro max plus mini ultra lite air se ti super xl fe beta alpha rc nightly preview lts dev")

# Before a number they make it the place in a series: "part 2".
SERIES = _set(
    "part pt parts episode ep vol volume chapter ch session season issue no number day week round phase book lesson "
    "act war type section teil folge band partie épisode tome parte capítulo episodio часть выпуск серия 第 其"
)

MONTHS = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
]  # fmt: skip
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
# Words of their own as well, and names of months only beside a number.
MONTHS_BESIDE_NUMBERS = {name[:3]: name for name in MONTHS} | {"sept": "september", "march": "march"}

_NUMBER_WORDS = (
    "zero|one first|two second|three third|four fourth|five fifth|six sixth|seven seventh|eight eighth|nine ninth|"
    "ten tenth|eleven eleventh|twelve twelfth|thirteen thirteenth|fourteen fourteenth|fifteen fifteenth|"
    "sixteen sixteenth|seventeen seventeenth|eighteen eighteenth|nineteen nineteenth|twenty twentieth"
)
NUMBER_WORDS = {word: str(value) for value, names in enumerate(_NUMBER_WORDS.split("|")) for word in names.split()}
# These become digits where they stand; "one" and the ordinals have other uses too and are only compared as numbers.
CARDINALS = {
    names.split()[0]: str(value) for value, names in enumerate(_NUMBER_WORDS.split("|")) if names != "one first"
}
# "xi" is left out: it is a name, and the president's at that.
ROMAN_NUMBERS = {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xii": "12", "xiii": "13",
    "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17", "xviii": "18", "xix": "19", "xx": "20",
}  # fmt: skip
ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10", "xi": "11"}  # numbers behind a word such as "part" only

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


def _groups(table: str) -> dict[str, int]:
    lines = table.strip().splitlines()
    return {word: number for number, line in enumerate(lines) for word in line.split()}


def _opposites(table: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in table.strip().rstrip(";").split(";"):
        left, right = (side.split() for side in row.split("|"))
        for words, others in ((left, right), (right, left)):
            for word in words:
                found.setdefault(word, set()).update(others)
    return {word: frozenset(others) for word, others in found.items()}


NUMBERS_BY_WORD = (
    NUMBER_WORDS | ROMAN_NUMBERS | {name: name for name in (*MONTHS, *WEEKDAYS) if name not in MONTHS_BESIDE_NUMBERS}
)
SAME = _groups(SAME_GROUPS)
OPPOSITE = _opposites(OPPOSITES)
OPPOSITE_TEXTS = [tuple(pair.split()) for line in OPPOSITE_CHARACTERS.strip().splitlines() for pair in line.split("|")]
