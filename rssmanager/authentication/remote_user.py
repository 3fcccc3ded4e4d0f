"""Signing in by a header that a reverse proxy sets, as Authelia, Authentik and others do: it names the user.

The header is trusted from networks of `TRUSTED_PROXIES` only. From there, a session that it started ends with the first
request without it. A header sent twice arrives as one with a comma, and is ignored: the second may be the visitor's
own. So may one spelled with an underscore, which looks the same to the app; the web server drops those. The header is
all it takes to sign in: no second factor is asked for.
"""

import logging

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import RemoteUserMiddleware
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from reader.preferences.owner import is_owned
from rssmanager.middleware.trusted_proxies import is_from_proxy

logger = logging.getLogger(__name__)


class ProxySignIn(RemoteUserMiddleware):
    """Django's, for trusted proxies only. Installed if `PROXY_SIGN_IN_HEADER` is set."""

    @property
    def header(self) -> str:  # type: ignore[override]
        return "HTTP_" + settings.ENV.PROXY_SIGN_IN_HEADER.upper().replace("-", "_")

    def process_request(self, request: HttpRequest) -> None:
        value = request.META.get(self.header)
        if value is not None and not is_from_proxy(request):
            del request.META[self.header]
        elif value is not None and "," in value:
            logger.warning("a trusted proxy sent several values of %s, which were ignored", self.header)
            del request.META[self.header]
        super().process_request(request)


class ProxyBackend(RemoteUserBackend):
    """Users by the name that the proxy sends. It can't create the first one, the owner."""

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
