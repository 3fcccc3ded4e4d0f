"""What an account change replaces, as JSON, and how to restore it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.accounts.deletion import reopen
from rssmanager.accounts.models import ChangeKind
from rssmanager.authentication.models import AppPassword, Identity, Passkey, RecoveryCode

_SECRET = ("name", "key", "step", "t0", "digits", "tolerance", "drift", "last_t")
_PASSKEY = ("name", "credential_id", "credential")
_APP_PASSWORD = ("name", "digest", "fever_digest", "scopes")
_PARTS: dict[str, str] = {
    ChangeKind.EMAIL: "email",
    ChangeKind.PASSWORD: "password",
    ChangeKind.PASSKEY_ADDED: "second_factor",
    ChangeKind.PASSKEY_REMOVED: "second_factor",
    ChangeKind.FACTOR_ON: "second_factor",
    ChangeKind.CODES: "second_factor",
    ChangeKind.FACTOR_OFF: "second_factor",
    ChangeKind.APP_ADDED: "app_passwords",
    ChangeKind.APP_REVOKED: "app_passwords",
    ChangeKind.CONNECTED: "identities",
    ChangeKind.DISCONNECTED: "identities",
    ChangeKind.DELETION: "is_active",
}


def snapshot(user: User, kind: ChangeKind) -> dict[str, Any]:
    """What such a change would replace, as currently stored; empty if it replaces nothing."""
    part = _PARTS.get(kind)
    return {part: _READ[part](user)} if part else {}


def restore(user: User, before: dict[str, Any]) -> None:
    """Restore what a change replaced."""
    for part, value in before.items():
        _RESTORE[part](user, value)


def _column(name: str) -> Callable[[User], Any]:
    return lambda user: User.objects.values_list(name, flat=True).get(pk=user.pk)


def _column_restorer(name: str) -> Callable[[User, Any], None]:
    def restore_column(user: User, value: Any) -> None:
        User.objects.filter(pk=user.pk).update(**{name: value})
        setattr(user, name, value)

    return restore_column


def _read_second_factor(user: User) -> dict[str, Any]:
    devices = TOTPDevice.objects.filter(user=user, confirmed=True).order_by("pk")
    codes = RecoveryCode.objects.filter(user=user).order_by("digest")
    passkeys = [
        {name: getattr(passkey, name) for name in _PASSKEY} | {"created_at": passkey.created_at.isoformat()}
        for passkey in Passkey.objects.filter(user=user).order_by("pk")
    ]
    return {
        "devices": list(devices.values(*_SECRET)),
        "codes": list(codes.values_list("digest", flat=True)),
        "passkeys": passkeys,
    }


def _restore_second_factor(user: User, value: dict[str, Any]) -> None:
    TOTPDevice.objects.filter(user=user).delete()
    RecoveryCode.objects.filter(user=user).delete()
    Passkey.objects.filter(user=user).delete()
    TOTPDevice.objects.bulk_create([TOTPDevice(user=user, confirmed=True, **device) for device in value["devices"]])
    RecoveryCode.objects.bulk_create([RecoveryCode(user=user, digest=digest) for digest in value["codes"]])
    for passkey in value["passkeys"]:
        created_at = datetime.fromisoformat(passkey["created_at"])
        Passkey.objects.create(user=user, created_at=created_at, **{name: passkey[name] for name in _PASSKEY})


def _read_app_passwords(user: User) -> list[dict[str, Any]]:
    return [
        {name: getattr(row, name) for name in _APP_PASSWORD} | {"created_at": row.created_at.isoformat()}
        for row in AppPassword.objects.filter(user=user).order_by("pk")
    ]


def _restore_app_passwords(user: User, value: list[dict[str, Any]]) -> None:
    """Those that were kept stay as they are, so that their apps stay signed in."""
    AppPassword.objects.filter(user=user).exclude(digest__in=[row["digest"] for row in value]).delete()
    rows = [AppPassword(user=user, **row | {"created_at": datetime.fromisoformat(row["created_at"])}) for row in value]
    AppPassword.objects.bulk_create(rows, ignore_conflicts=True)


def _read_identities(user: User) -> list[dict[str, str]]:
    rows = Identity.objects.filter(user=user).order_by("issuer")
    return [
        {"issuer": row.issuer, "subject": row.subject, "connected_at": row.connected_at.isoformat()} for row in rows
    ]


def _restore_identities(user: User, value: list[dict[str, str]]) -> None:
    """Identities connected to another account in the meantime stay there."""
    Identity.objects.filter(user=user).delete()
    for row in value:
        key = {"issuer": row["issuer"], "subject": row["subject"]}
        if not Identity.objects.filter(**key).exists():
            Identity.objects.create(user=user, connected_at=datetime.fromisoformat(row["connected_at"]), **key)


_READ: dict[str, Callable[[User], Any]] = {
    "email": _column("email"),
    "password": _column("password"),
    "second_factor": _read_second_factor,
    "app_passwords": _read_app_passwords,
    "identities": _read_identities,
    "is_active": _column("is_active"),
}
_RESTORE: dict[str, Callable[[User, Any], None]] = {
    "email": _column_restorer("email"),
    "password": _column_restorer("password"),
    "second_factor": _restore_second_factor,
    "app_passwords": _restore_app_passwords,
    "identities": _restore_identities,
    "is_active": lambda user, _: reopen(user),
}
