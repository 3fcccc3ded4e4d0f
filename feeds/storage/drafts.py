"""Reads a fetched document into drafts, in steps and within limits: parse, select the newest entries, normalize. Pure.

The steps run here or in another process (`feeds.parsing.limited`). They are yielded one at a time, so that everything
read before a limit is used; the next poll reads the other entries.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from feeds.errors import ParseError
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.dates import UNDATED, clock_ahead, resolve_date
from feeds.normalizing.depth_limit import MAX_MARKUP
from feeds.normalizing.draft import Draft
from feeds.normalizing.entry import FeedContext, normalize
from feeds.normalizing.identity import Mark, identify
from feeds.normalizing.language import feed_language
from feeds.normalizing.plain_text import strip_invisible
from feeds.parsing import parse
from feeds.parsing.feed import ParsedEntry, ParsedFeed
from feeds.wording import format_number, ngettext
from feeds.wording import gettext as _

MAX_BYTES = 4_000_000
"""Bytes of markup (UTF-8) read from one document at a time. The largest of 112 real feeds has 440,000; many millions
would keep later stages busy for seconds."""
_ORDER = timedelta(milliseconds=1)  # between entries of one moment
PARSING_SHARE = 0.6  # of the time for a document, after which the parser stops; the rest is for normalizing

Over = Callable[[float], bool]
"""Whether this share of the time for a document has passed."""


def never(share: float) -> bool:
    """No limit of time."""
    return False


@dataclass(frozen=True, slots=True)
class NormalizingRules:
    """Settings of an installation: extra trackers, and category synonyms with lower-case keys."""

    extra_trackers: frozenset[str] = frozenset()
    synonyms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a document.

    `url` and `content_type` come from the response. Entries whose hash is in `known` are skipped, and the newest
    `max_items` of the others are read; `known` has the marks of the last document's entries by hash. `set_language`
    takes precedence over what the document declares, "" for none. `owner`: the private feed that keeps its articles to
    itself (`Feed.owner`), "" for others. `since`: the last successful poll, None
    for the first. `clock_ahead`: see `feeds.normalizing.dates`.
    """

    url: str
    content_type: str
    known: Mapping[int, Mark]
    set_language: str
    now: datetime
    max_items: int
    rules: NormalizingRules
    owner: str = ""
    since: datetime | None = None
    clock_ahead: timedelta = timedelta(0)

    @property
    def undated(self) -> datetime:
        """The date of an entry without one, for the time being."""
        return UNDATED if self.since is None else self.now


@dataclass(frozen=True, slots=True)
class Opened:
    """The first step: the parsed feed without its entries, the number of new entries, and by how much the feed's clock
    is ahead."""

    parsed: ParsedFeed
    n_entries: int
    clock_ahead: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class EntryRead:
    """One entry: its draft (None if malformed), its hash (None if it has none), and whether its body was truncated."""

    draft: Draft | None
    raw_hash: int | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """The last step. `stopped_by`: "" (complete), "time" or "size"."""

    stopped_by: str = ""


Step = Opened | EntryRead | Ended


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed feed without its entries, its drafts, and counts.

    `marks`: of all its entries, known ones included, for the next poll; `present`: the numbers of their guids.
    `n_entries` were new or changed: the drafts, those listed twice (`n_repeated`), `n_malformed`, and those beyond a
    limit (`n_beyond`). `notes` go into the poll's record, including those of the parser. `is_whole`: nothing is left
    for the next poll.
    """

    parsed: ParsedFeed
    drafts: tuple[Draft, ...]
    marks: Mapping[int, Mark]
    present: frozenset[int]
    n_entries: int
    n_repeated: int
    n_malformed: int
    n_beyond: int
    n_uncertain_dates: int
    clock_ahead: timedelta = timedelta(0)
    notes: tuple[str, ...] = ()
    is_whole: bool = True


def steps(body: bytes, wanted: ReadOptions, over: Over = never) -> Iterator[Step]:
    """Read the document in steps, from `Opened` to `Ended`.

    Raises ParseError, also for a document that has neither an entry nor what any feed has: a title or a link.
    """
    parsed = parse(
        body,
        url=wanted.url,
        content_type=wanted.content_type,
        known_hashes=wanted.known.keys(),
        is_out_of_time=lambda: over(PARSING_SHARE),
    )
    if not (parsed.entries or parsed.n_known or parsed.title or parsed.link or parsed.self_url):
        raise ParseError(_("The document is an empty feed without a title."), reason="unreadable")
    entries = list(zip(parsed.entries, _hashes_of_entries(parsed, wanted.known), strict=True))
    dates = (entry.dates for entry in parsed.entries)
    ahead = clock_ahead(dates, known=wanted.clock_ahead, now=wanted.now, since=wanted.since)
    context = _context(parsed, wanted, ahead)
    yield Opened(replace(parsed, entries=()), len(entries), ahead)
    del parsed
    if len(entries) > wanted.max_items:
        entries.sort(
            key=lambda entry: resolve_date(entry[0].dates, now=wanted.now, undated=wanted.undated, ahead=ahead)[0],
            reverse=True,
        )
    n_drafts = n_bytes = 0
    for entry, raw_hash in entries:
        if n_drafts == wanted.max_items:
            break
        if over(1.0) or n_bytes > MAX_BYTES:
            yield Ended("size" if n_bytes > MAX_BYTES else "time")
            return
        read = _read(entry, raw_hash, context, wanted)
        if read.draft is not None:
            n_drafts += 1
            n_bytes += len(read.draft.markup.encode())
        yield read
    yield Ended()


def assemble(read_steps: Iterable[Step], wanted: ReadOptions) -> Document:
    """Build the document from its steps; if `Ended` is missing, they were stopped by a limit.

    Raises:
        ParseError: with `reason` `too_costly`, if they were stopped before the first draft.
    """
    opened, read, stopped_by = None, [], "time"
    for step in read_steps:
        match step:
            case Opened():
                opened = step
            case EntryRead():
                read.append(step)
            case Ended():
                stopped_by = step.stopped_by
    normalized = [(entry.draft, entry.raw_hash) for entry in read if entry.draft is not None]
    if opened is None or (stopped_by and not normalized):
        raise ParseError(_("This feed takes too long or too much memory to read."), reason="too_costly")
    parsed = opened.parsed
    hashes = parsed.raw_hashes
    if stopped_by:
        until_then = wanted.known.keys() | {entry.raw_hash for entry in read}
        hashes = tuple(value for value in hashes if value in until_then)
    known = {value: wanted.known[value] for value in hashes if value in wanted.known}
    identified = identify(
        [draft for draft, _raw_hash in normalized],
        known=known.values(),
        site_url=absolute(wanted.url, strip_invisible(parsed.link)) if parsed.link else "",
        feed_url=wanted.url,
        owner=wanted.owner,
    )
    new = {normalized[n][1]: mark for n, mark in zip(identified.numbers, identified.marks, strict=True)}
    return Document(
        replace(parsed, raw_hashes=()),
        _placed(identified.drafts, wanted.now),
        marks={value: known.get(value) or new.get(value) or Mark() for value in hashes},
        present=frozenset(mark.guid for mark in (*known.values(), *identified.marks)),
        n_entries=opened.n_entries,
        n_repeated=len(normalized) - len(identified.drafts),
        n_malformed=len(read) - len(normalized),
        n_beyond=opened.n_entries - len(read),
        n_uncertain_dates=sum(draft.date_uncertain for draft in identified.drafts),
        clock_ahead=opened.clock_ahead,
        notes=(*parsed.notes, *_notes(stopped_by, read, opened.n_entries - len(read))),
        is_whole=not stopped_by,
    )


def _placed(drafts: Sequence[Draft], now: datetime) -> tuple[Draft, ...]:
    """Give entries without a date that of the poll, like those dated ahead, and keep all these in their order.

    Those that a new feed already had aren't news, so they come after its dated ones.
    """
    oldest = min((draft.published_at for draft in drafts if draft.published_at != UNDATED), default=now)
    placed: list[Draft] = []
    n_now = 0
    for draft in drafts:
        if draft.published_at in (UNDATED, now):
            at, place = now - n_now * _ORDER, oldest - (n_now + 1) * _ORDER
            placed.append(replace(draft, published_at=at, placed_at=place if draft.published_at == UNDATED else None))
            n_now += 1
        else:
            placed.append(draft)
    return tuple(placed)


def _notes(stopped_by: str, read: Collection[EntryRead], n_beyond: int) -> Iterator[str]:
    n_drafts = sum(entry.draft is not None for entry in read)
    if stopped_by:
        note = ngettext(
            "Reading this feed took too long; only the first %(n)s entry was saved",
            "Reading this feed took too long; only the first %(n)s entries were saved",
            n_drafts,
        )
        if stopped_by == "size":
            note = ngettext(
                "This feed is too large to read at once; only the first %(n)s entry was saved",
                "This feed is too large to read at once; only the first %(n)s entries were saved",
                n_drafts,
            )
        yield note % {"n": n_drafts}
    elif n_beyond:
        yield ngettext(
            "%(n)s older entry was skipped: the feed lists more than we save per poll",
            "%(n)s older entries were skipped: the feed lists more than we save per poll",
            n_beyond,
        ) % {"n": n_beyond}
    if n_malformed := len(read) - n_drafts:
        yield ngettext(
            "%(n)s entry without a title or text was skipped",
            "%(n)s entries without a title or text were skipped",
            n_malformed,
        ) % {"n": n_malformed}
    if n_cut := sum(entry.is_cut for entry in read):
        note = ngettext(
            "%(n)s entry was longer than %(most)s characters and was truncated",
            "%(n)s entries were longer than %(most)s characters and were truncated",
            n_cut,
        )
        yield note % {"n": n_cut, "most": format_number(MAX_MARKUP)}


def _context(parsed: ParsedFeed, wanted: ReadOptions, ahead: timedelta) -> FeedContext:
    language = wanted.set_language or parsed.language
    return FeedContext(
        url=wanted.url,
        link=parsed.link,
        set_language=wanted.set_language,
        language=language,
        detected_language="" if language or not parsed.entries else feed_language(parsed),
        clock_ahead=ahead,
    )


def _hashes_of_entries(parsed: ParsedFeed, known: Collection[int]) -> list[int | None]:
    """The hash of each parsed entry; all None if hashes can't be assigned to entries."""
    hashes: list[int | None] = [value for value in parsed.raw_hashes if not parsed.n_known or value not in known]
    return hashes if len(hashes) == len(parsed.entries) else [None] * len(parsed.entries)


def _read(entry: ParsedEntry, raw_hash: int | None, context: FeedContext, wanted: ReadOptions) -> EntryRead:
    draft = normalize(
        entry,
        feed=context,
        now=wanted.now,
        undated=wanted.undated,
        extra_trackers=wanted.rules.extra_trackers,
        synonyms=wanted.rules.synonyms,
    )
    return EntryRead(draft, raw_hash, is_cut=len(entry.markup) > MAX_MARKUP)
