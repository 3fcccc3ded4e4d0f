"""Asking a provider of OpenID Connect who somebody is: authorization code flow with PKCE, state and nonce, by Authlib.

What Authlib leaves open is closed here: the issuer is the one of the settings and not what the provider's document
says of itself, the audience is looked at, and of signatures only those by a public key count, whatever the provider
says it supports ("none", or the client's secret as a key). The provider is first asked when somebody wants to sign in
by it, so that the reader starts without it.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from django.conf import settings
from joserfc.errors import JoseError

from rssmanager.signing_in.errors import SigningInError

SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
TIMEOUT = 10  # seconds for each answer of the provider
LEEWAY = 60  # seconds that two clocks may differ
MOST_SUBJECT = 255  # characters, by the standard
# Silence, refusals, signatures and claims that are wrong, and documents that are none of those they should be.
FAULTS = (OSError, AuthlibBaseError, JoseError, RuntimeError, ValueError, TypeError, KeyError, AttributeError)


class ProviderError(SigningInError):
    """The provider of OpenID Connect cannot be reached, or what it says proves nothing; for the operator's log."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a browser takes to the provider at `url`, and what must fit the answer."""

    url: str
    state: str
    nonce: str
    code_verifier: str
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class Person:
    """Whom the provider names; `name` and `email` are a wish, "" where it says none."""

    issuer: str
    subject: str
    name: str
    email: str


def is_set_up() -> bool:
    return bool(settings.ENV.OIDC_ISSUER)


def ask(redirect_uri: str) -> Question:
    """A new question. Raises ProviderError."""
    try:
        asked = _provider().create_authorization_url(redirect_uri)
    except FAULTS as error:
        raise _unproved(error) from error
    return Question(asked["url"], asked["state"], asked["nonce"], asked["code_verifier"], redirect_uri)


def answer(question: Question, given: dict[str, str]) -> Person:
    """Whom the provider's answer, the query that the browser brought back, proves. Raises ProviderError."""
    if not secrets.compare_digest(given.get("state", "").encode(), question.state.encode()):
        raise ProviderError("the state is not that of this browser")
    if given.get("iss", settings.ENV.OIDC_ISSUER) != settings.ENV.OIDC_ISSUER:
        raise ProviderError("the answer is of another issuer")
    if "code" not in given:
        raise ProviderError(f"the provider answered {given.get('error', 'nothing')[:50]}")
    try:
        provider = _provider()
        token = provider.fetch_access_token(
            code=given["code"], redirect_uri=question.redirect_uri, code_verifier=question.code_verifier
        )
        claims = provider.parse_id_token(
            token,
            nonce=question.nonce,
            claims_options={
                "iss": {"essential": True, "value": settings.ENV.OIDC_ISSUER},
                "aud": {"essential": True, "value": settings.ENV.OIDC_CLIENT_ID},
            },
            leeway=LEEWAY,
        )
    except FAULTS as error:
        raise _unproved(error) from error
    return _person(claims)


def _person(claims: dict[str, Any] | None) -> Person:
    subject = (claims or {}).get("sub")
    if claims is None or not isinstance(subject, str) or not 0 < len(subject) <= MOST_SUBJECT:
        raise ProviderError("the answer names nobody")
    name, email = claims.get("preferred_username"), claims.get("email")
    is_theirs = isinstance(email, str) and claims.get("email_verified") is True
    return Person(
        issuer=settings.ENV.OIDC_ISSUER,
        subject=subject,
        name=name if isinstance(name, str) else "",
        email=str(email) if is_theirs else "",
    )


def _provider() -> DjangoOAuth2App:
    """The provider, its document read."""
    env = settings.ENV
    provider = _client(env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET)
    said = provider.load_server_metadata()
    if said.get("issuer") != env.OIDC_ISSUER:
        _client.cache_clear()
        raise ProviderError(f"the provider calls itself {said.get('issuer')!r}, not as OIDC_ISSUER does")
    supported = said.get("id_token_signing_alg_values_supported") or ["RS256"]
    ours = [each for each in supported if each in SIGNATURES]
    if not ours:  # an empty list would be read as none given
        _client.cache_clear()
        raise ProviderError("the provider signs by no public key")
    said["id_token_signing_alg_values_supported"] = ours
    return provider


@lru_cache(maxsize=1)
def _client(issuer: str, client_id: str, client_secret: str) -> DjangoOAuth2App:
    return OAuth().register(
        "provider",
        client_id=client_id,
        client_secret=client_secret or None,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid profile email",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT,
            **({} if client_secret else {"token_endpoint_auth_method": "none"}),
        },
    )


def _unproved(error: Exception) -> ProviderError:
    return ProviderError(f"{type(error).__name__}: {str(error)[:200]}")
