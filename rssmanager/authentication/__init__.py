"""Sign-in: passwords, passkeys, second factors, OpenID Connect, a proxy's header, and the sessions they start.

Each protocol is left to a library: TOTP to django-otp, WebAuthn to python-fido2, OpenID Connect to Authlib, passwords
and sessions to Django.

Rejected: django-allauth 65.21, which would replace much of this. Its OpenID Connect sends no nonce, doesn't check the
ID token's signature, and trusts the issuer named in the provider's metadata. Its app codes can be replayed after 30
seconds once clocks may differ, and in other web processes unless they share a cache. Recovery codes are readable in the
database by default, session keys always, and so are cookies while a form waits for confirmation. Users with neither a
password nor a second factor never have to confirm.
"""
