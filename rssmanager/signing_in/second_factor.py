"""The second factor: codes by time (RFC 6238), and recovery codes for who lost what makes them.

django-otp keeps the secrets and checks the codes, each of which opens once: under a lock on its row a code is taken
only if it is of a later time than the last one. Its own throttle is off (`settings.OTP_TOTP_THROTTLE_FACTOR`), for its
waits double without end; codes are counted by `throttling`, as all guesses are. Its recovery codes are kept in plain,
so ours are our own, as digests. The secrets must be kept as they are, or nothing could be compared: who has the
database, or a backup of it, has them.
"""

from base64 import b32encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_bytes

import segno
from django.contrib.auth.models import User
from django.db import transaction
from django_otp import verify_token
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.signing_in import throttling
from rssmanager.signing_in.models import RecoveryCode

N_RECOVERY_CODES = 10
DIGITS = 6
SET_UP_WITHIN = timedelta(minutes=15)  # afterwards a secret that was shown and not confirmed is forgotten


@dataclass(frozen=True, slots=True)
class Picture:
    """A square of `size` cells, and its dark ones as the path of an SVG."""

    size: int
    path: str


def is_on(user: User) -> bool:
    """Whether a password alone does not sign this person in."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def begin(user: User) -> None:
    """Make a secret, which counts for nothing until it is confirmed."""
    TOTPDevice.objects.filter(user=user, confirmed=False).delete()
    TOTPDevice.objects.create(user=user, name="app", confirmed=False)


def begun(user: User, *, now: datetime) -> TOTPDevice | None:
    """The secret that waits to be confirmed; None where there is none, or it is too old."""
    waiting = TOTPDevice.objects.filter(user=user, confirmed=False, created_at__gt=now - SET_UP_WITHIN)
    return waiting.order_by("-pk").first()


def confirm(user: User, code: str, *, now: datetime) -> list[str]:
    """Switch it on, if `code` is of the secret that waits; returns recovery codes, [] where it is not."""
    device = begun(user, now=now)
    with transaction.atomic():
        if device is None or verify_token(user, device.persistent_id, _bare(code)) is None:
            return []
        TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
        TOTPDevice.objects.filter(pk=device.pk).update(confirmed=True)
        return new_recovery_codes(user)


def new_recovery_codes(user: User) -> list[str]:
    """Ten new ones in place of those there were. They can be read here and never again."""
    codes = [b32encode(token_bytes(10)).decode() for _ in range(N_RECOVERY_CODES)]
    with transaction.atomic():
        RecoveryCode.objects.filter(user=user).delete()
        RecoveryCode.objects.bulk_create([RecoveryCode(user=user, digest=_digest(code)) for code in codes])
    return ["-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in codes]


def n_recovery_codes(user: User) -> int:
    """How many are left."""
    return RecoveryCode.objects.filter(user=user).count()


def check(user: User, code: str, *, now: datetime) -> bool:
    """Whether the code opens; it does so once. Raises TooManyTries."""
    code = _bare(code)
    is_by_time = len(code) == DIGITS
    limits = throttling.CODE if is_by_time else throttling.RECOVERY
    tried = throttling.try_once([throttling.Count(limit, str(user.pk)) for limit in limits], now=now)
    is_right = _opens(user, code) if is_by_time else _uses_up(user, code)
    if is_right:
        throttling.take_back(tried)
    return is_right


def switch_off(user: User) -> bool:
    """Forget secret and recovery codes; False where there was no secret."""
    RecoveryCode.objects.filter(user=user).delete()
    return TOTPDevice.objects.filter(user=user).delete()[0] > 0


def secret_as_text(device: TOTPDevice) -> str:
    """What is typed where no picture can be taken, in groups of four."""
    secret = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


def secret_as_picture(device: TOTPDevice) -> Picture:
    """The same as a QR code, with the margin that cameras need."""
    rows = list(segno.make_qr(device.config_url, error="m").matrix_iter(border=4))
    dark = [(x, y) for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark]
    return Picture(len(rows), "".join(f"M{x} {y}h1v1h-1z" for x, y in dark))


def _opens(user: User, code: str) -> bool:
    device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    return device is not None and verify_token(user, device.persistent_id, code) is not None


def _uses_up(user: User, code: str) -> bool:
    return RecoveryCode.objects.filter(user=user, digest=_digest(code)).delete()[0] == 1


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()


def _bare(code: str) -> str:
    """As people copy it: in groups, in small letters."""
    return "".join(code.replace("-", "").split()).upper()
