"""Maps AMP and mobile editions of a page to the page itself, by host, path or parameter (SPEC §5).

A label `m`, `mobile`, `amp`, … is dropped only left of the registrable domain, so `m.com`, `amp.dev` and `m.github.io`
stay. Known false positives: an article at `/guitars/amp` on a site about amplifiers; mobile editions whose paths differ
from the main site's (the known ones are in `_MOBILE_ONLY`).
"""

import re

from feeds.normalizing.domains import registrable_domain

_LABELS = frozenset({"m", "mobile", "amp", "wap", "touch", "3g"})
_MOBILE_ONLY = frozenset({"m.weibo.cn", "m.thepaper.cn", "m.gushiwen.cn", "m.cnbeta.com.tw", "touch.toutiao.com"})
_AMP_PATH = re.compile(r"(?P<lead>/amp(?=/[^/]))?(?P<path>.*?)(?P<tail>/amp/?|[.-]amp(?=\.html?))?(?P<end>\.html?)?")
_TRUE = frozenset({"", "1", "true", "yes", "y"})


def main_host(host: str) -> str:
    """Return the host of the main edition: `m.example.com` and `en.m.example.org` lose their `m`."""
    labels = host.split(".")
    if len(labels) < 3 or _LABELS.isdisjoint(labels) or host in _MOBILE_ONLY:
        return host
    n_labels = registrable_domain(host).count(".") + 1
    own = [label for label in labels[:-n_labels] if label not in _LABELS]
    return ".".join(own + labels[-n_labels:])


def without_amp_path(path: str) -> str:
    """Return the path of the main edition of `/amp/x`, `/x/amp`, `/x/amp/` or `/x.amp.html`."""
    match = _AMP_PATH.fullmatch(path)
    if not match or not match["path"]:
        return path
    return match["path"] + (match["end"] or "")


def is_variant_parameter(name: str, value: str, domain: str) -> bool:
    """Whether a parameter only selects the AMP or mobile edition: `amp=1`, `outputType=amp`, Blogger's `m=1`."""
    name, value = name.lower(), value.lower()
    if name == "amp":
        return value in _TRUE
    if name in {"outputtype", "output", "view", "mode"}:
        return value == "amp"
    return name == "m" and value in {"0", "1"} and (domain.endswith(".blogspot.com") or domain == "blogspot.com")
