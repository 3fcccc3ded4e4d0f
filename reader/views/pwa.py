"""Files for installing the app in a browser, and its offline page."""

import json

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

ICONS = (
    ("icons/icon-192.png", 192, "any"),
    ("icons/icon-512.png", 512, "any"),
    ("icons/icon-maskable-512.png", 512, "maskable"),
    ("icons/icon-monochrome-512.png", 512, "monochrome"),
)
SHORTCUTS = (
    (gettext_lazy("Today"), "today"),
    (gettext_lazy("For you"), "for_you"),
    (gettext_lazy("All articles"), "home"),
)


@login_not_required
@cache_control(max_age=3600)
@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest. What is shared with the app can be saved or followed."""
    document = {
        "id": reverse("today"),
        "name": "RSS Manager",
        "short_name": "RSS Manager",
        "description": _("Every story once, the most important first."),
        "lang": get_language(),
        "start_url": reverse("today"),
        "scope": reverse("today"),
        "display": "standalone",
        "background_color": "#fbfaf7",
        "theme_color": "#fbfaf7",
        "icons": [
            {"src": static(path), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
            for path, size, purpose in ICONS
        ],
        "shortcuts": [{"name": str(name), "url": reverse(view)} for name, view in SHORTCUTS],
        "share_target": {
            "action": reverse("save_page"),
            "method": "GET",  # a POST from outside would come without cookies
            "params": {"url": "url", "text": "text", "title": "title"},
        },
    }
    return HttpResponse(json.dumps(document), content_type="application/manifest+json")


@login_not_required
@cache_control(no_cache=True)
@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script that shows the offline page while the server is unreachable; served at the root for its scope."""
    return HttpResponse(render_to_string("reader/service_worker.js"), content_type="text/javascript")


@login_not_required
@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """The offline page. Browsers cache it, so it contains no user data."""
    return HttpResponse(render_to_string("offline.html"))
