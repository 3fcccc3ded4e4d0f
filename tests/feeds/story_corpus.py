"""A small day of news written for the tests: copies, rewritten reports, similar events, revisions, two languages.

`REPORTS` are drafts by the feed that carries them; `STORIES` says which belong together, by the last part of the URL.
"""

from datetime import UTC, datetime, timedelta

from feeds.normalizing.draft import Draft
from feeds.normalizing.text import count_words
from tests.make_draft import draft

DAY = datetime(2026, 3, 4, 6, 0, tzinfo=UTC)

FERRY = (
    "A ferry with 214 people on board ran aground off Port Mellow early on Wednesday when its engines failed in heavy "
    "swell. Coast guard captain Ines Varga said all passengers were brought ashore by noon and nobody was badly hurt. "
    "The operator Northline Ferries has stopped all its crossings until the vessel has been inspected by the harbour "
    "authority, and asked travellers to wait for word before they set out for the terminal."
)
FERRY_EDITED = FERRY.replace("early on Wednesday", "on Wednesday morning").replace("badly hurt", "seriously hurt")
BRIDGE = (
    "Engineers closed the Lindham bridge on Wednesday when an inspection found cracks in two of its main cables. Mayor "
    "Tomas Reyl called the closure a precaution that may last until summer, and said buses would take the tunnel. "
    "Shopkeepers on both banks fear for their trade, since eleven thousand cars a day used the crossing."
)
CHIP = (
    "Chip maker Quantora will build a factory near Ostvik for nine billion euros, chief executive Mira Holt said on "
    "Wednesday. The plant is to make processors for cars from 2028 on and to employ two thousand. The government "
    "pays a fifth of the cost, which the opposition calls a gift to a company that has just cut jobs elsewhere."
)
ZH_RAIL = (
    "港铁湾仔站周三早上发生信号故障，列车服务一度暂停，数千名乘客滞留。铁路公司表示，一辆工程车的部件脱落，"
    "阻塞了路轨，维修人员中午前已完成抢修，列车服务逐步恢复正常。运输署要求公司在一个月内提交事故调查报告。"
)


def _report(
    feed: str, name: str, title: str, text: str = "", *, hours: float = 0, url: str = "", language: str = "en"
) -> tuple[str, Draft]:
    words, characters = count_words(text)
    return feed, draft(
        f"{feed}-{name}",
        url=url or f"https://{feed}.example/{name}",
        title=title,
        text=text,
        published_at=DAY + timedelta(hours=hours),
        language=language,
        word_count=words + characters,
    )


REPORTS: tuple[tuple[str, Draft], ...] = (
    # one text, three publishers, one of them edited; a fourth with the headline alone
    _report("coast", "ferry", "Ferry with 214 on board runs aground off Port Mellow", FERRY),
    _report("wire", "ferry-wire", "Ferry with 214 on board runs aground off Port Mellow", FERRY, hours=1),
    _report("herald", "ferry-edit", "All safe after Port Mellow ferry runs aground with 214", FERRY_EDITED, hours=2),
    _report("links", "ferry-link", "UPDATE: Ferry with 214 on board runs aground off Port Mellow", hours=3),
    # two more reports on the same event
    _report(
        "metro",
        "ferry-metro",
        "Northline Ferries halts crossings after grounding at Port Mellow",
        "Northline Ferries has halted its crossings after one of its ships ran aground at Port Mellow with 214 people "
        "on board. Everybody was taken ashore by the coast guard, captain Ines Varga said; the engines had failed.",
        hours=4,
    ),
    _report(
        "evening",
        "ferry-evening",
        "Coast guard rescues 214 from stranded Northline ferry at Port Mellow",
        "The coast guard under captain Ines Varga rescued 214 people from a Northline ferry that was stranded off Port "
        "Mellow when its engines failed. The harbour authority is going to inspect the ship before crossings resume.",
        hours=5,
    ),
    # a page that two feeds link to
    _report("bridge", "bridge", "Lindham bridge closed after cracks found in cables", BRIDGE),
    _report(
        "links",
        "bridge-link",
        "Lindham bridge closed after cracks found in cables",
        "",
        url="https://www.bridge.example/bridge?utm_source=links",
        hours=1,
    ),
    _report(
        "herald",
        "bridge-herald",
        "Cracked cables shut Lindham bridge, perhaps until summer",
        "Cracks in the main cables have shut the Lindham bridge, and mayor Tomas Reyl says it may stay shut until "
        "summer. Eleven thousand cars a day have to find another way across, most of them through the tunnel.",
        hours=3,
    ),
    # the same publisher, the same headline, at another address and with more text
    _report("metro", "chip-1", "Quantora to build nine billion euro chip factory near Ostvik", CHIP[:210]),
    _report("metro", "chip-2", "Quantora to build nine billion euro chip factory near Ostvik", CHIP, hours=2),
    _report(
        "wire",
        "chip-wire",
        "Chip maker Quantora picks Ostvik for its nine billion euro plant",
        "Quantora has picked Ostvik for a plant that costs nine billion euros and is to make processors for cars, "
        "chief executive Mira Holt announced on Wednesday. The government is going to pay a fifth of the cost.",
        hours=3,
    ),
    # look-alikes: another quarter, another version, another team, another town
    _report("quarter", "q2", "Belmont Steel reports second quarter profit of 40 million", ""),
    _report("numbers", "q3", "Belmont Steel reports third quarter profit of 55 million", "", hours=1),
    _report("code", "v1", "Ferrous 1.84 released with faster builds and new lints", ""),
    _report("code2", "v2", "Ferrous 1.83 released with faster builds and new lints", "", hours=2),
    _report("sport", "win-1", "Ashford Rovers beat Kelby Town 2-1 in cup replay on Tuesday", ""),
    _report("sport2", "win-2", "Ashford Rovers beat Marsh United 2-1 in cup replay on Tuesday", "", hours=1),
    _report("weekly", "w41", "Weekly update #41", "What we did this week, and what we plan for the next one."),
    _report("weekly", "w42", "Weekly update #42", "What we did this week, and what we plan for the next one.", hours=9),
    # in Chinese: a copy and a rewritten report
    _report("gang", "rail", "港铁湾仔站信号故障 数千乘客滞留", ZH_RAIL, language="zh"),
    _report("xin", "rail-copy", "快讯：港铁湾仔站信号故障，数千乘客滞留", ZH_RAIL, hours=1, language="zh"),
    _report(
        "dao",
        "rail-own",
        "湾仔站工程车部件脱落阻塞路轨 港铁列车服务暂停",
        "港铁一辆工程车在湾仔站附近部件脱落，阻塞路轨，周三早上列车服务暂停，数千名乘客受影响。"
        "公司称中午前完成抢修，服务逐步恢复，运输署要求提交调查报告。",
        hours=3,
        language="zh",
    ),
    # unrelated articles
    _report("garden", "peas", "When to sow peas in a cold spring", "Peas bear a little frost, so sow early and cover."),
    _report(
        "kitchen", "soup", "Five soups for the end of winter", "Leeks, lentils and a good broth carry all of them."
    ),
    _report("chess", "final", "Young master draws final game and takes the title", "A quiet draw was all she needed."),
)

STORIES = frozenset(
    {
        frozenset({"ferry", "ferry-wire", "ferry-edit", "ferry-link", "ferry-metro", "ferry-evening"}),
        frozenset({"bridge", "bridge-herald"}),
        frozenset({"chip-1", "chip-2", "chip-wire"}),
        frozenset({"rail", "rail-copy", "rail-own"}),
    }
)
