"""What apps change with the Google Reader API: articles' states and labels, subscriptions, folders and tags."""

from collections.abc import Callable

from django.http import HttpResponse, JsonResponse

from feeds.fetching.credentials import without_credentials
from feeds.tasks.enqueue import call_worker
from reader.articles.read_state import mark_read
from reader.articles.tags import rename_tag
from reader.errors import ReaderError
from reader.lists.queries import all_of, of_folder, of_subscription
from reader.models import ArticleState, Delivery, Folder, ImportKind, TaggedArticle
from reader.subscriptions.folders import delete_folder, rename_folder
from reader.subscriptions.follow import move, rename
from reader.subscriptions.importer import create_import
from reader.subscriptions.make_folders import folder_named
from reader.subscriptions.unfollow import unfollow
from rssmanager.api import lists, marking, streams
from rssmanager.api.access import BadRequest, Caller
from rssmanager.api.items import plain
from rssmanager.api.quick_add import follow_address, quick_add
from rssmanager.api.streams import FEED, LABEL, READ, READING_LIST, STARRED, UNFOLLOWED, UNREAD
from rssmanager.authentication.models import Scope


def _edit_tag(caller: Caller) -> None:
    """Add states and labels to articles (`a`), and remove others (`r`); without articles, a label is a new folder."""
    user, sent, now = caller.user, caller.sent, caller.now
    ids = streams.article_ids_of(sent.all("i"))
    added = [streams.normalized(name) for name in sent.all("a")]
    removed = [streams.normalized(name) for name in sent.all("r")]
    if not sent.all("i"):
        for name in added:
            folder_named(user, _own_label(caller, name))
        return
    if READ in added or (READ not in removed and any(name in UNREAD for name in removed)):
        marking.set_articles_read(user, ids, is_read=True, now=now)
    elif READ in removed or any(name in UNREAD for name in added):
        marking.set_articles_read(user, ids, is_read=False, now=now)
    for name in added:
        if name == STARRED:
            marking.set_articles_starred(user, ids, is_starred=True, now=now)
        elif label := _own_label(caller, name):
            marking.tag_all(user, ids, label, now=now)
    for name in removed:
        if name == STARRED:
            marking.set_articles_starred(user, ids, is_starred=False, now=now)
        elif label := streams.label_in(name):
            marking.untag_all(user, ids, label)


def _own_label(caller: Caller, name: str) -> str:
    """The label of a stream's name, "" if it is none. Raises BadRequest if it is one of our lists."""
    if (listed := lists.list_named(caller, name)) is not None:
        raise BadRequest(f"{listed} is a list that fills itself. Choose another name.")
    return streams.label_in(name)


def _mark_all_as_read(caller: Caller) -> None:
    """A stream up to `ts`, the articles folded in it too. Of our lists, what they have now."""
    user, name = caller.user, streams.normalized(caller.sent.one("s", READING_LIST))
    until = caller.sent.arrival("ts", is_end=True)
    if until is None and caller.sent.one("ts") not in ("", "0"):
        raise BadRequest("ts is no timestamp")
    if name == UNFOLLOWED:
        kept = streams.unfollowed(user, ArticleState.objects.filter(is_starred=True))
        mark_read(user, list(kept.values_list("article_id", flat=True)))
        return
    if (listed := lists.list_named(caller, name)) is not None:
        deliveries = lists.with_copies(user, listed, now=caller.now)
    elif name == READING_LIST or name in UNREAD:
        deliveries = all_of(user, with_folded=True)
    elif name.startswith(FEED):
        deliveries = of_subscription(streams.subscription_named(user, name))
    elif streams.label_in(name):
        place = streams.place_named(user, name)
        if isinstance(place, Folder):
            deliveries = of_folder(user, place, with_folded=True)
        else:
            tagged = TaggedArticle.objects.filter(user=user, tag=place)
            deliveries = Delivery.objects.filter(user=user, article__in=tagged.values("article"))
    else:
        raise BadRequest("This stream can't be marked as read")
    marking.mark_delivered_read(user, deliveries, until=until, now=caller.now)


def _edit_subscription(caller: Caller) -> None:
    """Follow (`subscribe`), unfollow (`unsubscribe`), rename (`t`) or move (`a`, `r`) feeds.

    Without a feed, a label is a new folder.
    """
    user, sent, now = caller.user, caller.sent, caller.now
    labels = [label for name in sent.all("a") if (label := _own_label(caller, name))]
    names = [name for name in sent.all("s") if name]
    if not names:
        for label in labels:
            folder_named(user, label)
    for name in names:
        match sent.one("ac"):
            case "subscribe":
                folder = folder_named(user, next(iter(labels), ""))
                follow_address(user, name.removeprefix(FEED), title=sent.one("t"), folder=folder, now=now)
            case "unsubscribe":
                unfollow(user, [streams.subscription_named(user, name).pk], now=now)
            case "edit":
                subscription = streams.subscription_named(user, name)
                own = subscription.folder
                if labels:
                    folder = folder_named(user, labels[0])
                else:
                    removed = own is not None and f"{LABEL}{own.name}" in map(streams.normalized, sent.all("r"))
                    folder = None if removed else own
                if title := sent.one("t"):
                    rename(subscription, title=title, folder=folder)
                elif folder != own:
                    move(user, [subscription.pk], folder)
            case _:
                raise BadRequest("Unknown action")


def _quick_add(caller: Caller) -> HttpResponse:
    """Follow the feed at or behind an address; of several the likeliest, and `others` names the rest."""
    query = caller.sent.one("quickadd").strip().removeprefix(FEED)
    try:
        added = quick_add(caller.user, query, now=caller.now)
    except ReaderError as error:
        return JsonResponse({"query": query, "numResults": 0, "error": str(error)})
    answer = {
        "query": query,
        "numResults": 1,
        "streamId": f"{FEED}{added.subscription.pk}",
        "streamName": plain(added.subscription.shown_title),
    }
    others = [{"url": without_credentials(found.url), "title": plain(found.title)} for found in added.others]
    return JsonResponse(answer | ({"others": others} if others else {}))


def _rename_tag(caller: Caller) -> None:
    """Rename a folder or a tag; a folder of that name takes the feeds."""
    name = caller.sent.one("s") or f"{LABEL}{caller.sent.one('t')}"
    place = streams.place_named(caller.user, f"{LABEL}{_own_label(caller, name)}")
    name = _own_label(caller, caller.sent.one("dest"))
    if isinstance(place, Folder):
        rename_folder(place, name, joins=True)
    else:
        rename_tag(place, name)


def _disable_tag(caller: Caller) -> None:
    """Delete folders and tags; their feeds and articles stay."""
    for name in caller.sent.all("s") or [f"{LABEL}{name}" for name in caller.sent.all("t")]:
        place = streams.place_named(caller.user, f"{LABEL}{_own_label(caller, name)}")
        if isinstance(place, Folder):
            delete_folder(place)
        else:
            place.delete()


def _import(caller: Caller) -> None:
    """Follow the feeds of an OPML document; a worker reads it."""
    job = create_import(caller.user, ImportKind.FILE, "OPML", data=caller.sent.body)
    call_worker("reader.tasks.recurring.run_import", job.pk)


WRITING: dict[str, tuple[Scope, Callable[[Caller], HttpResponse | None]]] = {
    "edit-tag": (Scope.WRITE, _edit_tag),
    "mark-all-as-read": (Scope.WRITE, _mark_all_as_read),
    "subscription/edit": (Scope.FEEDS, _edit_subscription),
    "subscription/quickadd": (Scope.FEEDS, _quick_add),
    "subscription/import": (Scope.FEEDS, _import),
    "rename-tag": (Scope.FEEDS, _rename_tag),
    "disable-tag": (Scope.FEEDS, _disable_tag),
}
