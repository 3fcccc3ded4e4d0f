"""The check of sanitized HTML works: it finds what must not be there."""

import pytest

from tests.feeds.html_verdict import violations


@pytest.mark.parametrize(
    "output",
    [
        pytest.param("<script>x</script>", id="element"),
        pytest.param("<p onclick=x>y</p>", id="attribute"),
        pytest.param("<p id=x>y</p>", id="id"),
        pytest.param('<a href="javascript:x" rel="noopener noreferrer">y</a>', id="scheme"),
        pytest.param('<a href="/x" rel="noopener noreferrer">y</a>', id="relative"),
        pytest.param('<a href="https://x.example/">y</a>', id="rel"),
        pytest.param('<img src="data:image/svg+xml;base64,AA==">', id="svg_data"),
        pytest.param('<img srcset="https://x.example/a 1x, javascript:y 2x">', id="srcset"),
        pytest.param("<!-- x -->", id="comment"),
        pytest.param("<svg><p>x</svg>", id="foreign"),
        pytest.param("<noscript><p>x</noscript>", id="noscript"),
    ],
)
def test_finds_what_is_forbidden(output: str) -> None:
    assert violations(output) != []
