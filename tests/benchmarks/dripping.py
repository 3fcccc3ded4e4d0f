"""`python -m tests.benchmarks.dripping PORT`: publishers on loopback, some of which respond at one byte per second.

`/slow/N.xml` drips for ever, in the headers for an odd N and in the body for an even one; `/honest/N.xml` answers at
once, each time with one entry more of its own. They are prose: what templated headlines cost is not the question here.
"""

import asyncio
import itertools
import sys
from collections import deque
from collections.abc import Iterator
from xml.sax.saxutils import escape

from tests.benchmarks.prose import Prose

PACE = 1.0  # seconds a byte
N_SLOW_HOSTS, N_HONEST_HOSTS = 50, 100
_count = itertools.count()
_prose = Prose(1)
_windows: dict[str, deque[str]] = {}


def slow_host(n: int) -> str:
    return f"127.0.1.{1 + n % N_SLOW_HOSTS}"


def honest_host(n: int) -> str:
    return f"127.0.2.{1 + n % N_HONEST_HOSTS}"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        if path.startswith("/slow/"):
            in_headers = int(path.removeprefix("/slow/").removesuffix(".xml")) % 2
            start = b"HTTP/1.1 200 OK\r\nX-Endless: " if in_headers else b"HTTP/1.1 200 OK\r\n\r\n<rss><!--"
            writer.write(start)
            while True:
                writer.write(b"a")
                await writer.drain()
                await asyncio.sleep(PACE)
        body = _document(path)
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nConnection: close\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        return  # the other side has had enough
    finally:
        writer.close()


def _document(path: str) -> bytes:
    items = "".join(_items(path))
    link = f"http://example.org{path}"
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>{path}</title><link>{link}</link>'
        f"<description>Feed {path}</description>{items}</channel></rss>"
    ).encode()


def _items(path: str) -> Iterator[str]:
    """A window of ten entries, of which one is new each time."""
    window = _windows.setdefault(path, deque(maxlen=10))
    for _ in range(1 if window else 10):
        story = _prose.story(week=1, n_words=120)
        window.appendleft(
            f"<item><title>{escape(story.title)}</title><guid>{path}/{next(_count)}</guid>"
            f"<description>{escape(story.text)}</description></item>"
        )
    return iter(window)


async def _serve(port: int) -> None:
    hosts = [slow_host(n) for n in range(N_SLOW_HOSTS)] + [honest_host(n) for n in range(N_HONEST_HOSTS)]
    servers = [await asyncio.start_server(_answer, host, port) for host in ["127.0.0.1", *hosts]]
    print("ready", flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
