"""Which list a person came from, by the address that "back" leads to."""

from datetime import datetime
from urllib.parse import urlsplit

from django.http import Http404
from django.urls import Resolver404, resolve

from feeds.models import Article
from reader.access import folder_of, subscription_of
from reader.neighbours import Neighbours, by_date, by_rank, by_star
from reader.queries import all_of, of_folder, of_subscription
from reader.site_paths import within
from reader.views.signed_in import SignedInRequest


def neighbours(request: SignedInRequest, back: str, article: Article, *, now: datetime) -> Neighbours:
    """What stands next to the article in the list at `back`, a path of this site; nobody where that is no list."""
    try:
        match = resolve(within(urlsplit(back).path))
        user, pk = request.user, match.kwargs.get("pk", 0)
        match match.url_name:
            case "home":
                return by_date(all_of(user), article)
            case "folder" | "selection":
                return by_date(of_folder(user, folder_of(user, pk)), article)
            case "feed":
                return by_date(of_subscription(subscription_of(user, pk)), article)
            case "starred":
                return by_star(user, article)
            case "for_you" | "important" as name:
                return by_rank(user, article, by_relevance=name == "for_you", now=now)
            case _:
                return Neighbours()
    except (Resolver404, Http404):  # an address made up, or a folder that is gone
        return Neighbours()
