"""Every "may this user see this row" of `account`. What is not theirs is a 404."""

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404

from rssmanager.account.models import DataImport
from rssmanager.signing_in.models import BrowserSession


def data_import_of(user: User, pk: int) -> DataImport:
    """The user's own import of everything. Raises Http404."""
    return get_object_or_404(DataImport, pk=pk, user=user)


def session_of(user: User, key: str) -> BrowserSession:
    """The user's own session, by the key of its row. Raises Http404."""
    return get_object_or_404(BrowserSession, pk=key, user=user)
