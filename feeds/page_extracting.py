"""A program of its own: a page on standard input, its article as HTML on standard output, nothing else.

`feeds.page_text` runs it, so that a page made to keep a parser busy costs a few seconds of a process that ends, and
never a worker. What it writes is not safe HTML. The address of the page is its one argument. Nothing is fetched.
"""

import resource
import sys

import trafilatura

CPU_SECONDS = 15
MAX_MEMORY = 2**30  # bytes of address space; trafilatura with a large page takes a fifth


def main() -> None:
    """Read, extract, write; an empty output says that there is no article in it."""
    for limit, most in ((resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_AS, MAX_MEMORY)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    article = trafilatura.extract(
        sys.stdin.buffer.read().decode(),
        url=sys.argv[1],
        output_format="html",
        include_comments=False,
        include_tables=True,
        include_images=True,
        include_formatting=True,
        include_links=True,
    )
    sys.stdout.buffer.write((article or "").encode(errors="replace"))


if __name__ == "__main__":
    main()
