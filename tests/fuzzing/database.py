"""A database in memory with one of everything, for targets that read and write rows; each case is rolled back."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.test.utils import override_settings, setup_test_environment, teardown_test_environment

from tests.reader.conftest import World, one_of_everything

_PLAIN = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # no collectstatic before
_FAST = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@contextmanager
def fresh_database() -> Iterator[None]:
    """An empty database of this process, in place of the installation's."""
    setup_test_environment(debug=False)
    was = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(was, verbosity=0)
        teardown_test_environment()


class Rows:
    """The rows there are while cases of one target run."""

    world: World | None = None
    session = ""  # of their reader, signed in

    @classmethod
    @contextmanager
    def filled(cls) -> Iterator[None]:
        """One of everything, of a reader of their own; gone afterwards."""
        with (
            override_settings(PASSWORD_HASHERS=_FAST, STORAGES=settings.STORAGES | {"staticfiles": _PLAIN}),
            patch("django_q.tasks.get_broker"),  # nothing is queued, by whatever name it was imported
            transaction.atomic(),
        ):
            cls.world = one_of_everything("Morning")
            client = Client()
            client.force_login(cls.world.user)
            cls.session = client.cookies[settings.SESSION_COOKIE_NAME].value
            try:
                yield
            finally:
                transaction.set_rollback(True)
                cls.world = None

    @classmethod
    def of_case(cls) -> World:
        assert cls.world is not None, "cases of this target run within `Rows.filled`"
        return cls.world


@contextmanager
def taken_back() -> Iterator[None]:
    """What a case writes is taken back."""
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)
