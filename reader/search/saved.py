"""Saved searches."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from reader.errors import NotSaved
from reader.limits import SEARCHES
from reader.models import SavedSearch


def save_search(user: User, *, name: str, query: str) -> SavedSearch:
    """Save a search under a name. Raises NotSaved."""
    SEARCHES.check(SavedSearch.objects.filter(user=user), error=NotSaved)
    return _write(SavedSearch(user=user, name=name, query=query))


def change_search(saved: SavedSearch, *, name: str, query: str) -> SavedSearch:
    """Change the name or the query. Raises NotSaved."""
    saved.name, saved.query = name, query
    return _write(saved)


def _write(saved: SavedSearch) -> SavedSearch:
    try:
        with transaction.atomic():
            saved.save()
    except IntegrityError as error:
        raise NotSaved(_("You already have a saved search called “%(name)s”.") % {"name": saved.name}) from error
    return saved
