"""Serving the app under a path, such as `https://example.org/reader`.

The proxy passes the whole path on. If it stripped the prefix, `/feeds/7/` of an app at `/feeds` would be ambiguous.
Monitoring knows only the port, so its paths work without the prefix too.
"""

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

MONITORING = ("/healthz", "/readyz", "/metrics")


def below(path: str, application: WSGIApplication) -> WSGIApplication:
    """Serve the application under `path` (`/reader`); redirect `/` there, and answer 404 outside."""

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        target = f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
        if target.startswith(f"{path}/"):
            return application(environ | {"SCRIPT_NAME": path, "PATH_INFO": target.removeprefix(path)}, start_response)
        if target in MONITORING:
            return application(environ, start_response)
        is_root = target in ("", "/", path)
        body = f"The app is at {path}/.\n".encode()
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
        if is_root:
            headers.append(("Location", f"{path}/"))
        start_response("302 Found" if is_root else "404 Not Found", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    return respond
