"""OpenID Connect by Authlib: authorization code flow with PKCE, state and nonce.

We are stricter than Authlib: the issuer is the one in the settings, not what the provider's metadata claims, the
audience is checked, and signatures have to be made with a private key, whatever the provider says it supports ("none",
or the client secret as a key). Metadata is fetched at the first sign-in, so the app starts without the provider.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from django.conf import settings
from joserfc.errors import JoseError

from rssmanager.authentication.errors import SignInError

SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
TIMEOUT = 10  # seconds for each response of the provider
LEEWAY = 60  # seconds that two clocks may differ
MAX_SUBJECT = 255  # characters, by the standard
# Timeouts, refusals, wrong signatures and claims, and malformed documents.
FAULTS = (OSError, AuthlibBaseError, JoseError, RuntimeError, ValueError, TypeError, KeyError, AttributeError)


class ProviderError(SignInError):
    """The provider is unreachable, or its response is invalid; for the log."""


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """The `url` to send the browser to, and the values that the response has to match."""

    url: str
    state: str
    nonce: str
    code_verifier: str
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class ProviderUser:
    """The user who signed in at the provider; `name` and `email` are suggestions for a new account, "" if not sent."""

    issuer: str
    subject: str
    name: str
    email: str


def is_set_up() -> bool:
    return bool(settings.ENV.OIDC_ISSUER)


def create_request(redirect_uri: str) -> AuthorizationRequest:
    """A new request. Raises ProviderError."""
    try:
        values = _provider().create_authorization_url(redirect_uri)
    except FAULTS as error:
        raise _provider_error(error) from error
    return AuthorizationRequest(values["url"], values["state"], values["nonce"], values["code_verifier"], redirect_uri)


def check_response(request: AuthorizationRequest, query: dict[str, str]) -> ProviderUser:
    """The user named in the provider's response, the query of the browser's return. Raises ProviderError."""
    if not secrets.compare_digest(query.get("state", "").encode(), request.state.encode()):
        raise ProviderError("the state doesn't match this browser's")
    if query.get("iss", settings.ENV.OIDC_ISSUER) != settings.ENV.OIDC_ISSUER:
        raise ProviderError("the response is from another issuer")
    if "code" not in query:
        raise ProviderError(f"the provider returned {query.get('error', 'nothing')[:50]}")
    try:
        provider = _provider()
        token = provider.fetch_access_token(
            code=query["code"], redirect_uri=request.redirect_uri, code_verifier=request.code_verifier
        )
        claims = provider.parse_id_token(
            token,
            nonce=request.nonce,
            claims_options={
                "iss": {"essential": True, "value": settings.ENV.OIDC_ISSUER},
                "aud": {"essential": True, "value": settings.ENV.OIDC_CLIENT_ID},
            },
            leeway=LEEWAY,
        )
    except FAULTS as error:
        raise _provider_error(error) from error
    return _provider_user(claims)


def _provider_user(claims: dict[str, Any] | None) -> ProviderUser:
    subject = (claims or {}).get("sub")
    if claims is None or not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
        raise ProviderError("the response names no user")
    name, email = claims.get("preferred_username"), claims.get("email")
    is_verified = isinstance(email, str) and claims.get("email_verified") is True
    return ProviderUser(
        issuer=settings.ENV.OIDC_ISSUER,
        subject=subject,
        name=name if isinstance(name, str) else "",
        email=str(email) if is_verified else "",
    )


def _provider() -> DjangoOAuth2App:
    env = settings.ENV
    provider = _client(env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET)
    metadata = provider.load_server_metadata()
    if metadata.get("issuer") != env.OIDC_ISSUER:
        _client.cache_clear()
        raise ProviderError(f"the provider's issuer is {metadata.get('issuer')!r}, not OIDC_ISSUER")
    supported = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    accepted = [algorithm for algorithm in supported if algorithm in SIGNATURES]
    if not accepted:  # Authlib reads an empty list as no restriction
        _client.cache_clear()
        raise ProviderError("the provider doesn't sign with a public key")
    metadata["id_token_signing_alg_values_supported"] = accepted
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


def _provider_error(error: Exception) -> ProviderError:
    return ProviderError(f"{type(error).__name__}: {str(error)[:200]}")
