"""Emails after a restored backup: uncertain, explained by one notice in their user's language."""

import pytest
from django.db import connection
from django.utils.translation import override

from digests.delivery.after_restore import HeldEmail, explain_held_mail, holding_back
from digests.models import Mailing, MailingKind, MailingState
from tests import make

pytestmark = pytest.mark.django_db


def test_held_email_becomes_uncertain_with_one_notice() -> None:
    mailing = Mailing.objects.create(
        user=make.user(), kind=MailingKind.ALERTS, message_id="<1@x>", created_at=make.NOW, next_try_at=make.NOW
    )
    with connection.cursor() as cursor:
        for statement in holding_back(make.NOW):
            cursor.execute(statement)
    with override("en"):
        assert explain_held_mail(make.NOW) == HeldEmail(n_mails=1, n_digests=0)
    mailing.refresh_from_db()
    assert mailing.state == MailingState.UNCERTAIN
    assert mailing.answer == "RSS Manager was restored from a backup made before this email was sent."
    assert explain_held_mail(make.NOW) == HeldEmail(n_mails=0, n_digests=0)
