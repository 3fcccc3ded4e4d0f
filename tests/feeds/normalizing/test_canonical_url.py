import random
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feeds.normalizing.canonical_url import (
    absolute,
    canonical_feed_url,
    canonical_url,
    feed_url_key,
    is_http_url,
    url_key,
    without_session,
)
from tests.tables import table

CANONICAL = {
    # host and scheme
    "lower_case_scheme_and_host": ("HTTPS://News.Example.COM/Story", "https://news.example.com/Story"),
    "keeps_www_and_http": ("http://www.example.com/a", "http://www.example.com/a"),
    "idn_japanese": ("https://例え.テスト/記事", "https://xn--r8jz45g.xn--zckzah/%E8%A8%98%E4%BA%8B"),
    "idn_german_keeps_eszett": ("https://straße.de/", "https://xn--strae-oqa.de/"),
    "idn_thai": ("https://ไทย.ไทย/ข่าว", "https://xn--o3cw4h.xn--o3cw4h/%E0%B8%82%E0%B9%88%E0%B8%B2%E0%B8%A7"),
    "root_dot": ("https://example.com./a", "https://example.com/a"),
    "default_port_https": ("https://example.com:443/a", "https://example.com/a"),
    "default_port_http": ("http://example.com:80/a", "http://example.com/a"),
    "other_port_stays": ("https://example.com:8443/a", "https://example.com:8443/a"),
    "port_of_other_scheme_stays": ("http://example.com:443/a", "http://example.com:443/a"),
    "empty_port": ("https://example.com:/a", "https://example.com/a"),
    "credentials_gone": ("https://jane:s3cret@example.com/a", "https://example.com/a"),
    "ipv6": ("http://[2001:DB8::1]:80/a", "http://[2001:db8::1]/a"),
    "loopback_with_port": ("http://127.0.0.5:9100/a/3/", "http://127.0.0.5:9100/a/3"),
    # path
    "no_path": ("https://example.com", "https://example.com/"),
    "root_slash_stays": ("https://example.com/", "https://example.com/"),
    "trailing_slash": ("https://example.com/a/b/", "https://example.com/a/b"),
    "trailing_slash_before_query": ("https://example.com/a/?id=1", "https://example.com/a?id=1"),
    "unreserved_decoded": ("https://example.com/%41%7Eb%2Dc", "https://example.com/A~b-c"),
    "escape_in_upper_case": ("https://example.com/caf%c3%a9", "https://example.com/caf%C3%A9"),
    "reserved_stays_encoded": ("https://example.com/a%2Fb", "https://example.com/a%2Fb"),
    "chinese_path_encoded": ("https://example.com/新闻/1", "https://example.com/%E6%96%B0%E9%97%BB/1"),
    "space_encoded": ("https://example.com/a b", "https://example.com/a%20b"),
    "stray_percent": ("https://example.com/100%", "https://example.com/100%25"),
    "dot_segments": ("https://example.com/a/./b/../c", "https://example.com/a/c"),
    "dot_segments_above_root": ("https://example.com/../../a", "https://example.com/a"),
    "encoded_dot_segments": ("https://example.com/a/%2e%2E/b", "https://example.com/b"),
    "double_slash_inside_stays": ("https://example.com/a//b", "https://example.com/a//b"),
    "path_case_stays": ("https://example.com/AbC", "https://example.com/AbC"),
    "session_of_php": ("https://example.com/a.php?t=5&PHPSESSID=k3v", "https://example.com/a.php?t=5"),
    "session_of_php_alone": ("https://example.com/a?PHPSESSID=k3v", "https://example.com/a"),
    "session_of_java": ("https://example.com/a.do?id=3&jsessionid=0F3A", "https://example.com/a.do?id=3"),
    "session_of_asp": ("https://example.com/(S(lit3py55t21z5v55))/a.aspx?x=1", "https://example.com/a.aspx?x=1"),
    "session_of_phpbb": (
        "https://example.com/viewtopic.php?t=5&sid=0123456789abcdef0123456789abcdef",
        "https://example.com/viewtopic.php?t=5",
    ),
    "session_of_vbulletin": (
        "https://example.com/showthread.php?s=0123456789abcdef0123456789abcdef&t=5",
        "https://example.com/showthread.php?t=5",
    ),
    "session_with_leftover_markup": (
        "https://example.com/viewtopic.php?t=5&amp;sid=aaa111",
        "https://example.com/viewtopic.php?t=5",
    ),
    "story_number_stays": (
        "https://example.com/modules.php?name=News&sid=12",
        "https://example.com/modules.php?name=News&sid=12",
    ),
    "story_name_stays": ("https://example.com/a.php?t=5&sid=cranes", "https://example.com/a.php?sid=cranes&t=5"),
    "only_identity_stays": (
        "https://example.com/story.php?sid=0123456789abcdef0123456789abcdef&utm_source=x",
        "https://example.com/story.php?sid=0123456789abcdef0123456789abcdef",
    ),
    "short_s_stays": ("https://example.com/a.php?t=5&s=ab12cd34", "https://example.com/a.php?s=ab12cd34&t=5"),
    "session_in_path_of_php": ("https://example.com/a;sid=0F3A/b", "https://example.com/a/b"),
    "parentheses_stay": ("https://example.com/(S(x))/a", "https://example.com/(S(x))/a"),
    "session_in_path": ("https://example.com/a;jsessionid=0F3A?x=1", "https://example.com/a?x=1"),
    "backslashes": ("https:\\\\example.com\\a", "https://example.com/a"),
    "white_space_around": ("  https://example.com/a\n", "https://example.com/a"),
    "line_break_inside": ("https://example.com/a\n  /b".replace("  ", ""), "https://example.com/a/b"),
    # trackers
    "utm": ("https://example.com/a?utm_source=rss&utm_medium=feed&id=7", "https://example.com/a?id=7"),
    "utm_upper_case": ("https://example.com/a?UTM_Source=x", "https://example.com/a"),
    "utm_unknown_member": ("https://example.com/a?utm_brandnew=x", "https://example.com/a"),
    "fbclid": ("https://example.com/a?fbclid=IwAR0", "https://example.com/a"),
    "click_ids": ("https://example.com/a?gclid=1&dclid=2&msclkid=3&igshid=4&mc_cid=5&mc_eid=6&_hsenc=7&b=8",
                  "https://example.com/a?b=8"),
    "ref_and_source": ("https://example.com/a?ref=hn&source=rss", "https://example.com/a"),
    "ref_is_the_record": ("https://example.com/story.php?ref=84211", "https://example.com/story.php?ref=84211"),
    "ref_on_script_is_a_word": ("https://example.com/story.php?id=5&ref=rss", "https://example.com/story.php?id=5"),
    "ref_is_a_branch": ("https://api.github.com/repos/a/b?ref=main", "https://api.github.com/repos/a/b?ref=main"),
    "id_is_never_a_tracker": ("https://example.com/?id=12&p=3", "https://example.com/?id=12&p=3"),
    "youtube_video_stays": ("https://www.youtube.com/watch?v=abc&si=xyz&feature=share",
                            "https://www.youtube.com/watch?v=abc"),
    "si_elsewhere_stays": ("https://example.com/a?si=9", "https://example.com/a?si=9"),
    "wechat_article_stays": ("https://mp.weixin.qq.com/s?__biz=MzA5&mid=26&idx=5&sn=76&chksm=8b&scene=27",
                             "https://mp.weixin.qq.com/s?__biz=MzA5&idx=5&mid=26&sn=76"),
    "aljazeera": ("https://www.aljazeera.com/news/x?traffic_source=rss", "https://www.aljazeera.com/news/x"),
    "bbc": ("https://www.bbc.com/news/articles/c8?at_medium=RSS&amp;at_campaign=rss",
            "https://www.bbc.com/news/articles/c8"),
    "wsj": ("https://www.wsj.com/articles/x?mod=rss_markets_main", "https://www.wsj.com/articles/x"),
    "mod_elsewhere_stays": ("https://bbs.example.com/forum.php?mod=viewthread&tid=3",
                            "https://bbs.example.com/forum.php?mod=viewthread&tid=3"),
    "36kr": ("https://36kr.com/newsflashes/3664?f=rss", "https://36kr.com/newsflashes/3664"),
    "f_elsewhere_stays": ("https://forum.example.com/viewforum.php?f=12", "https://forum.example.com/viewforum.php?f=12"),
    "via_a_feed": ("https://slate.com/x.html?via=rss", "https://slate.com/x.html"),
    "type_rss_is_content": ("https://example.com/?type=rss", "https://example.com/?type=rss"),
    "dw": ("https://www.dw.com/english/?maca=en-rss-en-all-1573-rdf", "https://www.dw.com/english"),
    "twice_escaped_ampersand": ("https://example.com/article.cfm?c_id=1&amp;objectid=12&amp;amp;ref=rss",
                                "https://example.com/article.cfm?c_id=1&objectid=12"),
    # query
    "sorted": ("https://example.com/?b=2&a=1", "https://example.com/?a=1&b=2"),
    "duplicates_stay": ("https://example.com/?a=2&a=1", "https://example.com/?a=1&a=2"),
    "blank_value_stays": ("https://example.com/?a=&b", "https://example.com/?a=&b"),
    "empty_query": ("https://example.com/a?", "https://example.com/a"),
    "empty_parameters": ("https://example.com/?&&a=1&", "https://example.com/?a=1"),
    "query_escapes": ("https://example.com/?q=%7e%e6%96%b0+a", "https://example.com/?q=~%E6%96%B0+a"),
    "encoded_ampersand_stays": ("https://example.com/?q=a%26b", "https://example.com/?q=a%26b"),
    # fragment
    "fragment": ("https://example.com/a#comments", "https://example.com/a"),
    "text_fragment": ("https://example.com/a#:~:text=x", "https://example.com/a"),
    "route_bang": ("https://example.com/#!/a/b", "https://example.com/#!/a/b"),
    "route_slash": ("https://example.com/app#/post/7", "https://example.com/app#/post/7"),
    "empty_route": ("https://example.com/a#/", "https://example.com/a"),
    # AMP and mobile
    "amp_tail": ("https://example.com/2026/story/amp", "https://example.com/2026/story"),
    "amp_tail_slash": ("https://example.com/2026/story/amp/", "https://example.com/2026/story"),
    "amp_lead": ("https://example.com/amp/2026/story", "https://example.com/2026/story"),
    "amp_html": ("https://example.com/2026/story.amp.html", "https://example.com/2026/story.html"),
    "amp_host": ("https://amp.example.com/story", "https://example.com/story"),
    "amp_parameter": ("https://example.com/story?amp=1", "https://example.com/story"),
    "amp_bare_parameter": ("https://example.com/story?amp&b=1", "https://example.com/story?b=1"),
    "output_type_amp": ("https://example.com/story?outputType=amp", "https://example.com/story"),
    "amp_alone_is_a_page": ("https://example.com/amp", "https://example.com/amp"),
    "amp_within_a_word": ("https://example.com/camp", "https://example.com/camp"),
    "amp_dev_is_a_domain": ("https://amp.dev/docs", "https://amp.dev/docs"),
    "mobile_host": ("https://m.example.com/story", "https://example.com/story"),
    "mobile_infix": ("https://ja.m.wikipedia.org/wiki/日本", "https://ja.wikipedia.org/wiki/%E6%97%A5%E6%9C%AC"),
    "mobile_under_a_suffix": ("https://m.example.co.uk/story", "https://example.co.uk/story"),
    "m_is_the_domain": ("https://m.co.uk/story", "https://m.co.uk/story"),
    "m_is_a_tenant": ("https://m.github.io/story", "https://m.github.io/story"),
    "mobile_only_site": ("https://m.weibo.cn/detail/5", "https://m.weibo.cn/detail/5"),
    "blogger_mobile": ("https://x.blogspot.com/2026/a.html?m=1", "https://x.blogspot.com/2026/a.html"),
    "google_amp_viewer": ("https://www.google.com/amp/s/www.example.com/story/amp/?usqp=mq331", "https://www.example.com/story"),
    "google_amp_viewer_plain": ("https://www.google.co.uk/amp/example.com/story", "http://example.com/story"),
    "amp_cache": ("https://www-example-com.cdn.ampproject.org/c/s/www.example.com/story?id=1&amp_js_v=0.1",
                  "https://www.example.com/story?id=1"),
    # redirects that carry their target
    "google_url": ("https://www.google.com/url?sa=t&rct=j&url=https%3A%2F%2Fexample.com%2Fa%3Fid%3D1&usg=x", "https://example.com/a?id=1"),
    "google_url_q": ("https://www.google.de/url?q=https://example.com/a&sa=D", "https://example.com/a"),
    "google_alert": ("https://www.google.com/url?rct=j&sa=t&url=https://example.com/a&ct=ga&cd=CAIy", "https://example.com/a"),
    "google_search_stays": ("https://www.google.com/search?q=https://example.com/", "https://www.google.com/search?q=https://example.com/"),
    "facebook": ("https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.com%2Fa%3Ffbclid%3DIw&h=AT1", "https://example.com/a"),
    "instagram": ("https://l.instagram.com/?u=https%3A%2F%2Fexample.com%2Fa&e=AT", "https://example.com/a"),
    "reddit": ("https://out.reddit.com/t3_abc?url=https%3A%2F%2Fexample.com%2Fa&token=A", "https://example.com/a"),
    "tumblr": ("https://t.umblr.com/redirect?z=https%3A%2F%2Fexample.com%2Fa&t=Y2", "https://example.com/a"),
    "youtube_redirect": ("https://www.youtube.com/redirect?event=video&q=https%3A%2F%2Fexample.com%2Fa", "https://example.com/a"),
    "slack": ("https://slack-redir.net/link?url=https%3A%2F%2Fexample.com%2Fa", "https://example.com/a"),
    "steam": ("https://steamcommunity.com/linkfilter/?url=https://example.com/a", "https://example.com/a"),
    "vk": ("https://vk.com/away.php?to=https%3A%2F%2Fexample.com%2Fa&cc_key=", "https://example.com/a"),
    "duckduckgo": ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa&rut=f0", "https://example.com/a"),
    "duckduckgo_no_scheme": ("https://duckduckgo.com/l/?uddg=%2F%2Fexample.com%2Fa", "https://example.com/a"),
    "bing_base64": ("https://www.bing.com/ck/a?!&&p=ab&u=a1aHR0cHM6Ly9leGFtcGxlLmNvbS9h&ntb=1", "https://example.com/a"),
    "bing_news": ("http://www.bing.com/news/apiclick.aspx?ref=FexRss&url=https%3a%2f%2fexample.com%2fa&c=1", "https://example.com/a"),
    "zhihu": ("https://link.zhihu.com/?target=https%3A//example.com/a", "https://example.com/a"),
    "weibo": ("https://weibo.cn/sinaurl?u=https%3A%2F%2Fexample.com%2Fa", "https://example.com/a"),
    "outlook": ("https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.com%2Fa&data=05", "https://example.com/a"),
    "bare_query": ("https://href.li/?https://example.com/a?id=1", "https://example.com/a?id=1"),
    "disqus_signature": ("http://disq.us/url?url=https%3A%2F%2Fexample.com%2Fa%3AjkZ0dpoXy5fTw9WmS0nJ3Rxk6_k&cuid=1", "https://example.com/a"),
    "nested": ("https://www.google.com/url?q="
               + quote("https://l.facebook.com/l.php?u=" + quote("https://m.example.com/a/amp", safe=""), safe=""),
               "https://example.com/a"),
    "target_is_no_url": ("https://out.reddit.com/t3_abc?url=javascript:alert(1)", "https://out.reddit.com/t3_abc?url=javascript:alert(1)"),
    "opaque_short_link_stays": ("https://t.co/AbC1", "https://t.co/AbC1"),
    "archive_copy_stays": ("https://web.archive.org/web/2026/http://example.com/a", "https://web.archive.org/web/2026/http://example.com/a"),
    # not URLs of pages
    "mailto": ("mailto:jane@example.com", ""),
    "javascript": ("javascript:alert(1)", ""),
    "relative": ("/a/b", ""),
    "no_host": ("https:///", ""),
    "bad_port": ("https://example.com:99999/", ""),
    "space_in_host": ("https://exa mple.com/", ""),
    "tag_uri": ("tag:example.com,2026:1", ""),
    "empty": ("", ""),
}  # fmt: skip


@table(("url", "expected"), CANONICAL.values(), ids=CANONICAL)
def test_canonical_form(url: str, expected: str) -> None:
    assert canonical_url(url) == expected
    assert canonical_url(expected) == expected


def test_strips_extra_trackers_by_name_and_prefix() -> None:
    url = "https://example.com/a?house_ad=1&Campaignid=2&campaign2=3&b=4"
    assert canonical_url(url) == "https://example.com/a?Campaignid=2&b=4&campaign2=3&house_ad=1"
    assert canonical_url(url, frozenset({"HOUSE_AD", "campaign*"})) == "https://example.com/a?b=4"


SAME_PAGE = {
    "scheme": ("http://example.com/a", "https://example.com/a"),
    "www": ("https://www.example.com/a", "https://example.com/a"),
    "mobile_and_www": ("https://m.example.com/a", "http://www.example.com/a/"),
    "trackers": ("https://example.com/a?utm_source=x#top", "https://example.com/a"),
    "order": ("https://example.com/?x=1&y=2", "https://example.com/?y=2&x=1"),
    "idn": ("https://www.例え.jp/", "https://xn--r8jz45g.jp"),
    "escapes": ("https://example.com/%E6%96%B0", "https://example.com/新"),
}


@pytest.mark.parametrize(("one", "other"), SAME_PAGE.values(), ids=SAME_PAGE)
def test_key_is_equal_for_one_page(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)
    assert len(url_key(one)) == 16


OTHER_PAGE = {
    "path": ("https://example.com/a", "https://example.com/b"),
    "path_case": ("https://example.com/a", "https://example.com/A"),
    "query": ("https://example.com/?id=1", "https://example.com/?id=2"),
    "host": ("https://a.example.com/", "https://b.example.com/"),
    "port": ("http://127.0.0.1:9100/", "http://127.0.0.1:9101/"),
    "blank": ("https://example.com/?a", "https://example.com/?b"),
    "record_in_ref": ("https://example.com/story.php?ref=84211", "https://example.com/story.php?ref=84212"),
    "www_is_the_domain": ("https://www.com/", "https://com/"),
    "route": ("https://example.com/#!/a", "https://example.com/#!/b"),
}


@pytest.mark.parametrize(("one", "other"), OTHER_PAGE.values(), ids=OTHER_PAGE)
def test_key_differs_for_different_pages(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


ABSOLUTE = {
    "relative": ("https://example.com/a/b", "c.html", "https://example.com/a/c.html"),
    "rooted": ("https://example.com/a/b", "/c", "https://example.com/c"),
    "scheme_relative": ("https://example.com/a", "//cdn.example.net/c", "https://cdn.example.net/c"),
    "query_only": ("https://example.com/a", "?b=1", "https://example.com/a?b=1"),
    "absolute_untouched": ("https://example.com/", "http://Other.example/A%41?utm_source=x#y", "http://Other.example/A%41?utm_source=x#y"),
    "credentials": ("https://example.com/", "https://u:p@other.example/x", "https://other.example/x"),
    "credentials_of_the_base": ("https://u:p@example.com/feed", "x", "https://example.com/x"),
    "space": ("https://example.com/", "a b.jpg", "https://example.com/a%20b.jpg"),
    "javascript": ("https://example.com/", "java\nscript:alert(1)", ""),
    "no_base": ("", "a", ""),
    "broken_ipv6": ("https://example.com/", "http://[::1", ""),
    "empty_is_the_base": ("https://example.com/a", "", "https://example.com/a"),
}  # fmt: skip


@pytest.mark.parametrize(("base", "url", "expected"), ABSOLUTE.values(), ids=ABSOLUTE)
def test_makes_absolute(base: str, url: str, expected: str) -> None:
    assert absolute(base, url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com", True),
        ("HTTP://例え.jp/", True),
        ("http://[::1]/", True),
        ("ftp://example.com/", False),
        ("//example.com/", False),
        ("https://", False),
        ("http://example.com:port/", False),
    ],
)
def test_knows_http_urls(url: str, expected: bool) -> None:
    assert is_http_url(url) is expected


FEEDS = {
    "parameters_stay": ("https://Example.com/feed?source=a&ref=b&format=rss", "https://example.com/feed?format=rss&ref=b&source=a"),
    "sure_trackers_go": ("https://example.com/feed?utm_source=a&fbclid=b&id=1", "https://example.com/feed?id=1"),
    "trailing_slash": ("https://example.com/feed/", "https://example.com/feed"),
    "feed_scheme": ("feed://example.com/rss", "http://example.com/rss"),
    "feed_before_https": ("feed:https://example.com/rss", "https://example.com/rss"),
    "mobile_and_amp_stay": ("https://m.example.com/feed/amp", "https://m.example.com/feed/amp"),
    "wrapper_stays": ("https://www.google.com/url?q=https://example.com/", "https://www.google.com/url?q=https://example.com/"),
    "credentials": ("https://u:p@example.com/feed#x", "https://example.com/feed"),
    "farm": ("http://127.0.0.2:9100/feed/0.xml", "http://127.0.0.2:9100/feed/0.xml"),
    "no_url": ("example", ""),
}  # fmt: skip


@pytest.mark.parametrize(("url", "expected"), FEEDS.values(), ids=FEEDS)
def test_feed_urls_keep_what_may_be_content(url: str, expected: str) -> None:
    assert canonical_feed_url(url) == expected
    assert canonical_feed_url(expected) == expected


def test_feed_key_ignores_scheme_and_www_but_not_credentials() -> None:
    assert feed_url_key("http://www.example.com/feed/") == feed_url_key("https://example.com/feed")
    assert feed_url_key("https://example.com/feed") != feed_url_key("https://jane:pw@example.com/feed")
    assert feed_url_key("https://example.com/feed?id=1") != feed_url_key("https://example.com/feed?id=2")


_HOSTS = (
    "example.com www.example.com m.example.co.uk amp.example.com WWW.Google.com l.facebook.com href.li 例え.jp "
    "www-a-com.cdn.ampproject.org duckduckgo.com m.m.example.com 127.0.0.1:80 u:p@x.org:443 en.m.wikipedia.org"
)
HOSTS = st.sampled_from(_HOSTS.split())
_SEGMENTS = "a|amp|s|c|..|.||%2e%2e|%41|%2f|%|é|url|l.php|x.amp.html|新|a b|;jsessionid=1|example.com|l"
SEGMENTS = st.lists(
    st.sampled_from(_SEGMENTS.split("|"))
    | st.text(max_size=4),
    max_size=6,
)  # fmt: skip
NAMES = st.sampled_from(["utm_source", "ref", "q", "u", "url", "uddg", "id", "amp", "b", "", "f", "é", "amp;x"])


@st.composite
def urls(draw: st.DrawFn, depth: int = 2) -> str:
    values = st.text(max_size=5) | st.sampled_from(["rss", "84211", "1", "%41", "a+b"])
    if depth:
        values |= urls(depth=depth - 1).map(lambda url: quote(url, safe=""))
    pairs = draw(st.lists(st.tuples(NAMES, values), max_size=4))
    query = "&".join(f"{name}={value}" for name, value in pairs)
    fragment = draw(st.sampled_from(["", "#x", "#!/r", "#/r é", "#"]))
    scheme = draw(st.sampled_from(["http", "https", "HTTPS"]))
    return f"{scheme}://{draw(HOSTS)}/{'/'.join(draw(SEGMENTS))}?{query}{fragment}"


@given(urls() | st.text())
def test_canonical_is_idempotent_and_ascii(url: str) -> None:
    once = canonical_url(url)
    assert canonical_url(once) == once
    assert once.isascii()
    assert "@" not in once.partition("://")[2].partition("/")[0]


@given(urls(depth=0), st.randoms(use_true_random=False))
def test_canonical_does_not_depend_on_the_order_of_parameters(url: str, shuffler: random.Random) -> None:
    head, _, tail = url.partition("?")
    assume("#" not in head)
    query, hash_sign, fragment = tail.partition("#")
    parts = query.split("&")
    names = [part.partition("=")[0] for part in parts]
    assume(len(set(names)) == len(names))  # among equal names a wrapper takes the first
    assume(query.isprintable() and " " not in query)  # white space at the end of a URL is not part of it
    shuffler.shuffle(parts)
    assert canonical_url(f"{head}?{'&'.join(parts)}{hash_sign}{fragment}") == canonical_url(url)


@given(st.text(), st.text())
def test_absolute_takes_any_text(base: str, url: str) -> None:
    result = absolute(base, url)
    assert result == "" or is_http_url(result)


@table(
    ("guid", "expected"),
    [
        (
            "https://forum.example/viewtopic.php?p=7&sid=0123456789abcdef0123456789abcdef#p7",
            "https://forum.example/viewtopic.php?p=7#p7",
        ),
        ("HTTP://Forum.example/a/?x=1&PHPSESSID=k3v&y=", "HTTP://Forum.example/a/?x=1&y="),
        ("http://shop.example/a;jsessionid=0F3A", "http://shop.example/a"),
        ("http://shop.example/a?osCsid=9", "http://shop.example/a"),
        ("https://paper.example/?b=2&a=1&&sid=12", "https://paper.example/?b=2&a=1&&sid=12"),
        ("tag:forum.example,2026:7?PHPSESSID=k3v", "tag:forum.example,2026:7?PHPSESSID=k3v"),
        ("7", "7"),
    ],
)
def test_guid_loses_only_its_session(guid: str, expected: str) -> None:
    assert without_session(guid) == expected
