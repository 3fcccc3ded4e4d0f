"""Finding feeds from a page or a URL alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.discovery.find import MAX_CANDIDATES, Candidate, common_paths, discover
from feeds.discovery.known_sites import known_site_feeds
from tests.tables import table

PAGE = "https://blog.example/2026/post.html"
RSS = 'rel="alternate" type="application/rss+xml"'
ATOM = 'rel="alternate" type="application/atom+xml"'


def discovered_urls(page: str, url: str = PAGE) -> list[str]:
    return [candidate.url for candidate in discover(page.encode(), url=url)]


@table(
    ("page", "urls"),
    [
        pytest.param("", [], id="an empty page"),
        pytest.param("<p>Nothing here. <a href='/about'>About</a>", [], id="no feed"),
        pytest.param(f'<head><link {RSS} href="/feed"></head>', ["https://blog.example/feed"], id="RSS in the head"),
        pytest.param(f'<body><link {ATOM} href="/atom.xml">', ["https://blog.example/atom.xml"], id="Atom in the body"),
        pytest.param(
            '<link rel="alternate" type="application/feed+json" href="/f">', ["https://blog.example/f"], id="JSON Feed"
        ),
        pytest.param(
            '<link rel=alternate type="application/rdf+xml" href="/index.rdf">',
            ["https://blog.example/index.rdf"],
            id="RDF",
        ),
        pytest.param(
            '<LINK REL="Alternate" TYPE="Application/RSS+XML" HREF="/F">', ["https://blog.example/F"], id="upper case"
        ),
        pytest.param(
            "<link rel=alternate type=application/rss+xml href=/feed>", ["https://blog.example/feed"], id="no quotes"
        ),
        pytest.param(
            '<link rel="alternate home" type="application/rss+xml; charset=utf-8" href="/f">',
            ["https://blog.example/f"],
            id="several relations, a parameter",
        ),
        pytest.param(
            f'<link {RSS} href="feed.xml">', ["https://blog.example/2026/feed.xml"], id="relative to the page"
        ),
        pytest.param(
            f'<base href="https://cdn.example/b/"><link {RSS} href="feed.xml">',
            ["https://cdn.example/b/feed.xml"],
            id="relative to the base",
        ),
        pytest.param(
            f'<base href="/sub/"><link {RSS} href="feed.xml">',
            ["https://blog.example/sub/feed.xml"],
            id="relative base",
        ),
        pytest.param(
            f'<base href="javascript:x"><link {RSS} href="f">',
            ["https://blog.example/2026/f"],
            id="a base that is none",
        ),
        pytest.param(f'<link {RSS} href="//cdn.example/f">', ["https://cdn.example/f"], id="no scheme"),
        pytest.param(f'<link {RSS} href="feed://cdn.example/f">', ["http://cdn.example/f"], id="feed scheme"),
        pytest.param(
            f'<link {RSS} href="feed:https://cdn.example/f">', ["https://cdn.example/f"], id="feed before https"
        ),
        pytest.param(
            f'<link {RSS} href="/f?a=1&amp;b=2">', ["https://blog.example/f?a=1&b=2"], id="entities in the address"
        ),
        pytest.param(f'<link {RSS} href="&#x2f;f">', ["https://blog.example/f"], id="numeric entities"),
        pytest.param(f'<link {RSS} href=" /f\n ">', ["https://blog.example/f"], id="white space around"),
        pytest.param(f'<link {RSS} href="/f#top">', ["https://blog.example/f"], id="a fragment"),
        pytest.param(f'<link {RSS} href="">', [], id="an empty address"),
        pytest.param(f"<link {RSS}>", [], id="no address"),
        pytest.param(f'<link {RSS} href="javascript:alert(1)">', [], id="a script"),
        pytest.param(f'<link {RSS} href="data:text/xml,x">', [], id="data"),
        pytest.param(f'<link {RSS} href="http://[::1/">', [], id="a broken address"),
        pytest.param(
            f'<!-- <link {RSS} href="/old"> --><link {RSS} href="/new">', ["https://blog.example/new"], id="comment"
        ),
        pytest.param(
            f"<script>x = '<link {RSS} href=\"/no\">'</script><link {RSS} href='/yes'>",
            ["https://blog.example/yes"],
            id="a script's text",
        ),
        pytest.param(f'<!-- no end <link {RSS} href="/f">', ["https://blog.example/f"], id="a comment without an end"),
        pytest.param(
            '<link rel="alternate" type="text/html" hreflang="de" href="/de/feed">', [], id="a translation is no feed"
        ),
        pytest.param('<link rel="alternate stylesheet" type="text/css" href="/feed">', [], id="a style is no feed"),
        pytest.param('<link rel="canonical" href="/feed">', [], id="another relation"),
        pytest.param(
            '<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/1">'
            '<link rel="alternate" type="application/json+oembed" href="/oembed/feed">',
            [],
            id="an API is no feed",
        ),
        pytest.param(
            '<link rel="alternate" type="application/json" href="/feed.json">',
            ["https://blog.example/feed.json"],
            id="JSON that says feed",
        ),
        pytest.param(
            '<link rel="alternate" type="text/xml" href="/rss.xml"><link rel="alternate" type="text/xml" href="/x">',
            ["https://blog.example/rss.xml"],
            id="XML that says RSS",
        ),
        pytest.param('<link rel="feed" href="/f">', ["https://blog.example/f"], id="rel=feed"),
        pytest.param(
            f'<link {RSS} title="Comments" href="/comments/feed"><link {RSS} title="Posts" href="/feed">',
            ["https://blog.example/feed", "https://blog.example/comments/feed"],
            id="comments behind posts",
        ),
        pytest.param(
            f'<link {RSS} title="某文章的评论" href="/a"><link {RSS} href="/b">',
            ["https://blog.example/b", "https://blog.example/a"],
            id="Chinese comments behind posts",
        ),
        pytest.param(
            f'<a href="/rss">RSS</a><link {RSS} href="/one"><link {ATOM} href="/two">',
            ["https://blog.example/one", "https://blog.example/two", "https://blog.example/rss"],
            id="declared in order, then linked",
        ),
        pytest.param(
            f'<link {RSS} href="http://blog.example/f"><link {RSS} href="https://blog.example/f">',
            ["https://blog.example/f"],
            id="https for http",
        ),
        pytest.param(
            f'<link {RSS} href="http://one.example/f"><link {RSS} href="https://two.example/f">',
            ["https://two.example/f", "http://one.example/f"],
            id="https before http",
        ),
        pytest.param(
            f'<a href="/f">RSS</a><link {RSS} href="/f">', ["https://blog.example/f"], id="linked and declared is one"
        ),
        pytest.param(
            '<a href="/blog/index.xml">x</a>', ["https://blog.example/blog/index.xml"], id="an address like a feed"
        ),
        pytest.param('<a href="/?feed=rss2">x</a>', ["https://blog.example/?feed=rss2"], id="a query like a feed"),
        pytest.param(
            '<a href="https://feeds.example.org/me">x</a>', ["https://feeds.example.org/me"], id="a feed host"
        ),
        pytest.param(
            '<a href="/syndication">RSS feed</a>', ["https://blog.example/syndication"], id="a text that says RSS"
        ),
        pytest.param('<a href="/s">订阅</a>', ["https://blog.example/s"], id="a Chinese text that says so"),
        pytest.param('<a href="/s"><img src="i.png" alt="Atom feed"></a>', ["https://blog.example/s"], id="a picture"),
        pytest.param(
            '<a href="/s" title="RSS"><svg><path d="M1"/></svg></a>', ["https://blog.example/s"], id="an icon"
        ),
        pytest.param('<a href="/s" aria-label="RSS"></a>', ["https://blog.example/s"], id="a label"),
        pytest.param(
            '<a href="/says">RSS</a><a href="https://other.example/feed">x</a><a href="/feed">x</a>',
            ["https://blog.example/feed", "https://other.example/feed", "https://blog.example/says"],
            id="own before foreign, address before text",
        ),
        pytest.param(
            '<a href="https://feedly.com/i/subscription/feed/https://blog.example/feed">RSS</a>'
            '<a href="https://en.wikipedia.org/wiki/RSS">RSS</a>',
            [],
            id="readers and explanations are left out",
        ),
        pytest.param('<a href="/sitemap.xml">x</a><a href="/index.php">x</a>', [], id="files that are no feeds"),
        pytest.param(
            '<a href="/feedback">Feedback</a><a href="/grass">Grass</a>', [], id="words that only contain rss"
        ),
        pytest.param(f'<a href="{PAGE}">RSS</a>', [], id="the page itself"),
        pytest.param(
            f'<div title="a > b"><link {RSS} href="/f" title="<b>x</b>">', ["https://blog.example/f"], id="brackets"
        ),
        pytest.param(
            f'<svg><a href="/x"/></svg><link {RSS} href="/f"><link {RSS} href="/g"',
            ["https://blog.example/f"],
            id="cut",
        ),
    ],
)
def test_finds_the_feeds_of_a_page(page: str, urls: list[str]) -> None:
    assert discovered_urls(page) == urls


def test_gives_source_and_title_of_a_candidate() -> None:
    page = f'<link {RSS} href="/feed" title=" News &amp;\n Views "><a href="/rss"><b>All</b> posts</a>'
    assert discover(page.encode(), url=PAGE) == (
        Candidate("https://blog.example/feed", "News & Views", "link", 101),
        Candidate("https://blog.example/rss", "All posts", "anchor", 61),
    )


def test_known_sites_rank_between_declared_and_linked() -> None:
    page = f'<link {RSS} href="/declared"><a href="/linked.rss">x</a>'
    candidates = discover(page.encode(), url="https://someone.substack.com/p/x")
    assert [(candidate.url, candidate.how) for candidate in candidates] == [
        ("https://someone.substack.com/declared", "link"),
        ("https://someone.substack.com/feed", "path"),
        ("https://someone.substack.com/linked.rss", "anchor"),
    ]


@pytest.mark.parametrize(
    ("encoding", "content_type", "meta"),
    [
        pytest.param("utf-8", "", "", id="UTF-8"),
        pytest.param("gb18030", "text/html; charset=gb2312", "", id="by header"),
        pytest.param("shift_jis", "text/html", '<meta charset="Shift_JIS">', id="by meta"),
        pytest.param("utf-16", "text/html", "", id="UTF-16"),
    ],
)
def test_reads_titles_in_the_page_encoding(encoding: str, content_type: str, meta: str) -> None:
    page = f'{meta}<title>日本語</title><link {RSS} href="/f" title="日本語新聞">'
    candidates = discover(page.encode(encoding), url=PAGE, content_type=content_type)
    assert [candidate.title for candidate in candidates] == ["日本語新聞"]


def test_limits_the_number_of_candidates() -> None:
    page = "".join(f'<link {RSS} href="/tag/{n}/feed">' for n in range(500))
    assert discovered_urls(page) == [f"https://blog.example/tag/{n}/feed" for n in range(MAX_CANDIDATES)]


@pytest.mark.parametrize(
    "filler",
    [
        pytest.param("<div>", id="open elements"),
        pytest.param("<b>", id="open formatting"),
        pytest.param("<a href=/about><object>", id="nested anchors"),
        pytest.param("<table><tr>", id="nested tables"),
        pytest.param("<!--", id="comments without end"),
        pytest.param("<script>", id="scripts without end"),
        pytest.param("<", id="brackets"),
        pytest.param("<a ", id="tags without end"),
    ],
)
def test_hostile_pages_terminate(filler: str) -> None:
    head = f'<link {RSS} href="/f">'
    assert discovered_urls(head + filler * (1_500_000 // len(filler))) == ["https://blog.example/f"]


def test_drops_a_tag_with_100000_attributes() -> None:
    endless = "<a " + " ".join(f"a{n}=1" for n in range(100_000)) + ' href="/feed">'
    assert discovered_urls(f'{endless}<link {RSS} href="/f">') == ["https://blog.example/f"]


def test_reads_only_the_start_of_an_endless_page() -> None:
    assert discovered_urls(f'{"x" * 2 * 1024 * 1024}<link {RSS} href="/f">') == []


@given(st.binary(max_size=200), st.text(max_size=40))
def test_never_raises_for_any_page_or_url(page: bytes, url: str) -> None:
    for document in (page, b"<a href='" + page, b"<link rel=alternate type=application/rss+xml href='" + page + b"'>"):
        for candidate in discover(document, url=PAGE):
            assert candidate.url.startswith(("http://", "https://"))
    assert isinstance(discover(b"<link rel=feed href=x>", url=url), tuple)
    assert isinstance(common_paths(url), tuple)
    assert isinstance(known_site_feeds(f"https://github.com/{url}"), tuple)


@table(
    ("url", "feeds"),
    [
        pytest.param(
            "https://www.youtube.com/channel/UC1234567890abcdefghijkl/videos",
            ("https://www.youtube.com/feeds/videos.xml?channel_id=UC1234567890abcdefghijkl",),
            id="YouTube channel",
        ),
        pytest.param(
            "https://m.youtube.com/user/someone",
            ("https://www.youtube.com/feeds/videos.xml?user=someone",),
            id="YouTube user",
        ),
        pytest.param(
            "https://www.youtube.com/playlist?list=PL1234567890abc&x=1",
            ("https://www.youtube.com/feeds/videos.xml?playlist_id=PL1234567890abc",),
            id="YouTube playlist",
        ),
        pytest.param("https://www.youtube.com/@handle", (), id="YouTube handle: only the page knows"),
        pytest.param(
            "https://www.reddit.com/r/selfhosted/", ("https://www.reddit.com/r/selfhosted/.rss",), id="reddit"
        ),
        pytest.param(
            "https://old.reddit.com/r/a+b/new", ("https://www.reddit.com/r/a+b/new/.rss",), id="reddit, two, new"
        ),
        pytest.param("https://reddit.com/u/some-one", ("https://www.reddit.com/user/some-one/.rss",), id="reddit user"),
        pytest.param(
            "https://www.reddit.com/r/x/comments/abc1/title_of_it/",
            ("https://www.reddit.com/r/x/comments/abc1/.rss",),
            id="reddit thread",
        ),
        pytest.param("https://www.reddit.com/r/x/.rss", (), id="reddit feed"),
        pytest.param(
            "https://github.com/o-o/r.r",
            (
                "https://github.com/o-o/r.r/releases.atom",
                "https://github.com/o-o/r.r/tags.atom",
                "https://github.com/o-o/r.r/commits.atom",
            ),
            id="GitHub repository",
        ),
        pytest.param(
            "https://github.com/o/r/commits/main", ("https://github.com/o/r/commits/main.atom",), id="GitHub branch"
        ),
        pytest.param("https://github.com/someone", ("https://github.com/someone.atom",), id="GitHub person"),
        pytest.param("https://github.com/features/actions", (), id="GitHub's own pages"),
        pytest.param("https://github.com/o/r/releases.atom", (), id="GitHub feed"),
        pytest.param(
            "https://gitlab.com/group/sub/project/-/issues",
            (
                "https://gitlab.com/group/sub/project/-/releases.atom",
                "https://gitlab.com/group/sub/project/-/tags?format=atom",
            ),
            id="GitLab",
        ),
        pytest.param(
            "https://medium.com/@some.one/title-1a", ("https://medium.com/feed/@some.one",), id="Medium author"
        ),
        pytest.param(
            "https://medium.com/publication", ("https://medium.com/feed/publication",), id="Medium publication"
        ),
        pytest.param("https://medium.com/tag/python", ("https://medium.com/feed/tag/python",), id="Medium tag"),
        pytest.param("https://someone.medium.com/title", ("https://someone.medium.com/feed",), id="Medium subdomain"),
        pytest.param("https://someone.tumblr.com/post/1/x", ("https://someone.tumblr.com/rss",), id="Tumblr"),
        pytest.param("https://x.tumblr.com/tagged/cats", ("https://x.tumblr.com/tagged/cats/rss",), id="Tumblr tag"),
        pytest.param(
            "https://www.tumblr.com/someone", ("https://someone.tumblr.com/rss",), id="Tumblr's new addresses"
        ),
        pytest.param("https://social.example/@name", ("https://social.example/@name.rss",), id="Mastodon"),
        pytest.param(
            "https://social.example:8443/users/name/", ("https://social.example:8443/@name.rss",), id="Mastodon, port"
        ),
        pytest.param("https://social.example/@name@far.example", (), id="Mastodon, a guest"),
        pytest.param("https://www.tiktok.com/@name", (), id="an @ elsewhere"),
        pytest.param("https://someone.substack.com/p/a-title", ("https://someone.substack.com/feed",), id="Substack"),
        pytest.param("https://substack.com/@someone", ("https://someone.substack.com/feed",), id="Substack profile"),
        pytest.param("https://a.blogspot.com/2020/", ("https://a.blogspot.com/feeds/posts/default",), id="Blogspot"),
        pytest.param(
            "https://a.blogspot.co.uk/", ("https://a.blogspot.co.uk/feeds/posts/default",), id="Blogspot, a country"
        ),
        pytest.param("https://a.wordpress.com/about", ("https://a.wordpress.com/feed/",), id="WordPress.com"),
        pytest.param("https://bsky.app/profile/a.example", ("https://bsky.app/profile/a.example/rss",), id="Bluesky"),
        pytest.param("https://news.ycombinator.com/", ("https://news.ycombinator.com/rss",), id="Hacker News"),
        pytest.param(
            "https://stackoverflow.com/questions/tagged/c%2b%2b",
            ("https://stackoverflow.com/feeds/tag/c%2b%2b",),
            id="Stack Overflow",
        ),
        pytest.param("https://arxiv.org/list/cs.CL/recent", ("https://rss.arxiv.org/rss/cs.CL",), id="arXiv"),
        pytest.param("https://qiita.com/someone", ("https://qiita.com/someone/feed",), id="Qiita"),
        pytest.param("https://zenn.dev/topics/python", ("https://zenn.dev/topics/python/feed",), id="Zenn"),
        pytest.param("https://example.org/blog", (), id="any other site"),
        pytest.param("ftp://github.com/a/b", (), id="another scheme"),
        pytest.param("https://[::1/", (), id="a broken address"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_finds_feeds_of_known_sites(url: str, feeds: tuple[str, ...]) -> None:
    assert known_site_feeds(url) == feeds


@pytest.mark.parametrize(
    ("url", "first", "contains"),
    [
        pytest.param("https://a.example", "https://a.example/feed", "https://a.example/feeds/posts/default", id="host"),
        pytest.param("https://a.example/", "https://a.example/feed", "https://a.example/atom.xml", id="root"),
        pytest.param(
            "https://a.example/blog/", "https://a.example/blog/feed", "https://a.example/rss.xml", id="directory"
        ),
        pytest.param(
            "https://a.example/blog", "https://a.example/blog/feed", "https://a.example/feed.xml", id="no slash"
        ),
        pytest.param(
            "https://a.example/b/c.html?x=1#y", "https://a.example/b/feed", "https://a.example/index.xml", id="file"
        ),
        pytest.param(
            "http://a.example:8080/x.html", "http://a.example:8080/feed", "http://a.example:8080/rss", id="port"
        ),
    ],
)
def test_common_paths_start_below_the_page(url: str, first: str, contains: str) -> None:
    paths = common_paths(url)
    assert paths[0] == first
    assert contains in paths
    assert len(set(paths)) == len(paths) <= 30


@pytest.mark.parametrize("url", ["", "a.example", "ftp://a.example/", "https://", "https://[::1/"])
def test_no_common_paths_without_a_url(url: str) -> None:
    assert common_paths(url) == ()
