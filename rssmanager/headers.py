"""Headers that every answer carries beside those of Django and django-csp, errors, probes and static files included.

A page of another site may not load what is answered here, not even as a picture: it would be sent with the person's
cookies, and its size and time would tell what they read. And no page here needs the devices of whoever reads it, so
nothing that slips in may ask for them.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

DENIED = (
    *("accelerometer", "bluetooth", "camera", "display-capture", "geolocation", "gyroscope", "hid", "idle-detection"),
    *("local-fonts", "magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"),
)
HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in DENIED),
}


def add_headers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: what a view set itself stays."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return respond
