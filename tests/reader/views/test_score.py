"""Explanations of scores in the article page, on a page of their own and as JSON; sensitivity overrides."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from feeds.models import Disposition, Link
from reader.models import (
    ArticleFeatures,
    Assessment,
    Delivery,
    Engagement,
    InterestProfile,
    InterestTerm,
    SensitivityLabel,
)
from reader.scoring.assess import pack_features
from tests import make
from tests.markup import tight
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db

PARTS = ("Authority", "Recency", "Corroboration", "Relevance", "Depth")


@pytest.fixture(autouse=True)
def _no_interests(world: World) -> None:
    Engagement.objects.all().delete()
    InterestTerm.objects.all().delete()


def url(world: World) -> str:
    return reverse("article_why", args=[world.article.pk])


@pytest.mark.parametrize("heading", ["h2", "h3"], ids=["own page", "under the text"])
def test_shows_five_parts_with_bar_and_sentence(browser: Client, world: World, heading: str) -> None:
    headers = {} if heading == "h2" else {"HX-Request": "true"}
    text = browser.get(url(world), headers=headers).content.decode()
    why = text[text.index('<ol class="why-parts">') : text.index("</ol>", text.index('<ol class="why-parts">'))]
    places = [why.index(f"<{heading}>{name}</{heading}>") for name in PARTS]
    assert places == sorted(places)
    assert (why.count("<meter"), why.count('class="why-sentence"')) == (5, 5)
    assert 'max="100" value="25.0"' in why
    assert "Only one publisher reports this story." in why
    assert '<p class="why-summary">Medium importance: ' in text or '<p class="why-summary">Low importance: ' in text
    assert "Not scored yet." in text


def test_pages_show_the_same_points_as_the_list(browser: Client, world: World) -> None:
    row = browser.get("/all/").context["page"].rows[0]
    assert f"<h1>Why {row.rating.points}?</h1>" in tight(browser.get(url(world)).content.decode())
    article = browser.get(reverse("article", args=[world.article.pk])).content.decode()
    assert f"<h2>Why {row.rating.points}?</h2>" in tight(article)
    assert f'hx-get="{url(world)}?next=%2Farticles%2F{world.article.pk}%2F"' in article


def test_under_the_text_a_correction_comes_back_to_the_article(browser: Client, world: World) -> None:
    here = reverse("article", args=[world.article.pk])
    text = browser.get(url(world), {"next": here}, headers={"HX-Request": "true"}).content.decode()
    assert f'<input type="hidden" name="next" value="{here}">' in text
    assert "<h1" not in text


def test_links_back_to_the_row(browser: Client, world: World) -> None:
    text = browser.get(url(world), {"next": "/important/#a5"}).content.decode()
    assert '<a class="thin" href="/important/#a5" data-back' in text


def test_returns_json(browser: Client, world: World) -> None:
    data = browser.get(url(world), {"format": "json"}).json()
    assert [part["name"] for part in data["parts"]] == [name.lower() for name in PARTS]
    assert (data["article_id"], data["relevance"]["judge"], data["sensitivity"]["score"]) == (
        world.article.pk,
        "nobody",
        3,
    )


def test_unassessed_article_says_so(browser: Client, world: World) -> None:
    Assessment.objects.all().delete()
    response = browser.get(url(world))
    assert (response.status_code, "Not scored yet." in response.content.decode()) == (200, True)
    assert browser.get(url(world), {"format": "json"}).status_code == 404
    assert "No score yet" in browser.get(reverse("article", args=[world.article.pk])).content.decode()


def test_shows_signed_contributions_to_relevance(browser: Client, world: World) -> None:
    """`reader.scoring.explain` finds the terms; the page only displays them."""
    make.term(world.user, "morning", 3.0, origin="topic")
    InterestProfile.objects.create(user=world.user, changed_at=make.NOW)
    assess_features(world)
    text = tight(browser.get(url(world)).content.decode())
    assert 'Based on <a href="/interests/">your interests</a>' in text
    [row] = re.findall(r'<li class="for"><span class="term" dir="auto">morning</span>.*?</li>', text)
    assert re.search(r'<meter class="share" max="80\.\d+" value="80\.\d+"', row)
    assert re.search(r'<span class="sum">\+\d+\.\d</span>', row)


def assess_features(world: World) -> None:
    """Store the features of the world's article."""
    features = pack_features(world.article)
    ArticleFeatures.objects.create(article=world.article, terms=features.terms, attributes=features.attributes)


@pytest.mark.parametrize("score", [1, 5])
def test_override_counts_until_reset(browser: Client, world: World, score: int) -> None:
    Delivery.objects.update(is_rated=True)
    address = reverse("article_sensitivity", args=[world.article.pk])
    response = browser.post(address, {"score": str(score), "next": url(world)})
    assert response["Location"] == url(world)
    text = browser.get(url(world)).content.decode()
    assert f'value="{score}" checked' in text
    assert "Set by you." in text
    assert SensitivityLabel.objects.get().score == score
    assert not Delivery.objects.get().is_rated
    assert "Reset to automatic" in text
    browser.post(address)
    text = browser.get(url(world)).content.decode()
    assert 'value="3" checked' in text
    assert "ages-back" not in text
    assert not SensitivityLabel.objects.exists()


@pytest.mark.parametrize("score", ["0", "6", "x", "-1", "3.0", "²", "99999999999999999999"])
def test_refuses_unknown_sensitivity(browser: Client, world: World, score: str) -> None:
    address = reverse("article_sensitivity", args=[world.article.pk])
    assert browser.post(address, {"score": score}).status_code == 400
    assert not SensitivityLabel.objects.exists()


def test_near_duplicate_names_its_lead(browser: Client, world: World) -> None:
    lead = world.story.articles.exclude(pk=world.article.pk).get()
    lead.title = "The lead"
    lead.save()
    make.delivery(world.subscription, lead)
    world.story.lead = lead
    world.story.save()
    text = browser.get(url(world)).content.decode()
    assert ("which lists show instead" in text, 'class="why-parts"' in text) == (False, True)
    Link.objects.update(disposition=Disposition.NEAR_DUPLICATE)
    text = browser.get(url(world)).content.decode()
    assert f'Near-duplicate of <a href="/articles/{lead.pk}/"><bdi>The lead</bdi></a>, which lists show' in text
    assert ("<h1>No score of its own</h1>" in " ".join(text.split()).replace("> ", ">").replace(" <", "<")) is True
    assert 'class="why-parts"' not in text
    Delivery.objects.filter(article=world.article).update(is_folded=True, is_folded_in_folder=True)
    article = tight(browser.get(reverse("article", args=[world.article.pk])).content.decode())
    assert "<h2>No score of its own</h2>" in article
