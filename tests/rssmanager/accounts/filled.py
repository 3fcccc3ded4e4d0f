"""A user with one object of everything that is exported."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from io import BytesIO

from django.contrib.auth.models import User

from digests.models import AlertSettings, DigestPlan
from feeds.models import Article
from feeds.normalizing.canonical_url import url_key
from reader.interests.learning.embedding_profile import DIMENSIONS, EmbeddingProfile
from reader.models import ArticleState, Delivery, Highlight, InterestProfile, PlaybackPosition, Preferences, SavedSearch
from reader.preferences.list_views import ListView, save_view, usual_view
from rssmanager.accounts.exporting import encode_lines, export_lines, export_zip
from rssmanager.accounts.importing import begin, confirm, run
from rssmanager.accounts.models import DataImport
from rssmanager.accounts.zip_reader import read_lines
from tests import make

NOW = make.NOW


def article(number: int, **values: object) -> Article:
    """An article with the URL key that it has in every installation."""
    url = f"https://paper.example/news/{number}"
    return make.article(url=url, url_key=url_key(url), title=f"Title {number}", **values)


def person(name: str = "ada") -> User:
    user = make.user(name, email=f"{name}@example.org")
    Preferences.objects.create(
        user=user,
        theme="dark",
        has_keys=False,
        time_zone="Europe/Berlin",
        sidebar_order="hand",
        sidebar_width=310,
        mail_pictures="server",
        apps_get_lists=False,
        apps_get_copies=True,
        apps_get_sources=False,
    )
    folder = make.folder(user, "News / World", language="en", item_limit_per_category=5, position=2, is_open=True)
    make.folder(user, "Empty")
    feed = make.feed(
        "https://ada:secret@paper.example/feed.xml", title="Harbour Post", site_url="https://paper.example/"
    )
    mine = make.subscription(
        user, feed, folder=folder, title="My paper", category="news", most_a_day=7, fetches_full_text=True,
        is_digest_only=True, quiet_until="2026-05-01", position=4,
    )  # fmt: skip
    make.subscription(user, make.feed("https://other.example/feed.xml", title="Other"))
    articles = [article(number, author="Eve" if number == 1 else "") for number in range(8)]
    for delivered in articles:
        make.delivery(mine, delivered)
    read, starred, liked, tagged, heard, seen, undone, _ = articles
    ArticleState.objects.create(user=user, article=read, is_read=True)
    ArticleState.objects.create(user=user, article=starred, is_starred=True, starred_at=NOW)
    make.engagement(user, liked, "liked")
    make.engagement(user, liked, "opened", happened_at=NOW - timedelta(minutes=5), source="email")
    gone = make.engagement(user, undone, "disliked")
    make.engagement(user, undone, "disliked", undoes=gone, happened_at=NOW + timedelta(minutes=1))
    make.tag(user, "Spätere", tagged, starred)
    make.tag(user, "Unused")
    PlaybackPosition.objects.create(user=user, article=heard, file="f" * 32, seconds=75, saved_at=NOW)
    Delivery.objects.filter(article=seen).update(is_seen=True)
    Highlight.objects.create(
        user=user, article=heard, title="Title 4", url=heard.link, quote="Body of", suffix="it", note="Ja!", made_at=NOW
    )
    Highlight.objects.create(user=user, title="Gone", url="https://paper.example/gone", quote="A line", made_at=NOW)
    tag = make.tag(user, "Chess")
    make.rule(user, name="Chess", words="chess, go", subscription=mine, stars=True, lift=-10, tag=tag, is_on=False)
    make.rule(user, author="Bob", folder=folder, mutes=True)
    saved = SavedSearch.objects.create(user=user, name="Mine", query="title:chess")
    for name in ("home", f"feed.{mine.pk}", f"folder.{folder.pk}", f"tag.{tag.pk}", f"saved_search.{saved.pk}"):
        save_view(user, replace(usual_view(Preferences(), name), density="cards"))
    save_view(user, ListView("starred", "compact", has_pictures=False, only_unread=True, order="oldest"))
    DigestPlan.objects.create(user=user, kind="morning", at=time(6, 30), by_mail=True, n_topics=5)
    DigestPlan.objects.create(user=user, kind="weekly", at=time(8, 0), weekday=6, is_on=False)
    AlertSettings.objects.create(user=user, breaking=False, feeds_by_mail=True)
    make.term(user, "chess", 3.0, origin="topic", is_pinned=True)
    make.term(user, "naïveté", -1.5)
    vector = EmbeddingProfile(liked=2.0, liked_sum=[0.25] * DIMENSIONS).stored()
    InterestProfile.objects.create(
        user=user, recency_rate=0.05, is_learning=False, evidence=4.0, evidence_at=NOW, vector=vector
    )
    return user


def document(user: User, now: datetime = NOW) -> list[bytes]:
    return list(encode_lines(export_lines(user, now=now)))


def export_file(user: User) -> BytesIO:
    return BytesIO(b"".join(export_zip(user, now=datetime(2026, 3, 4, 12, tzinfo=UTC))))


def import_file(user: User, file: BytesIO, *, now: datetime = NOW) -> DataImport:
    job = begin(user, file, name="export.zip", now=now)
    confirm(job)
    return run(job.pk, now=now, max_items=500)


def lines_in(file: BytesIO) -> list[bytes]:
    return [line + b"\n" for line in read_lines(file)]
