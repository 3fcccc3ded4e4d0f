"""Storing drafts as a poll of one feed does."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from feeds.dedup.rates import Rate
from feeds.models import Feed
from feeds.normalizing.draft import Draft
from feeds.normalizing.identity import identify
from feeds.storage import ingest
from feeds.storage.ingest import RATE, Arrival, Plan, Stored


def plan(feed: Feed, drafts: Sequence[Draft], *, now: datetime, document_url: str = "") -> Plan:
    published = [replace(draft, published_guid=draft.guid if draft.published_guid else "") for draft in drafts]
    identified = identify(published, known=(), site_url="", feed_url=feed.url, owner=feed.owner)
    present = frozenset(mark.guid for mark in identified.marks)
    arrival = Arrival(feed, identified.drafts, now, document_url, present=present)
    return ingest.plan(arrival, ingest.look_up([arrival]))


def store(feed: Feed, drafts: Sequence[Draft], *, now: datetime, document_url: str = "", rate: Rate = RATE) -> Stored:
    (stored,) = ingest.write([plan(feed, drafts, now=now, document_url=document_url)], rate=rate)
    return stored
