"""Two months of articles with examples for every layer and policy."""

from collections import defaultdict
from datetime import timedelta

from feeds.models import Article, Split
from tests import make

HARBOUR = (
    "The old harbour crane was lifted from its rails on Tuesday morning after sixty years of service. Dock workers "
    "watched from the quay while two barges carried the steel boom past the lighthouse and out to the breaker's yard. "
    "The port authority says that the place will become a small park with benches and a view over the river."
)
BEES = (
    "Beekeepers in the valley counted twice as many hives this spring as in the year before, the growers' union said. "
    "Mild weeks in February let the colonies feed early on willow and hazel along the canal. Only in the upper hamlets "
    "did frost in April take a share of the blossom, and with it a part of the honey."
)
TRAM = (
    "Line seven of the tram will run to the airport from the first of May, the transport company announced yesterday. "
    "Cars leave every twelve minutes until midnight and cost as much as any other ride in the city zone. Two stops on "
    "the way are still without a roof, and the company promises to build those in the course of summer."
)
LIBRARY = (
    "A retired sailor has left his collection of nautical charts to the municipal library, four hundred sheets in all. "
    "The oldest shows the bay as the navy surveyed it in the year of the great flood. Readers may ask for single "
    "sheets at the desk, and the librarians hope to put pictures of the whole collection on their pages by winter."
)
NIGHT = (
    "Owls have moved into the disused signal box beside the northern sidings, the night shift reports with pleasure. "
    "Nobody is to climb the ladder before the young have left, and the lamp on the roof stays dark until then. Who "
    "wants to see them may borrow the binoculars that hang in the kitchen of the main hall."
)
QUAKE = (
    (
        "Strong earthquake shakes Chile near Valparaiso",
        "A strong earthquake of magnitude 6.8 shook central Chile near Valparaiso on Monday, the seismology centre in "
        "Santiago said. President Gabriel Boric said there were no reports of deaths.",
    ),
    (
        "Magnitude 6.8 earthquake hits central Chile, Boric says no deaths reported",
        "Buildings swayed in Santiago and Valparaiso when an earthquake of magnitude 6.8 hit central Chile on Monday. "
        "President Gabriel Boric asked people to keep away from the coast.",
    ),
    (
        "Chile: Valparaiso residents flee to hills after earthquake",
        "Residents of Valparaiso ran to the hills after Monday's earthquake of magnitude 6.8 in Chile. Boric, the "
        "president, later called off the warning from Santiago.",
    ),
)


def published(title: str, text: str, *, domain: str, days: float, **values: object) -> Article:
    """An article of a publisher, published `days` days before `make.NOW`, when it arrived."""
    at = make.NOW - timedelta(days=days)
    return make.article(
        title=title,
        text=text,
        language="en",
        word_count=len(text.split()),
        source=make.source(domain),
        published_at=at,
        first_seen_at=at,
        **values,
    )


def fill() -> dict[str, Article]:
    """The articles of the archive by name."""
    articles = {
        "crane": published("Harbour crane goes for scrap", HARBOUR, domain="quay.example", days=100),
        "crane copied": published("Sixty years on the quay", HARBOUR, domain="river.example", days=99.5),
        "crane late": published("A crane leaves town", HARBOUR, domain="coast.example", days=72),
        "bees": published("Valley beekeepers count twice the hives", BEES, domain="valley.example", days=6),
        "bees revised": published(
            "Valley beekeepers count twice the hives now", BEES[:280], domain="valley.example", days=5.9
        ),
        "bees elsewhere": published("Valley: beekeepers count twice the hives", "", domain="hill.example", days=5.5),
        "notes": published("Notes from the depot this morning", TRAM, domain="city.example", days=4),
        "notes again": published("Notes from the depot this morning", NIGHT, domain="city.example", days=3),
        "begins alike": published("Notes from the depot and what else", "", domain="town.example", days=1.5),
        "charts": published("Sailor leaves charts to library", LIBRARY, domain="books.example", days=2),
        "charts copied": published("Four hundred charts for readers", LIBRARY, domain="reading.example", days=1.9),
        "charts and flood": published("Charts of the flood", f"{LIBRARY} More soon.", domain="bay.example", days=1.8),
    }
    for n, (title, text) in enumerate(QUAKE):
        articles[f"quake {n}"] = published(title, text, domain=f"wire{n}.example", days=1 - n / 10)
    one, other = sorted((articles["charts"].pk, articles["charts copied"].pk))
    Split.objects.create(one_id=one, other_id=other, made_at=make.NOW)
    return articles


def stories(articles: dict[str, Article]) -> list[list[str]]:
    """The stored stories, as lists of those names."""
    names = {article.pk: name for name, article in articles.items()}
    by_story: dict[int | None, list[str]] = defaultdict(list)
    for pk, story in Article.objects.exclude(story=None).order_by("pk").values_list("pk", "story_id"):
        by_story[story].append(names[pk])
    return sorted(by_story.values())
