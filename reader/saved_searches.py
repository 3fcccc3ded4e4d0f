"""Keep a search, change it, let it go."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reader.errors import NotSaved
from reader.models import SavedSearch

MOST_SAVED = 50  # a person's; the sidebar shows them all


def save_search(user: User, *, name: str, query: str) -> SavedSearch:
    """The search kept under its name. Raises NotSaved."""
    if SavedSearch.objects.filter(user=user).count() >= MOST_SAVED:
        told = ngettext(
            "%(n)s search is saved already. Delete one first.",
            "%(n)s searches are saved already. Delete one first.",
            MOST_SAVED,
        )
        raise NotSaved(told % {"n": MOST_SAVED})
    return _write(SavedSearch(user=user, name=name, query=query))


def change_search(saved: SavedSearch, *, name: str, query: str) -> SavedSearch:
    """The search under another name, or asking something else. Raises NotSaved."""
    saved.name, saved.query = name, query
    return _write(saved)


def _write(saved: SavedSearch) -> SavedSearch:
    try:
        with transaction.atomic():
            saved.save()
    except IntegrityError as error:
        raise NotSaved(
            _("Another saved search is called “%(name)s”. Choose another name.") % {"name": saved.name}
        ) from error
    return saved
