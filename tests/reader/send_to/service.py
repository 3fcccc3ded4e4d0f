"""A service on loopback that articles are sent to."""

import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Service:
    """Answers with these statuses and bodies in turn, the last one again and again; records the requests."""

    def __init__(self) -> None:
        self.answers: deque[tuple[int, bytes]] = deque([(201, b"{}")])
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.asked.append((self.path, dict(self.headers), body))
                status, answer = service.answers.popleft() if len(service.answers) > 1 else service.answers[0]
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.send_header("Location", "https://elsewhere.example/")
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
