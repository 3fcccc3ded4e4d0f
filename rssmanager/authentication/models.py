"""Attempts, recovery codes, passkeys, app passwords, sessions and provider identities."""

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _


class Try(models.Model):
    """An attempt that counts toward a limit.

    `key` is a keyed digest of the user, name or address: people type passwords into the username field, and addresses
    shouldn't be kept.
    """

    limit = models.CharField(max_length=20)
    key = models.CharField(max_length=64)
    at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = (models.Index(fields=("limit", "key", "at"), name="try_by_key"),)

    def __str__(self) -> str:
        return f"{self.limit} at {self.at:%Y-%m-%d %H:%M}"


class RecoveryCode(models.Model):
    """Works once in place of an app or passkey. It has 80 random bits, so a plain digest reveals nothing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "digest"), name="recovery_code_once"),)

    def __str__(self) -> str:
        return f"a recovery code of {self.user_id}"


class Passkey(models.Model):
    """A user's passkey: `credential` is what python-fido2 needs to check it, a public key among it; both in base64."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    credential_id = models.CharField(max_length=1364, unique=True)  # 1023 bytes in base64, WebAuthn's maximum
    credential = models.TextField()
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Scope(models.TextChoices):
    """What an app password may change. All of them may read."""

    WRITE = "write", _("Mark, star, tag, highlight and save articles")
    FEEDS = "feeds", _("Follow, refresh, move and unfollow feeds")
    RULES = "rules", _("Change rules, interests and saved searches")


class AppPassword(models.Model):
    """A password of one app (`app_passwords`), as digests of 140 random bits: nothing usable is stored.

    `fever_digest` is the SHA-256 of Fever's key, which is the MD5 of user name and password. `scopes` are names of
    `Scope`, separated by spaces.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    fever_digest = models.CharField(max_length=64, unique=True)
    scopes = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    @property
    def may(self) -> list[Scope]:
        """What it may change, in the order of `Scope`."""
        return [scope for scope in Scope if scope in self.scopes.split()]


class BrowserSession(AbstractBaseSession):
    """A session with its user and browser; see `sessions`. `session_key` is the digest of the key in the cookie.

    `waits_for` is the user who gave a password but no second factor yet; `user` is null until then.
    """

    session_key = models.CharField(primary_key=True, max_length=64)
    expire_date = models.DateTimeField(db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    waits_for = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    agent = models.CharField(max_length=300)
    address = models.CharField(max_length=45)
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"a session of {self.user_id} since {self.began_at:%Y-%m-%d %H:%M}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        return import_string(f"{settings.SESSION_ENGINE}.SessionStore")


class Identity(models.Model):
    """A user's identity at an OpenID Connect provider. Not an email address, which can pass to someone else."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    connected_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("issuer", "subject"), name="identity_once"),
            models.UniqueConstraint(fields=("issuer", "user"), name="identity_once_a_user"),
        )

    def __str__(self) -> str:
        return f"{self.user_id} at {self.issuer}"
