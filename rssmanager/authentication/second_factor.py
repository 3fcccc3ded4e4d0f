"""The second factor: codes of an app (TOTP, RFC 6238) or a passkey, and recovery codes in case they are lost.

It is on for users who have either. django-otp keeps the app's secrets and checks its codes, each of which works once:
under a lock on its row a code is accepted only if it is later than the last one. Its own throttle is off
(`settings.OTP_TOTP_THROTTLE_FACTOR`), because its waits double without end; codes are counted by `throttling`, like all
guesses. Its recovery codes are stored as plain text, so ours are our own, stored as digests. The app's secrets have to
be readable to compare codes: anyone with the database, or a backup of it, has them.
"""

import re
from base64 import b32encode
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_bytes

from django.contrib.auth.models import User
from django.db import transaction
from django_otp import verify_token
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.authentication import throttling
from rssmanager.authentication.models import Passkey, RecoveryCode

N_RECOVERY_CODES = 10
DIGITS = 6
_CODE = re.compile(rf"[0-9]{{{DIGITS}}}|[A-Z2-7]{{16}}")
SET_UP_WITHIN = timedelta(minutes=15)  # after that, an unconfirmed secret is no longer valid


def is_on(user: User) -> bool:
    """Whether a password alone does not sign the user in."""
    return has_app(user) or Passkey.objects.filter(user=user).exists()


def has_app(user: User) -> bool:
    """Whether an app makes codes for the user."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def start_setup(user: User) -> None:
    """Create a secret, which isn't used until it is confirmed."""
    TOTPDevice.objects.filter(user=user, confirmed=False).delete()
    TOTPDevice.objects.create(user=user, name="app", confirmed=False)


def unconfirmed_device(user: User, *, now: datetime) -> TOTPDevice | None:
    """The secret that is being set up; None if there is none, or it has expired."""
    devices = TOTPDevice.objects.filter(user=user, confirmed=False, created_at__gt=now - SET_UP_WITHIN)
    return devices.order_by("-pk").first()


def confirm(user: User, code: str, *, now: datetime) -> bool:
    """Activate the app if `code` belongs to the secret that is being set up."""
    device = unconfirmed_device(user, now=now)
    with transaction.atomic():
        if device is None or verify_token(user, device.persistent_id, _normalize(code)) is None:
            return False
        TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
        TOTPDevice.objects.filter(pk=device.pk).update(confirmed=True)
    return True


def new_recovery_codes(user: User) -> list[str]:
    """Replace the user's recovery codes by ten new ones, which can't be read again."""
    codes = [b32encode(token_bytes(10)).decode() for _ in range(N_RECOVERY_CODES)]
    with transaction.atomic():
        RecoveryCode.objects.filter(user=user).delete()
        RecoveryCode.objects.bulk_create([RecoveryCode(user=user, digest=_digest(code)) for code in codes])
    return ["-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in codes]


def n_recovery_codes(user: User) -> int:
    """How many are left."""
    return RecoveryCode.objects.filter(user=user).count()


def check(user: User, code: str, *, now: datetime) -> bool:
    """Whether a code of the app or a recovery code is valid; each works once. Raises TooManyTries."""
    code = _normalize(code)
    is_by_time = len(code) == DIGITS
    limits = throttling.CODE if is_by_time else throttling.RECOVERY
    tried = throttling.count_try([throttling.Count(limit, str(user.pk)) for limit in limits], now=now)
    is_valid = _check_app_code(user, code) if is_by_time else _use_recovery_code(user, code)
    if is_valid:
        throttling.uncount(tried)
    return is_valid


def looks_like_code(text: str) -> bool:
    """Whether it could be a code of an app or a recovery code; most passwords couldn't."""
    return bool(_CODE.fullmatch(_normalize(text)))


def remove_app(user: User) -> None:
    """Delete the app's secret."""
    TOTPDevice.objects.filter(user=user).delete()
    _remove_unused_codes(user)


def remove_passkey(user: User, pk: int) -> None:
    """Delete that passkey of the user."""
    Passkey.objects.filter(user=user, pk=pk).delete()
    _remove_unused_codes(user)


def switch_off(user: User) -> None:
    """Delete the app's secret, all passkeys and the recovery codes."""
    Passkey.objects.filter(user=user).delete()
    remove_app(user)


def secret_as_text(device: TOTPDevice) -> str:
    """The secret to type into an app, in groups of four."""
    secret = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


def _remove_unused_codes(user: User) -> None:
    """Without an app or passkey, recovery codes have no use."""
    if not is_on(user):
        RecoveryCode.objects.filter(user=user).delete()


def _check_app_code(user: User, code: str) -> bool:
    device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    return device is not None and verify_token(user, device.persistent_id, code) is not None


def _use_recovery_code(user: User, code: str) -> bool:
    return RecoveryCode.objects.filter(user=user, digest=_digest(code)).delete()[0] == 1


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()


def _normalize(code: str) -> str:
    """The code without spaces and hyphens, in upper case."""
    return "".join(code.replace("-", "").split()).upper()
