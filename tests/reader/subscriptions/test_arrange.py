"""The order of feeds and folders by hand."""

import pytest

from reader.models import Folder, Subscription
from reader.subscriptions.arrange import place_feeds, place_folders
from tests import make

pytestmark = pytest.mark.django_db


def test_places_only_the_users_own() -> None:
    user = make.user()
    one, two = make.subscription(user), make.subscription(user)
    theirs = make.subscription(make.user(), folder=make.folder(make.user()))
    place_feeds(user, [two.pk, theirs.pk, one.pk, two.pk, 10**15])
    assert dict(Subscription.objects.values_list("pk", "position")) == {two.pk: 1, one.pk: 2, theirs.pk: 0}
    mine = make.folder(user)
    place_folders(user, [theirs.folder_id or 0, mine.pk])
    assert dict(Folder.objects.values_list("pk", "position")) == {mine.pk: 1, theirs.folder_id: 0}
