"""Attacks from outside: scripts against a running server with two users and an administrator (`make test-nightly`)."""
