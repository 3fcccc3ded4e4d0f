"""Headers of every response besides those of Django and django-csp, including errors and static files.

Other sites may not load anything from here, not even as an image: it would be requested with the user's cookies, and
its size and timing would reveal what they read. Only pictures in emails and feeds' icons for apps may be, and scripts
may call the JSON API with an app password (`rssmanager.api.v1.urls`): these don't depend on cookies. No page needs the
user's devices, so none may ask for them.

Pages are private, so shared caches may not store them, and browsers revalidate them: after signing out, "back" shows
nothing. Views whose responses may be cached set their own header.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

DENIED = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "idle-detection"),
    *("local-fonts", "magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"),
)
HEADERS = {
    "Cache-Control": "private, no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in DENIED),
}


def add_headers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware. Headers that a view sets itself are kept."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return respond
