"""Characters and words of Chinese and Japanese that no label is made of. Data, from headlines and their templates."""

from digests.labels.word_tables import words_in

# Characters of grammar: no term grows over them.
GRAMMAR = "的了着過过於于和與与及是被將将把也就都又还還已之其并並而或由為为則则但這这那該该此們们吗嗎呢吧啊很最更曾"

# Characters that seldom begin a word, or end one: half a word, where a term with them has an odd number of characters.
NOT_FIRST = "向就以對对從从至到再遭獲获稱称指約约近逾達达有料後后等個个名宗涉"
NOT_LAST = "約约逾達达料向就以對对從从至到再遭有等個个稱称較较報报"

# Words of reporting, of pages, of time and the like.
EMPTY = words_in(
    """表示 指出 報道 报道 报导 報導 記者 记者 消息 認為 认为 宣布 宣佈 透露 強調 强调 新聞 新闻 視頻 视频 圖片
    图片 最新 今日 今天 今早 今晚 昨日 昨天 明天 明日 日前 目前 可以 可能 進行 进行 相關 相关 有關 有关 問題
    问题 其中 以及 他們 他们 我們 我们 沒有 没有 成為 成为 編輯 编辑 責任 责任 发布 發布 發佈 更新 直播 独家
    獨家 快訊 快讯 正在 已經 已经 首次 附近 因為 因为 所以 如果 不過 不过 出現 出现 情況 情况 星期一 星期二 星期三
    星期四 星期五 星期六 星期日 週一 周一 本報 本报 本台 據報 据报 月份 年度 時間 时间 去年 今年 明年 上月
    本月 本周 下午 上午 早上 晚上 不少 多人 較早 较早 出任 開始 开始 発表 速報 動画 写真 会見 ニュース 詳細
    記事 続き 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 午前 午後 本日 現在 記者会見 ライブ 配信 関連
    昨年 来年 来月 先月 今月 今週 来週 先週"""
)
