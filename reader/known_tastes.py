"""The tastes of those who are rated for, remembered from batch to batch of one rating. Workers only.

A batch holds some articles and all who got them, so with fifty people each batch would read fifty profiles of thousands
of terms again, which takes ten times as long as rating. Whatever changes a taste changes `InterestProfile.changed_at`
in the same transaction, so one query a batch tells whose is to be read again.
"""

from collections.abc import Collection
from dataclasses import replace

from django.contrib.auth.models import User

from reader.models import InterestProfile
from reader.tastes import Taste, taste_of

MOST = 500  # people remembered: a profile takes some 200 kB, a model some 300 kB


class KnownTastes:
    """The tastes of people as they were when last read."""

    def __init__(self) -> None:
        self._known: dict[int, Taste] = {}

    def of(self, user_ids: Collection[int]) -> dict[int, Taste]:
        """The taste of each of these people as it is now, by id; nothing of who is gone.

        Without what only explaining needs: which terms the numbers of a profile came from.
        """
        if len(self._known.keys() | set(user_ids)) > MOST:
            self._known.clear()
        known = self._known
        remembered = [pk for pk in user_ids if pk in known]
        profiles = InterestProfile.objects.filter(user__in=remembered)
        changed_at = dict(profiles.values_list("pk", "changed_at")) if remembered else {}
        outdated = [pk for pk in user_ids if pk not in known or known[pk].changed_at != changed_at.get(pk)]
        for user in User.objects.filter(pk__in=outdated):
            found = taste_of(user)
            known[user.pk] = replace(found, profile=replace(found.profile, pulls=()))
        return {pk: known[pk] for pk in user_ids if pk in known}
