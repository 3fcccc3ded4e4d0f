"""Words that comparing and finding names needs: spellings of places, titles, legal forms, and what is no name. Data.

All entries are normalized as `feeds.dedup.names.normalized` does it: lower case, no dots in abbreviations. The tables
are short on purpose: they hold what news of any day is full of, and what a reading of labelled news showed to be
mistaken for names most often. What is missing costs a match, never makes a wrong one.
"""

# The first spelling is the canonical one; the others are its abbreviations, people, and names in other languages.
_COUNTRIES = """
united states | us | usa | america | united states of america | american | americans | états-unis | etats-unis
 | américain | estados unidos | ee uu | eeuu | eua | vereinigte staaten | stati uniti | сша
 | соединенные штаты | 美国 | 美國 | アメリカ | 米国
united kingdom | uk | britain | great britain | gb | british | briton | britons | royaume-uni | grande-bretagne
 | britannique | reino unido | großbritannien | regno unito | великобритания | 英国 | 英國 | イギリス
united arab emirates | uae | emirates | emirati | émirats arabes unis | emiratos árabes unidos | оаэ | 阿联酋
russia | russian | russians | russian federation | russie | russe | rusia | russland | россия | рф
 | 俄罗斯 | 俄羅斯 | ロシア
china | chinese | prc | chine | chinois | китай | кнр | 中国 | 中國
ukraine | ukrainian | ukrainians | ukrainien | ucrania | украина | 乌克兰 | 烏克蘭 | ウクライナ
germany | german | germans | allemagne | allemand | alemania | deutschland | germania | германия | 德国 | 德國 | ドイツ
france | french | français | francia | frankreich | франция | 法国 | 法國 | フランス
japan | japanese | japon | japón | япония | 日本
south korea | south korean | south koreans | republic of korea | corée du sud | corea del sur | südkorea
 | южная корея | 韩国 | 韓國 | 韓国
north korea | north korean | north koreans | dprk | corée du nord | corea del norte | nordkorea | кндр | северная корея
 | 朝鲜 | 北朝鮮
india | indian | indians | inde | indien | индия | 印度 | インド
israel | israeli | israelis | israël | israélien | израиль | 以色列 | イスラエル
iran | iranian | iranians | iranien | иран | 伊朗 | イラン
iraq | iraqi | iraqis | irak | ирак | 伊拉克 | イラク
syria | syrian | syrians | syrie | siria | syrien | сирия | 叙利亚 | シリア
turkey | turkish | türkiye | turk | turks | turquie | turquía | türkei | турция | 土耳其 | トルコ
egypt | egyptian | egyptians | égypte | egipto | ägypten | египет | 埃及 | エジプト
saudi arabia | saudi | saudis | arabie saoudite | arabia saudita | саудовская аравия
 | 沙特 | 沙特阿拉伯 | サウジアラビア
palestine | palestinian | palestinians | palestinien | палестина | 巴勒斯坦 | パレスチナ
lebanon | lebanese | liban | líbano | libanon | ливан | 黎巴嫩
afghanistan | afghan | afghans | афганистан | 阿富汗
pakistan | pakistani | pakistanis | пакистан | 巴基斯坦
canada | canadian | canadians | canadien | canadá | kanada | канада | 加拿大 | カナダ
mexico | mexican | mexicans | mexique | méxico | mexiko | мексика | 墨西哥 | メキシコ
brazil | brazilian | brazilians | brésil | brasil | brasilien | бразилия | 巴西 | ブラジル
argentina | argentine | argentinian | argentinians | argentine | аргентина | 阿根廷 | アルゼンチン
venezuela | venezuelan | venezuelans | венесуэла | 委内瑞拉
australia | australian | australians | australie | australien | австралия | 澳大利亚 | オーストラリア
new zealand | new zealander | new zealanders | nz | nouvelle-zélande | новая зеландия | 新西兰
spain | spanish | spaniard | spaniards | espagne | espagnol | españa | spanien | испания | 西班牙 | スペイン
italy | italian | italians | italie | italien | italia | италия | 意大利 | イタリア
greece | greek | greeks | grèce | grecia | griechenland | греция | 希腊 | ギリシャ
netherlands | dutch | holland | pays-bas | países bajos | niederlande | нидерланды | 荷兰 | オランダ
belgium | belgian | belgians | belgique | belge | бельгия | 比利时
switzerland | swiss | suisse | suiza | schweiz | швейцария | 瑞士 | スイス
austria | austrian | austrians | autriche | österreich | австрия | 奥地利
sweden | swedish | swede | swedes | suède | suecia | schweden | швеция | 瑞典
norway | norwegian | norwegians | norvège | noruega | norwegen | норвегия | 挪威
denmark | danish | dane | danes | danemark | dänemark | дания | 丹麦
finland | finnish | finn | finns | finlande | финляндия | 芬兰
poland | polish | pole | poles | pologne | polonia | polen | польша | 波兰 | ポーランド
ireland | irish | irlande | irlanda | irland | ирландия | 爱尔兰
portugal | portuguese | portugais | португалия | 葡萄牙
hungary | hungarian | hungarians | hongrie | ungarn | венгрия | 匈牙利
belarus | belarusian | belarusians | biélorussie | беларусь | белоруссия | 白俄罗斯
kazakhstan | kazakh | казахстан | 哈萨克斯坦
south africa | south african | south africans | afrique du sud | южная африка | юар | 南非
nigeria | nigerian | nigerians | нигерия
kenya | kenyan | kenyans
ethiopia | ethiopian | ethiopians
sudan | sudanese
south sudan | south sudanese
somalia | somali | somalis | somalian
yemen | yemeni | yemenis
libya | libyan | libyans | ливия
indonesia | indonesian | indonesians | 印度尼西亚 | 印尼
philippines | filipino | filipinos | philippine | 菲律宾
vietnam | vietnamese | 越南
thailand | thai | thais | 泰国
singapore | singaporean | singaporeans | 新加坡
malaysia | malaysian | malaysians | 马来西亚
taiwan | taiwanese | 台湾 | 台灣
hong kong | hong konger | hong kongers | hk | 香港
georgia | грузия
armenia | armenian | armenians | армения
azerbaijan | azerbaijani | азербайджан
uzbekistan | uzbek | узбекистан
moldova | moldovan | молдавия | молдова
romania | romanian | romanians | roumanie | rumänien | rumania | румыния | 罗马尼亚
bulgaria | bulgarian | bulgarians | болгария
serbia | serbian | serbs | сербия | 塞尔维亚
croatia | croatian | croatians | хорватия
czech republic | czech | czechia | czechs | tschechien | чехия | 捷克
latvia | latvian | latvians | латвия
lithuania | lithuanian | lithuanians | литва
estonia | estonian | estonians | эстония
cuba | cuban | cubans | куба | 古巴
colombia | colombian | colombians | kolumbien | колумбия
chile | chilean | chileans | чили
peru | peruvian | peruvians | perú
bangladesh | bangladeshi | bangladeshis
myanmar | burmese | мьянма | 缅甸
europe | european | europeans
scotland | scottish | scot | scots
"""

_ORGANIZATIONS = """
european union | eu | ue | union européenne | unión europea | europäische union | unione europea | ес | евросоюз
 | европейский союз | 欧盟
united nations | un | onu | nations unies | naciones unidas | vereinte nationen | nazioni unite | оон | 联合国 | 国連
nato | otan | нато | 北约
world health organization | oms | воз | 世卫组织 | 世界卫生组织
international monetary fund | imf | fmi | мвф
european central bank | ecb | bce | ezb
federal reserve | fed | us federal reserve
world trade organization | wto | omc | вто
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _spellings(table: str) -> dict[str, str]:
    """Every spelling in a table, its canonical one included, with the canonical one."""
    rows = [[cell.strip() for cell in row.split("|")] for row in table.replace("\n |", " |").strip().splitlines()]
    return {spelling: row[0] for row in rows for spelling in row}


COUNTRIES = _spellings(_COUNTRIES)
KNOWN_ORGANIZATIONS = _spellings(_ORGANIZATIONS)

TITLES = _words(
    """mr mrs ms miss mx dr sir dame lord lady prof professor president ex-president vice-president chancellor
    premier minister secretary senator sen rep congressman congresswoman gov governor mayor judge justice attorney
    gen col lt sgt capt cpl pvt maj adm rev fr father sister archbishop bishop cardinal sheikh imam coroner detective
    officer coach ceo cfo cto actor actress singer
    m mme mlle monsieur madame président présidente ministre maître
    herr frau präsident präsidentin bundespräsident bundeskanzler bundeskanzlerin kanzler kanzlerin minister ministerin
    señor señora sr sra don doña presidente presidenta ministro ministra senador signor signora senhor senhora
    г-н г-жа господин госпожа президент премьер министр премьер-министр глава губернатор мэр депутат генерал сенатор
    президента президенту президентом министра главы премьера премьер-министра губернатора"""
)  # before a name; a title with a second meaning in names of organizations (General Motors) is not among them

LEGAL_FORMS = _words(
    """inc incorporated ltd limited llc llp lp plc corp corporation co company pty gmbh ag kg kgaa se sa sas sarl srl
    spa nv bv ab asa oy oyj kk pte bhd"""
)  # after a name
LEGAL_FORMS_BEFORE = _words("ооо пао оао зао ао фгуп")

SUFFIXES = _words("jr sr ii iii iv")  # after a person's surname

DAYS_AND_MONTHS = _words(
    """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday
    lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre
    octobre novembre décembre
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar jänner februar märz juni juli oktober
    dezember
    lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre
    octubre noviembre diciembre
    понедельник вторник среда четверг пятница суббота воскресенье января февраля марта апреля мая июня июля августа
    сентября октября ноября декабря"""
)

FUNCTION_WORDS = _words(
    """the a an and or but of in on at to for from by with as is are was were be been it its he she they we you i this
    that these those his her their our my not no new how why what when where who which if so up out off after before
    over more most all one two three first
    le la les un une des du de et ou mais dans sur à au aux pour par avec est ce cette ces il elle ils elles nous vous
    on son sa ses leur selon après comme si qui que
    der die das den dem des ein eine einen einem einer und oder aber im in am an auf zu zum zur für von vom mit bei nach
    aus ist sind war wie was wer wenn als auch es er sie wir ihr ich seine ihre nicht nur noch so dass doch bis um unter
    über gegen vor seit laut dabei damit dann dort hier heute gestern viele alle diese dieser dieses
    el los las una unos unas y o pero en con por para según se su sus lo al del es son fue como más sin sobre entre tras
    esta este estos cuando donde también ya no
    il lo gli i uno e ma nel nella dei degli della delle con per tra fra da dal sono è non che più
    os as um uma em no na dos das com não mais
    het een en van voor met op te is niet dat
    в во на с со из и а но не что как по за от до при для о об он она они мы вы я это эта этот все после также
    где когда если чтобы уже его ее её их ранее напомним отметим наш однако кроме сейчас сегодня вчера так
    там тем теперь
    ο η το οι τα του της των και στο στη στην από για με σε"""
)

NOT_NAMES = (
    DAYS_AND_MONTHS
    | FUNCTION_WORDS
    | _words(
        """breaking update updated exclusive report reports news video watch live opinion analysis photos read more
        ai ceo cfo cto pm mp vp ev it tv pc hr pr faq diy url api gmt utc est pst am ir vs covid gdp ipo ddos dui
        press republican republicans democrat democrats democratic internet web lawyer police officials
        reuters ap afp dpa pti ani efe ansa tass xinhua bloomberg тасс интерфакс риа рбк новости"""
    )
)
AGENCIES = frozenset({"associated press", "getty images", "риа новости", "agence france-presse"})  # sources, not news
