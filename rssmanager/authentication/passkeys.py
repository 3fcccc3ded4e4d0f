"""Passkeys (WebAuthn): keys kept by a phone, a computer or a security key, which sign in without a password.

python-fido2 makes the challenges and checks the answers. A passkey has to verify its user, by fingerprint, face or PIN,
so it stands for both factors. A challenge is kept in the session, and the first answer uses it up.

Passkeys belong to the host of `BASE_URL`, and answers are accepted from pages there only, whatever a request calls the
site. Browsers want https for that, except on localhost.
"""

import json
import logging
from datetime import datetime
from struct import error as StructError
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from reader.limits import PASSKEYS
from rssmanager.authentication.errors import PasskeyRefused
from rssmanager.authentication.models import Passkey

logger = logging.getLogger(__name__)
REFUSED = _("This passkey didn't work. Try again, or use another way.")
MAX_RESPONSE = 20_000  # characters of what a browser sends
_CHALLENGE = "passkey_challenge"  # of the session
_VERIFIED = UserVerificationRequirement.REQUIRED
# What python-fido2 raises for answers that are malformed, unsupported, of another challenge or wrongly signed.
_FAULTS = (ValueError, TypeError, LookupError, AttributeError, AssertionError, RuntimeError, StructError)


def are_possible() -> bool:
    """Whether browsers allow passkeys at `BASE_URL`."""
    address = urlsplit(settings.BASE_URL)
    return address.scheme == "https" or address.hostname == "localhost"


def creation_options(request: HttpRequest, user: User) -> dict[str, Any]:
    """What a browser needs to create a passkey for the user."""
    handle = salted_hmac("rssmanager.passkeys", str(user.pk), algorithm="sha256").digest()  # reveals nothing
    entity = PublicKeyCredentialUserEntity(id=handle, name=user.get_username(), display_name=user.get_username())
    options, request.session[_CHALLENGE] = _server().register_begin(
        entity,
        [_credential(passkey) for passkey in Passkey.objects.filter(user=user)],  # not another one on the same device
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=_VERIFIED,
    )
    return dict(options.public_key)


def add(request: HttpRequest, user: User, answer: str, *, name: str, now: datetime) -> Passkey:
    """Keep the passkey that a browser created. Raises PasskeyRefused, LimitReached."""
    challenge = request.session.pop(_CHALLENGE, None)
    try:
        credential = _server().register_complete(challenge, _parsed(answer)).credential_data
        assert credential is not None  # noqa: S101 - python-fido2 has checked it
        PASSKEYS.check(Passkey.objects.filter(user=user))
        with transaction.atomic():
            return Passkey.objects.create(
                user=user,
                name=name,
                credential_id=websafe_encode(credential.credential_id),
                credential=websafe_encode(credential),
                created_at=now,
            )
    except (IntegrityError, *_FAULTS) as error:
        raise PasskeyRefused from error


def request_options(request: HttpRequest) -> dict[str, Any]:
    """What a browser needs to ask for any passkey of this site; the same for everyone."""
    options, request.session[_CHALLENGE] = _server().authenticate_begin(user_verification=_VERIFIED)
    return dict(options.public_key)


def check(request: HttpRequest, answer: str, *, now: datetime) -> Passkey:
    """The passkey that answered the challenge, with its active user. Raises PasskeyRefused."""
    challenge = request.session.pop(_CHALLENGE, None)
    try:
        given = AuthenticationResponse.from_dict(_parsed(answer))
        known = Passkey.objects.select_related("user").filter(user__is_active=True)
        passkey = known.get(credential_id=websafe_encode(given.raw_id))
        _server().authenticate_complete(challenge, [_credential(passkey)], given)
    except (Passkey.DoesNotExist, *_FAULTS) as error:
        logger.warning("Passkey refused: %s: %s", type(error).__name__, error)
        raise PasskeyRefused from error
    Passkey.objects.filter(pk=passkey.pk).update(last_used_at=now)
    return passkey


def _server() -> Fido2Server:
    address = urlsplit(settings.BASE_URL)
    site = PublicKeyCredentialRpEntity(id=address.hostname, name=f"RSS Manager {address.hostname}")
    origin = f"{address.scheme}://{address.netloc}"
    return Fido2Server(site, verify_origin=lambda given: given == origin)


def _credential(passkey: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(websafe_decode(passkey.credential))


def _parsed(answer: str) -> dict[str, Any]:
    value = json.loads(answer) if len(answer) <= MAX_RESPONSE else None
    if not isinstance(value, dict):
        raise ValueError("not a browser's response")
    return value
