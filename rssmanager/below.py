"""The site below a path of its host, such as `https://example.org/reader`.

The proxy passes addresses on whole. Were it to take the path off, nobody could tell `/feeds/7/` of a site at `/feeds`
from the page of a feed. What watches the process knows its port alone, so its addresses are answered without the path
too.
"""

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

WATCHED = ("/healthz", "/readyz", "/metrics")


def below(path: str, application: WSGIApplication) -> WSGIApplication:
    """The application as it is asked below `path` (`/reader`); who asks above it is led there, or finds nothing."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        asked = f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
        if asked.startswith(f"{path}/"):
            return application(environ | {"SCRIPT_NAME": path, "PATH_INFO": asked.removeprefix(path)}, start_response)
        if asked in WATCHED:
            return application(environ, start_response)
        is_near = asked in ("", "/", path)
        body = f"The reader is at {path}/ here.\n".encode()
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
        if is_near:
            headers.append(("Location", f"{path}/"))
        start_response("302 Found" if is_near else "404 Not Found", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    return answer
