"""Articles as they are sent, one with the reasons for its score, and changing their state."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import override
from ninja import Router, Schema, Status
from pydantic import Field

from reader import access
from reader.articles.actions import vote, votes_of, withdraw_vote
from reader.articles.enclosures import files_of
from reader.articles.highlights import add_highlight, change_note, highlights_of
from reader.lists import queries
from reader.lists.queries import Row
from reader.models import EngagementSource
from reader.preferences.store import language_of
from reader.scoring.explain import as_json, explain
from reader.stories.detail_page import unfolded
from rssmanager.api import marking
from rssmanager.api.items import load_items
from rssmanager.api.v1.base import MAX_IDS, READ, WRITE, Body, Id, Request, Text

router = Router(tags=["Articles"])


class StoryOfArticle(Schema):
    """The rest of the article's story in your feeds."""

    id: int
    n_more: int
    sources: list[str]


class Scores(Schema):
    """Points from 0 to 100, and the time sensitivity from 1 (lasting) to 5 (breaking)."""

    importance: float
    relevance: float
    time_adjusted_relevance: float
    authority: float
    recency: float
    corroboration: float
    depth: float
    time_sensitivity: int


class File(Schema):
    url: str
    type: str
    length: int | None = None


class Article(Schema):
    """An article for you. `feed_id` is null if you no longer follow its feed; `html` is there if you ask for it."""

    id: int
    title: str
    url: str
    author: str
    source: str
    feed_id: int | None
    also_in: list[str]
    published_at: datetime | None = Field(description="Of the poll that found it, if the feed gave no date.")
    first_seen_at: datetime
    revised_at: datetime | None
    language: str
    summary: str
    reading_seconds: int
    is_read: bool
    is_starred: bool
    is_saved: bool = Field(description="It is one of your saved pages.")
    vote: Literal["liked", "disliked"] | None
    tags: list[str]
    files: list[File]
    story: StoryOfArticle | None
    scores: Scores | None = Field(description="Null until it has been assessed.")
    html: str | None = Field(None, description="Sanitized.")


class StoryMember(Schema):
    """Another article of the story."""

    id: int
    title: str
    url: str
    source: str
    published_at: datetime | None
    is_read: bool


class Highlight(Schema):
    id: int
    article_id: int | None
    title: str
    url: str
    quote: str
    note: str
    made_at: datetime


class PartOfScore(Schema):
    """A part of the importance: its points from 0 to 100, its weight, what it contributes, and why."""

    name: str
    points: float
    weight: float
    contribution: float
    sentence: str


class TermOfScore(Schema):
    """A word or attribute that raises relevance, or lowers it if negative."""

    term: str
    share: float


class RelevanceOfScore(Schema):
    """`judge`: `model` or `profile`, as learned from you, or `nobody` yet."""

    value: float
    judge: str
    sentence: str
    terms: list[TermOfScore]


class SensitivityOfScore(Schema):
    """How fast the article ages; `is_own` if you decided it. `half_life_days` is null if it doesn't age."""

    score: int
    name: str
    lasting: str
    confidence: str
    judge_words: str
    explanation: str
    is_own: bool
    half_life_days: float | None


class LeadOfScore(Schema):
    """The article whose copy this is."""

    title: str
    article_id: int


class Why(Schema):
    """Why the article has its importance, in a sentence and by part."""

    article_id: int
    title: str
    importance: float
    points: int
    summary: str
    parts: list[PartOfScore]
    relevance: RelevanceOfScore
    time_adjusted_relevance: float
    sensitivity: SensitivityOfScore
    stands_under: LeadOfScore | None
    as_of: datetime
    weights: dict[str, float]


class WholeArticle(Article):
    """An article with its text, the rest of its story, your highlights, and why it has its score."""

    members: list[StoryMember]
    highlights: list[Highlight]
    why: Why | None


class State(Body):
    """What to change. Names that aren't sent stay as they are."""

    is_read: bool | None = None
    is_starred: bool | None = None
    add_tags: list[Text] = Field([], max_length=20)
    remove_tags: list[Text] = Field([], max_length=20)


class OneState(State):
    vote: Literal["liked", "disliked"] | None = None


class ManyStates(State):
    """The same for many articles: those that you can't see are ignored."""

    ids: list[Id] = Field(max_length=MAX_IDS)


class NewHighlight(Body):
    quote: Text
    prefix: Text = Field("", description="What is before the quote, to find it again.")
    suffix: Text = ""
    note: Text = ""


class Note(Body):
    note: Text


@router.get("/articles/{int:pk}", auth=READ, response=WholeArticle)
def get_article(request: Request, pk: Id) -> dict[str, Any]:
    """One article, with the rest of its story and the reasons for its score. It doesn't become read."""
    return _whole(request.user, pk)


@router.patch("/articles/{int:pk}", auth=WRITE, response=WholeArticle)
def change_article(request: Request, pk: Id, sent: OneState) -> dict[str, Any]:
    """Mark an article read or unread, star, tag or rate it. A vote of null withdraws yours.

    It teaches your interests as in the interface.
    """
    user, now = request.user, timezone.now()
    article = access.article_of(user, pk)
    _change(user, [pk], sent, now)
    if "vote" in sent.model_fields_set:
        if sent.vote:
            vote(user, article, sent.vote, now=now, source=EngagementSource.API)
        else:
            withdraw_vote(user, article, now=now)
    return _whole(user, pk)


@router.post("/articles/state", auth=WRITE, response={204: None})
def change_articles(request: Request, sent: ManyStates) -> Status[None]:
    """Change up to 1,000 articles. More than three at once teach nothing, like “Mark all as read”."""
    _change(request.user, sent.ids, sent, timezone.now())
    return Status(204, None)


@router.post("/articles/{int:pk}/highlights", auth=WRITE, response={201: Highlight})
def create_highlight(request: Request, pk: Id, sent: NewHighlight) -> Status[Any]:
    """Highlight a passage of an article."""
    article = access.article_of(request.user, pk)
    return Status(201, add_highlight(request.user, article, **sent.model_dump(), now=timezone.now()))


@router.patch("/highlights/{int:pk}", auth=WRITE, response=Highlight)
def change_highlight(request: Request, pk: Id, sent: Note) -> Any:
    """Change the note of a highlight."""
    found = access.highlight_of(request.user, pk)
    change_note(found, sent.note)
    return found


@router.delete("/highlights/{int:pk}", auth=WRITE, response={204: None})
def delete_highlight(request: Request, pk: Id) -> Status[None]:
    """Remove a highlight."""
    access.highlight_of(request.user, pk).delete()
    return Status(204, None)


def present(user: User, rows: Sequence[Row], *, with_html: bool = False) -> list[dict[str, Any]]:
    """Rows as `Article`, in a fixed number of queries."""
    ids = [row.article.pk for row in rows]
    items = {item.article.pk: item for item in load_items(user, None, ids, with_html=with_html)}
    votes = votes_of(user, ids)
    shown = []
    for row in rows:
        if (item := items.get(row.article.pk)) is None:  # unfollowed in the meantime
            continue
        article, rating, story = item.article, row.rating, row.story
        parts = rating.parts if rating else None
        shown.append(
            {
                "id": article.pk,
                "title": article.title,
                "url": item.link,
                "author": article.author,
                "source": row.source,
                "feed_id": item.subscription.pk if item.subscription else None,
                "also_in": row.also_in,
                "published_at": article.published_at,
                "first_seen_at": article.first_seen_at,
                "revised_at": article.revised_at,
                "language": article.language,
                "summary": article.summary,
                "reading_seconds": article.reading_seconds,
                "is_read": row.is_read,
                "is_starred": row.is_starred,
                "is_saved": row.is_saved,
                "vote": votes.get(article.pk),
                "tags": item.tags,
                "files": [
                    {"url": file["url"], "type": file.get("mime_type") or "", "length": file.get("length") or None}
                    for file in files_of(article.media)
                ],
                "story": {"id": story.story_id, "n_more": story.n_more, "sources": story.sources} if story else None,
                "scores": {
                    **{name: getattr(parts, name) for name in ("importance", "relevance", "authority", "recency")},
                    **{name: getattr(parts, name) for name in ("corroboration", "depth")},
                    "time_adjusted_relevance": rating.adjusted,
                    "time_sensitivity": rating.sensitivity,
                }
                if rating
                else None,
                "html": item.html if with_html else None,
            }
        )
    return shown


def _whole(user: User, pk: int) -> dict[str, Any]:
    """`WholeArticle`. Raises Http404."""
    now = timezone.now()
    article = access.article_of(user, pk)
    [shown] = present(user, [queries.row_of(user, article, now=now)], with_html=True)
    with override(language_of(user.pk)):
        why = explain(user, article, now=now)
        reasons = as_json(why) if why else None
    members = [
        {
            "id": other.article.pk,
            "title": other.article.title,
            "url": other.article.link,
            "source": other.source,
            "published_at": other.article.published_at,
            "is_read": other.is_read,
        }
        for other in unfolded(user, article).others
    ]
    return shown | {"members": members, "highlights": highlights_of(user, article), "why": reasons}


def _change(user: User, ids: Sequence[int], sent: State, now: datetime) -> None:
    for name in sent.add_tags:
        marking.tag_all(user, ids, name, now=now)
    for name in sent.remove_tags:
        marking.untag_all(user, ids, name)
    if sent.is_starred is not None:
        marking.set_articles_starred(user, ids, is_starred=sent.is_starred, now=now)
    if sent.is_read is not None:
        marking.set_articles_read(user, ids, is_read=sent.is_read, now=now)
