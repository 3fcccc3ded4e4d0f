"""A small local OpenID Connect provider with real HTTP and signatures, and configurable lies."""

import json
import secrets
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from joserfc.jws import JWSRegistry

CLIENT_ID, CLIENT_SECRET = "reader", "reader-secret"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
STRANGERS_KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


class Provider:
    """`claims` adds to and overrides the correct claims; None removes one."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.document: dict[str, Any] = {}
        self.signed = "RS256"  # or "none", "HS256", or "stranger"
        self.asked: list[str] = []  # paths
        self.verifiers: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def authorize(self, url: str) -> str:
        """The path and query that the browser returns with after the user agreed at `url`."""
        query = dict(parse_qsl(urlsplit(url).query))
        assert url.startswith(f"{self.issuer}/authorize?")
        assert (query["response_type"], query["client_id"]) == ("code", CLIENT_ID)
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self._codes[code] = query
        return f"{urlsplit(query['redirect_uri']).path}?code={code}&state={query['state']}"

    def _describe(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["none", "HS256", "RS256"],
        } | self.document

    def _token(self, form: dict[str, str]) -> dict[str, str] | None:
        request = self._codes.pop(form.get("code", ""), None)
        verifier = form.get("code_verifier", "")
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        if (
            request is None
            or request["code_challenge"] != challenge
            or request["redirect_uri"] != form.get("redirect_uri")
        ):
            return None
        self.verifiers.append(verifier)
        now = int(time.time())
        truth = {"iss": self.issuer, "sub": "248289", "aud": CLIENT_ID, "exp": now + 300, "iat": now}
        claims = truth | {"nonce": request["nonce"], "preferred_username": "ada"} | self.claims
        id_token = self._sign({name: value for name, value in claims.items() if value is not None})
        return {"access_token": "opaque", "token_type": "Bearer", "id_token": id_token}

    def _sign(self, claims: dict[str, Any]) -> str:
        if self.signed == "none":
            parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
            return ".".join(urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."
        if self.signed == "HS256":  # with the public key, which anyone knows, as the secret
            key = OctKey.import_key(KEY.as_pem(private=False))
            registry = JWSRegistry(algorithms=["HS256"])
            return jwt.encode({"alg": "HS256", "kid": "one"}, claims, key, registry=registry)
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, STRANGERS_KEY if self.signed == "stranger" else KEY)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked.append(self.path)
                keys = {"keys": [KEY.as_dict(private=False)]}
                documents = {"/.well-known/openid-configuration": provider._describe(), "/keys": keys}
                self._answer(documents.get(self.path))

            def do_POST(self) -> None:
                provider.asked.append(self.path)
                sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
                credentials = urlsafe_b64decode(self.headers.get("Authorization", "").partition(" ")[2] + "==").decode()
                is_ours = credentials == f"{CLIENT_ID}:{CLIENT_SECRET}"
                form = {name: values[0] for name, values in parse_qs(sent).items()}
                self._answer(provider._token(form) if is_ours else None)

            def _answer(self, found: dict[str, Any] | None) -> None:
                body = json.dumps(found if found is not None else {"error": "invalid_grant"}).encode()
                self.send_response(200 if found is not None else 400)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *given: object) -> None:
                """Log nothing."""

        return Handler
