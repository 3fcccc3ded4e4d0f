"""Signing in by the word of a proxy, as Authelia, Authentik and others give it: a header that names the person.

The header is believed from a network of `TRUSTED_PROXIES` and from nowhere else; there, a session that was made by it
ends with the first request without it. A header that stands twice arrives as one with a comma, and names nobody: the
second may be the visitor's own. So may one that is spelt with an underscore, which a server could not tell from ours;
gunicorn drops those. The proxy's word is the whole of signing in: no code of a second factor is asked for.
"""

import logging

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import RemoteUserMiddleware
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from reader.owner import is_owned
from rssmanager.proxies import is_from_proxy

logger = logging.getLogger(__name__)


class ProxySignIn(RemoteUserMiddleware):
    """Django's, for whom the operator trusts. Installed only where `PROXY_SIGN_IN_HEADER` is set."""

    @property
    def header(self) -> str:  # type: ignore[override]
        return "HTTP_" + settings.ENV.PROXY_SIGN_IN_HEADER.upper().replace("-", "_")

    def process_request(self, request: HttpRequest) -> None:
        value = request.META.get(self.header)
        if value is not None and not is_from_proxy(request):
            del request.META[self.header]
        elif value is not None and "," in value:
            logger.warning("a trusted proxy sent several values of %s; none was believed", self.header)
            del request.META[self.header]
        super().process_request(request)


class ProxyBackend(RemoteUserBackend):
    """Accounts by the name that the proxy says. The first one is the owner's, which no proxy makes."""

    @property
    def create_unknown_user(self) -> bool:  # type: ignore[override]
        return bool(settings.ENV.PROXY_SIGN_IN_CREATE) and is_owned()

    def authenticate(self, request: HttpRequest | None, remote_user: str | None) -> User | None:  # type: ignore[override]
        name = self.clean_username(remote_user or "")
        try:
            User._meta.get_field("username").run_validators(name)
        except ValidationError:
            return None
        return super().authenticate(request, name)

    def clean_username(self, username: str) -> str:
        return User.normalize_username(username.strip())

    def configure_user(self, request: HttpRequest, user: User, created: bool = True) -> User:  # type: ignore[override]
        if created:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return user
