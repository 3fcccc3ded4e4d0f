"""What stands in articles and says nothing of what they tell, as patterns in seven languages. Data.

`BEGINNINGS` are how such a sentence begins, `ANYWHERE` what gives it away wherever it stands; before `::` are words of
which one has to be there, because those are found faster than a pattern. A line is a pattern, an indented one goes on
with it; all are matched in lower case.

They follow what feeds hold and how publishing systems word it. Each is so long that news about subscribing, cookies,
photographs or rights is not caught: where one word is all there is, it has to be followed by a colon, or to be the
whole line (`_LABELS`).
"""

_LABELS = """
correction clarification disclaimer disclosure advertisement advertising sponsored promoted promotion tag tags category
categories topic topics keyword keywords source sources via credit credits image images photo photos photograph picture
pictured video watch listen read gallery caption illustration graphic map chart above below isbn doi transcript related
recommended newsletter podcast menu share print next previous trending loading
anzeige werbung quelle quellen foto fotos bild bilder video grafik archivbild symbolbild symbolfoto bildunterschrift
impressum datenschutz redaktion lesetipp
publicité crédit crédits légende vidéo photographie partager
publicidad anuncio fotografía imagen vídeo crédito créditos fuente boletín
фото видео источник автор редактор текст иллюстрация реклама теги
"""
_LABELS_HAN = """
广告 廣告 热门 熱門 来源 來源 资料来源 資料來源 原标题 原標題 原文 声明 聲明 视频 影片 图片 圖片 图源 圖源 图 圖
图说 圖說 注 註 责任编辑 責任編輯 责编 責編 编辑 編輯 记者 記者 作者 撰文 文 校对 校對 审核 監製 监制 主編 主编
翻译 翻譯 编译 編譯 摄影 攝影 出品 広告 写真 画像 動画 撮影 取材 執筆 編集 聞き手 出典 引用元 情報元 ソース PR
提供 スポンサー 図 イラスト
"""

BEGINNINGS = rf"""
(?:{"|".join(_LABELS.split())})\s?(?:[:|©]|\Z)
(?:{"|".join(_LABELS_HAN.split())})(?:提供|撮影|写真)?\s?(?:[:：/／|｜＝=丨・]|\Z)
(?:editor|author)['’]?s['’]? note\b
(?:image|photo|picture|video|audio) (?:source|caption|credit|copyright)\b
(?:figure|fig\.|table|chart|photo|image) ?\d+[:.]
(?:note to readers|spoiler alert|content warning|trigger warning|about the author|paid (?:content|post))\b
sign up (?:for|to|here|now|below|today)\b
(?:please )?(?:subscribe|unsubscribe) (?:to|now|here|today|for|via|on|and|below|at)\b
(?:please )?(?:consider )?(?:subscribing|donating|becoming a (?:member|patron|subscriber|supporter))\b
become an? (?:member|patron|subscriber|supporter)\b
(?:read|learn|find out|discover|hear|see|watch|listen to) (?:more|also|next|our|full|the full|the rest)\b
(?:you can )?(?:read|watch|listen to|find|download|view|see) (?:the )?(?:full|whole|entire|original|complete) \w+\b
(?:continue|keep) reading\b
(?:be sure to |go |you can |please )?check out\b
(?:click|tap) (?:here|on|the|below|through)\b
(?:also|must|further|related|more) (?:read|watch|reading|stories|articles|posts|coverage)(?::|\Z)
(?:more (?:from|on)|see also|you (?:may|might) also like|up next|most read|top stories|latest news)\b[^.!?]*\Z
share (?:this|on|via|your thoughts)\b
(?:please )?(?:share|retweet|like) (?:and|or) (?:subscribe|follow|share|comment)\b
(?:like|follow|join|find|connect with|visit|contact|e-?mail|write to|support|tweet|message) (?:us|me)\b
follow .{{1,60}} on (?:twitter|x\b|facebook|instagram|bluesky|mastodon|threads|linkedin|youtube|tiktok|telegram)
join (?:our|the conversation|the discussion|my|thousands)\b
(?:download|install|get) (?:our|my|the (?:free |new |mobile |official )*app)\b
(?:get|receive|have) .{{0,80}}(?:inbox|delivered|newsletter|notifications|to your phone)\b
(?:enter|provide|submit|confirm) your (?:e-?mail|name|address|details)\b
(?:never|don['’]?t) miss (?:a|an|out|our|the latest)\b
stay (?:up.to.date|tuned|informed|connected|in touch|in the loop)\b
(?:leave|post|add|write) (?:a|your) (?:comment|reply|review)\b
(?:let us|let me) know (?:in|what|if|your|on|via)\b
comments? (?:are|is) (?:now )?(?:closed|open|disabled|off)\b
if you .{{0,80}}(?:subscri|newsletter|follow|share (?:it|this)|patreon|sign up|donat|coffee|please)
(?:thank you|thanks) (?:so much |very much )?for (?:reading|listening|watching|subscribing|visiting|your)\b
(?:your|my|our) (?:support|donation|contribution|subscription)s? (?:help|make|allow|keep|enable)\b
(?:support|help us|fund) (?:our|independent journalism|quality journalism)\b
(?:we use|this (?:site|website|page|blog) uses) .{{0,30}}cookies
by (?:clicking|signing up|subscribing|submitting|continuing to|using (?:this|our)) .{{0,80}}(?:agree|accept|consent)
(?:we value|we respect|we care about) your (?:privacy|data)\b
(?:accept|reject|manage|allow) (?:all )?(?:cookies|preferences)\b
(?:please )?(?:enable|turn on|disable|turn off|allow) (?:javascript|cookies|your ad|ads|notifications)\b
(?:your|this|the) browser (?:does not|doesn['’]?t|is not|isn['’]?t|must)\b
javascript (?:is|must be) (?:disabled|enabled|required|not)\b
you (?:can|may|have) (?:unsubscribe|opt out|change your preferences|been subscribed|successfully)\b
(?:check|watch) your (?:inbox|spam|e-?mail)\b
(?:this|the) (?:article|story|post|piece|report|essay|interview|episode|column|transcript|excerpt|blog post|
    entry) (?:was|is|has been|have been|first|originally|also)\b.{{0,40}}(?:published|appeared|posted|updated|
    produced|edited|corrected|syndicated|republished|adapted|written by|translated|sponsored|generated|part of (?:a|
    our|the) series)
(?:this|the) (?:article|story|post|page) (?:may )?contains? (?:affiliate|sponsored)\b
(?:originally|first|previously) (?:published|posted|appeared) (?:on|in|at|by)\b
(?:a|an earlier) version of this (?:article|story|post|report)\b
(?:published|posted|filed|updated|last updated|last modified|reported|compiled|edited|photographed|hosted|
    reviewed) (?:on|at|by|under)\b[^.]{{0,60}}\.?\Z
(?:additional )?(?:reporting|writing|editing|research|production|photography) by\b
with (?:files|additional reporting|reporting|inputs|agency inputs) (?:from|by)\b
(?:photos?|pictures?|images?|illustrations?|graphics?|video|screenshots?) (?:by|courtesy|credit|via|supplied)\b
(?:file|stock|handout|archive|undated) (?:photo|picture|image)\b
(?:a|an|this|in this) (?:\w+ ){{0,3}}(?:file|handout|undated|combination) (?:photo|picture|image|photograph)\b
(?:copyright (?:\(c\)|©|\d|by)|\(c\)|©|no part of this|reproduction (?:in|of) whole)
(?:terms (?:of (?:use|service)|and conditions)|(?:privacy|cookie) (?:policy|notice))\b
(?:as an amazon associate|we (?:may )?(?:earn|receive) (?:a |an )?(?:small )?(?:commission|affiliate))\b
(?:use|enter) (?:the )?(?:promo |discount |coupon )?code\b
(?:learn more about your ad choices|our sponsors|today['’]s sponsor|brought to you by|show notes)\b
this (?:episode|show|podcast|newsletter|week['’]s) .{{0,50}}(?:sponsor|brought to you|supported by)
hosted (?:by|on) (?:simplecast|acast|ausha|buzzsprout|anchor|megaphone)\b
(?:rate|review) (?:us|the show|and review)\b
listen (?:on|now|via|here|wherever)\b
(?:you can )?(?:find|follow) (?:us|me|him|her|them|the show) (?:on|at)\b
music (?:by|from|credits?)\b
(?:view|comment on|discuss|reply|share|print|save|bookmark) (?:this|on|via|post|comments|by e-?mail|
    original)\b[^.]{{0,60}}\.?\Z
(?:buy|order|pre-?order|get|shop|book|grab|register|apply|donate|rsvp) (?:it |yours? |the book |tickets? |
    one )?(?:now|here|today|online)\b
tickets (?:are (?:available|on sale)|cost|can be|go on sale)\b
for (?:more|further|additional|full) (?:information|details|news|stories|coverage|on this|about)\b
to (?:read|subscribe|sign|register|log in|learn|find out|contact|unsubscribe|comment|rate|
    donate)\b.{{0,60}}(?:click|visit|here\b|e-?mail|please|below|now\b)
please (?:read|subscribe|sign|register|log in|contact|donate|visit|rate|e-?mail|support|share|follow)\b
(?:log|sign) in (?:to|here|or|now)\b
(?:skip to|table of contents|back to top|page not found|access denied)\b
(?:hello|hi|hey|welcome)[ ,!]+(?:everyone|all|there|folks|friends|readers|back|to (?:the|my|our|another|this|
    episode))\b
\w[\w .]{{0,40}} is an? (?:\w+[ -]){{0,6}}(?:staff writer|contributing (?:editor|writer)|freelance (?:writer|
    journalist)|columnist|correspondent|reporter) (?:for|at|with|based|covering)\b
(?:hier|jetzt|bitte) (?:klicken|abonnieren|anmelden|registrieren|weiterlesen|lesen|testen|mitdiskutieren)\b
(?:melden sie sich|melde dich|registrieren sie sich|abonnieren sie|folgen sie|folge uns|folgt uns|teilen sie)\b
(?:besuchen sie|klicken sie|lesen sie|hören sie|sehen sie|verpassen sie|diskutieren sie) (?:hier|auch|uns|mehr|
    nichts|keine|jetzt|mit|dazu|unser)
(?:mehr zum thema|mehr dazu|weiterlesen|das könnte sie|auch interessant|alle rechte vorbehalten)\b
mehr (?:nachrichten|news|infos?|informationen) .{{0,40}}(?:hier|unter|finden|auf)\b
(?:hinweis|anmerkung) der redaktion\b
(?:dieser|dieses|diese) (?:artikel|beitrag|text|interview|meldung|inhalt) .{{0,50}}(?:erschien|veröffentlicht|
    aktualisiert|stammt|automatisch|affiliate|werbe)
(?:wir|diese (?:seite|website)) (?:verwenden|nutzen|setzen|verwendet|nutzt) .{{0,30}}cookies
(?:mit material|mit informationen) (?:von|der)\b
(?:inscrivez-vous|abonnez-vous|connectez-vous|suivez(?:-nous| nos| notre)|partagez|cliquez|déjà abonné)\b
(?:lire (?:aussi|la suite|plus|également|notre)|lire l['’]article|à (?:lire|voir|écouter)(?: aussi)?\s?:|voir aussi)
pour (?:aller plus loin|en savoir plus|lire la suite)\b
(?:retrouvez|recevez|rejoignez|téléchargez|découvrez|consultez) (?:aussi|nos|notre|toute|l['’]offre|
    l['’]application)\b
(?:la suite (?:après|est réservée)|il vous reste|ne (?:manquez|ratez) (?:pas|plus|rien)|sur le même (?:sujet|thème))\b
(?:article|contenu) réservé\b
(?:image|photo) d['’]illustration\b
(?:tous droits réservés|mentions légales|nos derniers articles)\b
(?:nous utilisons|ce site utilise) .{{0,30}}cookies
en (?:poursuivant|cliquant) .{{0,60}}(?:acceptez|cookies)
(?:cet|cette|ce) (?:article|tribune|entretien|texte|contenu|reportage) .{{0,50}}(?:publié|paru|initialement|
    mis à jour|traduit|sponsorisé|réservé)
\(?avec (?:l['’])?(?:afp|reuters|agences)\b
(?:suscríbete|suscríbase|regístrate|regístrese|síguenos|síganos|apúntate|únete)\b
sigue .{{1,40}} en (?:twitter|facebook|instagram|x\b|nuestr)
(?:comparte|compartir) (?:este|esta|en|la nota|con tus)\b
(?:haz|haga) clic\b
(?:lee|lea|leer|mira|vea|ver|seguir) (?:también|más|aquí|leyendo|el artículo)\b
(?:también )?(?:te|le) (?:puede|podría) interesar\b
(?:recibe|descarga) (?:nuestr|las noticias|en tu|gratis|todas|la app|la aplicación)
no te (?:pierdas|lo pierdas)\b
(?:pie de foto|todos los derechos|derechos reservados|aviso legal|política de (?:privacidad|cookies))\b
(?:utilizamos|usamos|este sitio (?:web )?(?:usa|utiliza)) .{{0,30}}cookies
(?:con información de|inicia sesión|contenido (?:exclusivo|patrocinado|relacionado)|más información (?:en|aquí|
    sobre))\b
(?:este|esta) (?:artículo|texto|nota|contenido|entrevista) .{{0,50}}(?:publicad|apareci|actualizad|patrocinad|
    traducid)
(?:подпис(?:ывайтесь|ывайся)|подпишитесь|подпишись|присоединяйтесь|вступайте|скачайте|комментируйте)\b
(?:читайте|читать|смотрите|смотреть) (?:также|нас|далее|больше|другие|подробнее|полностью|видео|онлайн)\b
(?:подробнее\W*(?:[—:-]|на|в|здесь|читайте|по ссылке)|узнать больше|больше новостей|ещ[её] больше)\b[^.]{{0,80}}\.?\Z
следите за (?:нами|нашими|новостями|обновлениями)\b
(?:нажмите|поделитесь|поделиться|ставьте|оставьте комментар|оставляйте)
(?:напомним,? (?:что )?)?ранее (?:мы|«[^»]*»|редакция|издание|сайт|портал).{{0,30}}(?:писал|сообщал|рассказывал|
    информировал)
как (?:ранее )?(?:сообщал|писал|информировал)(?:а|о|и)? (?:наш|сайт|портал|редакция|мы)
(?:на правах рекламы|партн[её]рский материал|новости по теме|другие новости|самые важные новости)\b
при (?:полном|частичном|копировании|использовании|цитировании|перепечатке) .{{0,60}}(?:ссылка|гиперссылка|обязательн)
(?:перепечатка|все права защищены)\b
(?:мы используем|(?:этот )?сайт использует) .{{0,30}}(?:cookie|куки)
(?:если вы )?(?:нашли|заметили) (?:ошибку|опечатку)
(?:хотите (?:узнать|получать|больше|знать)|дорогие (?:читатели|друзья)|мы (?:в|есть в) (?:telegram|facebook|
    телеграм|вк))\b
(?:点击|點擊|点此|點此|扫码|掃碼|扫描|掃描|长按|長按)
(?:关注|關注|订阅|訂閱|追踪|追蹤)(?:我们|我們|本|微信|公众号|公眾號)
(?:加入|成为|成為)(?:我们|我們|会员|會員)
(?:下载|下載)(?:app|客户端|我们|我們|本|「|《)
立即(?:订阅|訂閱|下载|下載|注册|註冊|购买|購買|加入|报名|報名)
更多(?:新闻|新聞|内容|內容|精彩|资讯|資訊|报道|報道|相关|相關)
(?:阅读|閱讀|查看|继续|繼續|延伸|相关|相關|推荐|推薦)(?:更多|全文|原文|阅读|閱讀|新闻|新聞|报道|報道|報導|文章|链接)
(?:看更多|全文见|全文見|原文链接|原文連結|你可能(?:也|还|還)|您可能(?:也|还|還))
(?:记者|記者|文|图|圖|编辑|編輯)[\s　]+\S{{2,4}}\Z
(?:图|圖)(?:为|為)
本文(?:来自|來自|作者|由|首发|首發|系|转载|轉載|经|經)
(?:欢迎|歡迎)(?:关注|關注|订阅|訂閱|留言|投稿|转发|轉發|加入|扫|掃)
感(?:谢|謝)(?:阅读|閱讀|收听|收聽|收看|您的)
(?:版权|版權)(?:所有|归|歸|声明|聲明)
(?:转载|轉載)(?:请|請|自|于|於|需|须|須)
(?:未经|未經)(?:授权|授權|许可|許可|允许|允許|同意|本)
(?:免责|免責)(?:声明|聲明|事項)
如果(?:您|你)(?:喜欢|喜歡|觉得|覺得)
(?:続きを読む|続きは|もっと読む|全文を読む|記事全文|あわせて読みたい|合わせて読みたい|人気記事|おすすめ(?:の)?記事)
(?:詳しくは|詳細は|詳細を)(?:こちら|公式|下記|以下|ホームページ|サイト|HP|、)
(?:関連記事|関連リンク|関連ニュース|関連サイト)
(?:メルマガ|メールマガジン|会員登録|無料登録|チャンネル登録|購読(?:する|して|\Z)|ログイン(?:する|して|が必要|\Z))
(?:この|本)(?:記事|コラム|連載)は.{{0,40}}(?:掲載|公開|転載|提供|配信|会員|有料)
(?:当|本)サイト
(?:クリック|シェア|フォロー)(?:する|して|\Z)
(?:無断転載|転載(?:禁止|を禁))
(?:※|＊|◇|◆|■|▼|▶|◎|►|→|»|👉)
[【\[](?:写真|画像|動画|関連|あわせて|PR|広告|イラスト|図)
"""

ANYWHERE = r"""
appeared :: \bappeared first on\b|\bfirst appeared (?:on|in|at)\b|\b(?:originally|first) appeared (?:on|at) \w+
published|posted :: \b(?:originally|first) (?:published|posted) (?:on|at) \w+
rights reserved :: \ball rights reserved\b
sign up :: \bsign up for (?:our|my|free|a free|.{0,30}newsletter)\b
subscrib :: \b(?:subscribe|subscribing) to (?:our|my|this) \w+|\bunsubscribe\b
inbox :: \b(?:to|in) your inbox\b
click|tap :: \b(?:click|tap) (?:here|below|the (?:link|button))\b
follow :: \bfollow (?:us|me|him|her|them) (?:on|at) \w+
@ :: \bon (?:twitter|x|instagram|bluesky|mastodon|threads) ?(?:at )?\(?@\w
privacy :: \bour privacy policy\b
cookies :: \b(?:accept|use of|uses|use) cookies\b
contributed :: \bcontributed to this (?:report|story|article|post)\b
this :: \bthis (?:article|story|post|report) was (?:originally|first|last|updated|produced|published|written|edited)\b
getty|shutterstock|alamy|unsplash :: (?:[/|©(]|\bvia|\bby|\bcourtesy) ?(?:getty|shutterstock|alamy|unsplash)
getty|shutterstock|alamy|unsplash :: (?:getty images|shutterstock|alamy|unsplash)(?: photos?)?[)\].]*\Z
photo|images :: \b(?:ap|afp|reuters|epa|file|stock) photo\b|\(photos? (?:by|courtesy)|\bphoto d['’]illustration\b
photo|image|picture|credit :: \b(?:photo|image|picture|credit)s?\s?:\s|\bcrédit photo\b
coffee|patreon|paypal|ko-fi :: \b(?:buy me a coffee|on patreon|via paypal|ko-fi)\b
podcasts|megaphone|omny|acast :: \b(?:apple podcasts|google podcasts|megaphone\.fm|omnystudio|acast\.com)\b
wherever you :: \bwherever you (?:get|listen)\b
advertisement :: \badvertisement\s*\Z
read more :: \bread more\s*[.…»›→]*\Z
continue reading :: \bcontinue reading\b.{0,80}\Z
reporting by :: \breporting by\b.{0,120}\bediting by\b
affiliate :: \baffiliate links?\b
code :: \b(?:discount|promo|coupon) code\b
comment :: \b(?:in the comments|comments below|comment section)\b
below|above :: \b(?:photos?|pictures|video|trailer|clip|gallery|images) (?:above|below)\b
watch :: \bwatch the (?:full )?(?:video|clip) (?:above|below|here)\b
newsletter :: \bzum newsletter\b|\bnewsletter (?:abonnieren|anmelden)\b|\b(?:notre|nuestra) newsletter\b
foto|bild|quelle|fuente|imagen :: \b(?:foto|bild|quelle|fuente|imagen): |\bfoto ©
alle rechte|droits réservés|derechos reservados :: .
права защищены|ctrl+enter|ctrl + enter|читайте также|подписывайтесь|подпишитесь :: .
nuestro|nuestra :: \bnuestr[oa] (?:boletín|canal)\b
наш :: \bнаш(?:ем|его|ему)? (?:telegram|телеграм|viber|facebook|youtube)
фото :: \bфото:\s
关注|關注|订阅|訂閱 :: (?:关注|關注|订阅|訂閱)(?:我们|我們|本号|公众号|公眾號|微信)
微信公众号|微信公眾號|扫码|掃碼|版权所有|版權所有|责任编辑|責任編輯|注明出处|註明出處 :: .
点击|點擊 :: (?:点击|點擊)(?:这里|這裡|此处|此處|链接|連結|查看|阅读|閱讀|下方|上方)
無断転載|続きを読む|続きはこちら|詳しくはこちら|詳細はこちら|メルマガ登録|チャンネル登録 :: .
フォローして|購読して :: (?:フォロー|購読)して(?:ください|ね|くださいね)
"""
