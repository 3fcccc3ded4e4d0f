"""A software passkey with real keys and signatures, and configurable lies."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_bytes
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import Client
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

ORIGIN, HOST = "https://reader.example", "reader.example"
SETTINGS = "/settings/account/second-factor/"
OPTIONS = "/login/passkey/options/"
VERIFIED = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


@dataclass
class Authenticator:
    """Responses of a device and its browser at `ORIGIN`, as JSON."""

    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    credential_id: bytes = field(default_factory=lambda: token_bytes(32))
    origin: str = ORIGIN
    host: str = HOST
    flags: AuthenticatorData.FLAG = VERIFIED

    def create(self, options: dict[str, Any]) -> str:
        credential = AttestedCredentialData.create(
            Aaguid.NONE, self.credential_id, ES256.from_cryptography_key(self.key.public_key())
        )
        data = self._data(self.flags | AuthenticatorData.FLAG.AT, credential)
        attestation = AttestationObject.create("none", data, {})
        return self._json({"attestationObject": websafe_encode(attestation)}, self._said("create", options))

    def get(self, options: dict[str, Any]) -> str:
        data, client_data = self._data(self.flags), self._said("get", options)
        signature = self.key.sign(data + sha256(client_data).digest(), ec.ECDSA(SHA256()))
        parts = {"authenticatorData": websafe_encode(data), "signature": websafe_encode(signature)}
        return self._json(parts, client_data)

    def _data(
        self, flags: AuthenticatorData.FLAG, credential: AttestedCredentialData | None = None
    ) -> AuthenticatorData:
        return AuthenticatorData.create(sha256(self.host.encode()).digest(), flags, 0, credential or b"")

    def _said(self, act: str, options: dict[str, Any]) -> CollectedClientData:
        return CollectedClientData.create(f"webauthn.{act}", websafe_decode(options["challenge"]), self.origin)

    def _json(self, parts: dict[str, str], said: CollectedClientData) -> str:
        name = websafe_encode(self.credential_id)
        response = parts | {"clientDataJSON": websafe_encode(said)}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})


def add_passkey(client: Client, authenticator: Authenticator, *, name: str = "My phone") -> str:
    """Add it to the signed-in user's account; return the response page."""
    options = client.post(f"{SETTINGS}passkey/").json()
    form = {"act": "passkey", "name": name, "passkey": authenticator.create(options)}
    return client.post(SETTINGS, form, follow=True).content.decode()
