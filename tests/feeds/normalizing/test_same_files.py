"""Addresses of the same picture or recording."""

import pytest

from feeds.normalizing.same_files import picture_marks, recording_marks

A = "https://cdn.example/2026/crane.jpg"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(A, "http://www.cdn.example/2026/crane.jpg", id="scheme and www"),
        pytest.param(A, f"{A}?w=300&q=80&v=7", id="parameters of a file"),
        pytest.param("https://i.example/photo-16?w=2000", "https://i.example/photo-16?w=400&fit=crop", id="size alone"),
        pytest.param(A, "https://cdn.example/2026/crane-300x200.jpg", id="WordPress"),
        pytest.param(A, "https://cdn.example/2026/crane-scaled.jpg", id="WordPress's largest"),
        pytest.param(A, "https://cdn.example/2026/crane@2x.jpg", id="double density"),
        pytest.param(
            "https://c.example/small/crane.jpg", "https://c.example/original/crane.jpg", id="folder of a size"
        ),
        pytest.param("https://c.example/600x400/crane.jpg", "https://c.example/crane.jpg", id="size in the path"),
        pytest.param("https://c.example/w_300,h_200,c_fill/crane.jpg", "https://c.example/crane.jpg", id="Cloudinary"),
        pytest.param(A, "https://i0.wp.com/cdn.example/2026/crane.jpg?resize=300", id="WordPress.com's proxy"),
        pytest.param(A, "https://proxy.example/?url=https%3A%2F%2Fcdn.example%2F2026%2Fcrane.jpg&w=9", id="proxy"),
        pytest.param(A, "https://proxy.example/fetch/w_9/https%3A%2F%2Fcdn.example%2F2026%2Fcrane.jpg", id="in a path"),
        pytest.param(
            "https://1.bp.blogspot.com/-a/X/s1600/crane.jpg",
            "https://1.bp.blogspot.com/-a/X/s320/crane.jpg",
            id="Blogger",
        ),
        pytest.param(
            "https://a.example/x/20261128_harbour.jpg", "https://b.example/resized/9/20261128_harbour.webp", id="name"
        ),
    ],
)
def test_same_picture(first: str, second: str) -> None:
    assert picture_marks(first) & picture_marks(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("https://c.example/p1.jpg", "https://c.example/p2.jpg", id="numbers"),
        pytest.param(
            "https://c.example/1/original_1080.jpg", "https://c.example/2/original_1080.jpg", id="common name"
        ),
        pytest.param(
            "https://i.ytimg.com/vi/abc/hqdefault.jpg", "https://i.ytimg.com/vi/def/hqdefault.jpg", id="YouTube"
        ),
        pytest.param("https://c.example/image.php?id=1", "https://c.example/image.php?id=2", id="id in the query"),
        pytest.param("https://c.example/show.jpg?id=1", "https://c.example/show.jpg?id=2", id="id of a file"),
        pytest.param("https://c.example/2025/a.jpg", "https://c.example/2026/a.jpg", id="years"),
        pytest.param("https://c.example/s1/a.jpg", "https://c.example/s2/a.jpg", id="folders like Google's sizes"),
        pytest.param("https://[bad/a.jpg", "https://[bad/b.jpg", id="invalid"),
    ],
)
def test_other_picture(first: str, second: str) -> None:
    assert not picture_marks(first) & picture_marks(second)


def test_declared_sizes_in_addresses_are_of_one_picture() -> None:
    small, large = "https://i.example/a/140.jpg", "https://i.example/a/1200.jpg"
    assert picture_marks(small, width=140) & picture_marks(large, width=1200)
    assert not picture_marks(small) & picture_marks(large)
    assert not picture_marks(small, width=300) & picture_marks(large, width=300)


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("https://cdn.example/e/1.mp3", "http://cdn.example/e/1.mp3?x=1", True),
        ("https://count.example/redirect.mp3/cdn.example/e/1.mp3", "https://cdn.example/e/1.mp3", True),
        ("https://count.example/e/https://cdn.example/e/1.mp3", "https://cdn.example/e/1.mp3", True),
        ("https://cdn.example/e/1.mp3", "https://cdn.example/e/2.mp3", False),
        ("https://cdn.example/e/1.mp3", "https://cdn.example/f/1.mp3", False),
        ("https://cdn.example/download?id=1", "https://cdn.example/download?id=2", False),
        ("https://cdn.example/e/1.mp3", "https://cdn.example/e/1.ogg", False),
    ],
)
def test_recordings(first: str, second: str, is_same: bool) -> None:
    assert bool(recording_marks(first) & recording_marks(second)) is is_same


def test_copies_of_a_recording_have_name_and_length_in_common() -> None:
    first, second = "https://a.example/ep.mp3", "https://b.example/x/ep.mp3"
    assert recording_marks(first, 900) & recording_marks(second, 900)
    assert not recording_marks(first, 900) & recording_marks(second, 901)
    assert not recording_marks(first) & recording_marks(second)
