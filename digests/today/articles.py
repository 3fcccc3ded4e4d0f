"""The articles of a user's front page, without its topics' other articles."""

from django.contrib.auth.models import User

from digests.access import front_pages
from digests.models import DigestArticle

FEW_TOPICS = 4  # with fewer, the newest articles follow
N_LATEST = 12


def leads_of_today(user: User) -> list[int]:
    """The article that leads each topic of the front page, in its order; none before the first is made.

    Topics that a line recalls come last.
    """
    leads = DigestArticle.objects.filter(topic__digest__in=front_pages(user), position=0, article__isnull=False)
    ordered = leads.order_by("topic__is_unchanged", "topic__position")
    return [pk for pk in ordered.values_list("article_id", flat=True) if pk is not None]
