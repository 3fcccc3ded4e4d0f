"""A browser in plain words, by what it calls itself."""

from django.utils.translation import gettext as _
from ua_parser import parse


def words_of(agent: str) -> str:
    """Such as "Firefox on Linux"; what cannot be told is left out."""
    found = parse(agent)
    browser = found.user_agent.family if found.user_agent else ""
    system = found.os.family if found.os else ""
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("An unknown browser")
