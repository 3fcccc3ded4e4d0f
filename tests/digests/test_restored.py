"""Mails after a restored backup: in doubt, with the reason said once, in the language of whose they are."""

import pytest
from django.db import connection
from django.utils.translation import override

from digests.models import Mailing, MailingKind, MailingState
from digests.restored import Held, holding_back, settle
from tests import make

pytestmark = pytest.mark.django_db


def test_a_mail_that_waited_is_in_doubt_and_said_to_be_once() -> None:
    mailing = Mailing.objects.create(
        user=make.user(), kind=MailingKind.ALERTS, message_id="<1@x>", created_at=make.NOW, next_try_at=make.NOW
    )
    with connection.cursor() as cursor:
        for statement in holding_back(make.NOW):
            cursor.execute(statement)
    with override("en"):
        assert settle(make.NOW) == Held(n_mails=1, n_digests=0)
    mailing.refresh_from_db()
    assert mailing.state == MailingState.UNCERTAIN
    assert mailing.answer == "The reader was restored from a backup, which knew it as waiting."
    assert settle(make.NOW) == Held(n_mails=0, n_digests=0)
