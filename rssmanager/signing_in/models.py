"""What signing in leaves, as rows."""

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.module_loading import import_string


class Try(models.Model):
    """Something that can be guessed or overdone was tried.

    `key` is a keyed digest of who or where: people type passwords into the field for names, and addresses are nobody's
    business later.
    """

    limit = models.CharField(max_length=20)
    key = models.CharField(max_length=64)
    at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = (models.Index(fields=("limit", "key", "at"), name="try_by_key"),)

    def __str__(self) -> str:
        return f"{self.limit} at {self.at:%Y-%m-%d %H:%M}"


class RecoveryCode(models.Model):
    """What opens once in place of a code of the second factor. Of 80 random bits a plain digest tells nothing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "digest"), name="recovery_code_once"),)

    def __str__(self) -> str:
        return f"a recovery code of {self.user_id}"


class BrowserSession(AbstractBaseSession):
    """A session, and whose it is; see `sessions`. `session_key` is the digest of what the browser has."""

    session_key = models.CharField(primary_key=True, max_length=64)
    expire_date = models.DateTimeField(db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
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
    """Whom a provider of OpenID Connect knows somebody as. An e-mail address is none: it can become another's."""

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
