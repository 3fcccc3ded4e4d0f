"""A browser's name, from its User-Agent header."""

from django.utils.translation import gettext as _
from ua_parser import parse


def describe_browser(agent: str) -> str:
    """Such as "Firefox on Linux", without unknown parts."""
    parsed = parse(agent)
    browser = parsed.user_agent.family if parsed.user_agent else ""
    system = parsed.os.family if parsed.os else ""
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("An unknown browser")
