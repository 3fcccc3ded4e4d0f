"""Every "may this user see this row" of `account`. What is not theirs is a 404."""

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404

from rssmanager.account.models import DataImport


def data_import_of(user: User, pk: int) -> DataImport:
    """The user's own import of everything. Raises Http404."""
    return get_object_or_404(DataImport, pk=pk, user=user)
