"""Tokens of links in mails: whole, limited in time, and for nothing but what they say."""

from datetime import timedelta

import pytest
from django.core.signing import Signer
from pytest_django import Settings

from digests.links import (
    ACTS_LAST,
    ALERTS,
    ArticleAct,
    BadLink,
    LetterLinks,
    MailAct,
    Subscribed,
    act_of,
    act_token,
    subscribed_of,
    unsubscribe_token,
)
from tests.make import NOW

ASKED = ArticleAct(user_id=12, article_id=345678, act=MailAct.READ)
TOKEN_CHARACTERS = 80  # most of an act of a usual user and article: three addresses stand under each topic of a mail


@pytest.mark.parametrize("act", list(MailAct))
def test_an_act_comes_back_as_it_was_signed(act: MailAct) -> None:
    asked = ArticleAct(1, 2, act)
    assert act_of(act_token(asked, until=NOW), now=NOW) == asked


@pytest.mark.parametrize("what", ["morning", "midday", "evening", "weekly", ALERTS])
def test_a_subscription_comes_back_as_it_was_signed(what: str) -> None:
    assert subscribed_of(unsubscribe_token(Subscribed(7, what))) == Subscribed(7, what)


@pytest.mark.parametrize(
    ("later", "is_valid"),
    [(timedelta(0), True), (timedelta(seconds=1), False), (timedelta(days=400), False)],
    ids=["the last second", "a second later", "a year later"],
)
def test_an_act_is_valid_up_to_its_last_second(later: timedelta, is_valid: bool) -> None:
    token = act_token(ASKED, until=NOW)
    if is_valid:
        assert act_of(token, now=NOW + later) == ASKED
        return
    with pytest.raises(BadLink) as caught:
        act_of(token, now=NOW + later)
    assert caught.value.is_expired


def _changed_at(token: str, place: int) -> str:
    return token[:place] + ("x" if token[place] != "x" else "y") + token[place + 1 :]


def test_no_character_of_a_token_can_be_changed() -> None:
    token = act_token(ASKED, until=NOW)
    for place in range(len(token)):
        with pytest.raises(BadLink) as caught:
            act_of(_changed_at(token, place), now=NOW)
        assert not caught.value.is_expired


@pytest.mark.parametrize(
    "token", ["", ".", "read.1.2.3", "🙂", "a" * 5000], ids=["empty", "dot", "bare", "odd", "long"]
)
def test_what_was_not_made_here_is_refused(token: str) -> None:
    with pytest.raises(BadLink):
        act_of(token, now=NOW)
    with pytest.raises(BadLink):
        subscribed_of(token)


def test_one_kind_of_link_does_not_serve_as_the_other() -> None:
    with pytest.raises(BadLink):
        subscribed_of(act_token(ASKED, until=NOW))
    with pytest.raises(BadLink):
        act_of(unsubscribe_token(Subscribed(12, ALERTS)), now=NOW)


def test_what_is_signed_with_the_key_for_something_else_is_refused() -> None:
    with pytest.raises(BadLink):
        subscribed_of(Signer(sep=".").sign("alerts.12"))


def test_a_token_of_another_installation_is_refused(settings: Settings) -> None:
    token = unsubscribe_token(Subscribed(12, ALERTS))
    settings.SECRET_KEY = "of another installation"
    with pytest.raises(BadLink):
        subscribed_of(token)


def test_a_token_outlives_a_change_of_the_key_that_keeps_the_old_one(settings: Settings) -> None:
    token, old = unsubscribe_token(Subscribed(12, ALERTS)), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new one", [old]
    assert subscribed_of(token) == Subscribed(12, ALERTS)


@pytest.mark.parametrize("what", ["", "today", "everything"])
def test_there_is_no_unsubscribing_from_what_is_never_mailed(what: str) -> None:
    with pytest.raises(ValueError, match="No mail"):
        Subscribed(1, what)


def test_tokens_are_short_and_need_no_quoting() -> None:
    token = act_token(ASKED, until=NOW)
    assert len(token) <= TOKEN_CHARACTERS
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


@pytest.mark.parametrize(
    ("what", "name"), [("morning", "the morning brief"), ("weekly", "the weekly roundup"), (ALERTS, "alerts")]
)
def test_mail_has_a_name_within_a_sentence(what: str, name: str) -> None:
    assert Subscribed(1, what).name == name


def test_two_tries_of_a_mail_hold_the_same_links() -> None:
    first, second = (LetterLinks(1, NOW, "morning", 7) for _ in range(2))
    assert first == second
    token = act_token(ArticleAct(1, 2, MailAct.SKIP), until=NOW + ACTS_LAST)
    assert token == act_token(ArticleAct(1, 2, MailAct.SKIP), until=NOW + ACTS_LAST)
