"""The JSON API: what the interface can do, for scripts and other programs. `docs/api.md` shows how it is used."""
