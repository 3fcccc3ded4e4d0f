"""Where an OpenAI-compatible server takes questions, from whatever of its address somebody wrote down."""

import re

_VERSION = re.compile(r"/v\d+[a-z0-9]*(?:/|$)")  # /v1, /api/paas/v4, /v1beta/openai
_ENDPOINT = "/chat/completions"


def completions_url(base_url: str) -> str:
    """The address of chat completions; `/v1` is added unless the path names a version or the endpoint itself."""
    base = base_url.rstrip("/")
    if base.endswith(_ENDPOINT):
        return base
    path = base.partition("://")[2].partition("/")[2]
    version = "" if _VERSION.search(f"/{path}") else "/v1"
    return f"{base}{version}{_ENDPOINT}"
