"""Small documents of every format that is read: what is damaged. Ours, and short, so that a case costs little."""

_NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
)
RSS = f"""<?xml version="1.0" encoding="utf-8"?><rss version="2.0" {_NAMESPACES}><channel><title>Harbour Post</title>
<link>https://paper.example/</link><description>All &amp; more</description><language>en-gb</language><ttl>30</ttl>
<sy:updatePeriod>hourly</sy:updatePeriod><skipHours><hour>3</hour></skipHours><skipDays><day>Sunday</day></skipDays>
<item><title>The bridge &amp;amp; the river</title>
<link>/news/1?utm_source=rss</link><guid isPermaLink="false">a1</guid>
<dc:creator>By Jane Doe (jane@paper.example)</dc:creator><pubDate>Tue, 03 Mar 2026 10:20:30 +0100</pubDate>
<category>TECHNOLOGY</category><enclosure url="/a.mp3" type="audio/mpeg" length="123"/>
<content:encoded><![CDATA[<p>Opened <b>today</b><img src="/p.jpg" width=640></p>]]></content:encoded>
<media:content url="https://cdn.example/v.mp4" width="640" height="480" medium="video"/>
<media:thumbnail url="t.png"/></item><item><title>Zwei</title><guid>https://paper.example/2</guid>
<description>&lt;p&gt;caf&eacute;&lt;/p&gt;</description></item></channel></rss>"""
ATOM = """<?xml version='1.0'?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://paper.example/b/"
xml:lang="de"><title type="html">A &lt;b&gt;title&lt;/b&gt;</title><link rel="self" href="feed.xml"/><link href="/"/>
<id>urn:x:1</id><updated>2026-03-03T10:00:00Z</updated><author><name>Jane</name><email>j@x.example</email></author>
<entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <em>two</em></div></title><id>tag:x,2026:1</id>
<link rel="alternate" href="one"/><link rel="enclosure" href="e.ogg" length="9" type="audio/ogg"/>
<published>2026-03-03T11:00:00.5+02:00</published><summary>Short</summary><category term="ai" label="AI"/>
<content type="xhtml" xml:base="c/"><div xmlns="http://www.w3.org/1999/xhtml"><p>Body<br/></p></div></content></entry>
</feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://paper.example/"><title>R</title></channel>
<item rdf:about="https://paper.example/r"><title>見出し</title><link>https://paper.example/r</link>
<dc:date>2026-03-03</dc:date><description>本文です。</description></item></rdf:RDF>"""
DECLARED = """<!DOCTYPE rss [<!ENTITY a "x"><!ENTITY b "&a;&a;"><!ENTITY % p SYSTEM "file:///etc/passwd">
<!ENTITY c SYSTEM "http://127.0.0.1/">]><rss version="0.91"><channel><title>&b;&c;</title><item><title>&a;</title>
</item></channel></rss>"""
JSON_FEED = """{"version": "https://jsonfeed.org/version/1.1", "title": "J", "home_page_url": "https://paper.example/",
"authors": [{"name": "Jane", "url": "https://x.example"}], "language": "en", "items": [{"id": "1", "url": "/one",
"title": "One", "content_html": "<p>Body</p>", "date_published": "2026-03-03T10:00:00Z", "tags": ["a", "B"],
"attachments": [{"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 12, "duration_in_seconds": 1.5}]},
{"id": 2, "content_text": "Text", "image": "/i.png", "date_modified": "2026-03-03"}]}"""
FEEDS = (RSS, ATOM, RDF, DECLARED, JSON_FEED)
FEED_PIECES = (
    "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE ", "<!ENTITY ", "[", "]>", "&",
    "&#", "&#x110000;", "&#0;", "&amp;", "&nbsp;", "&lol;", ";", '"', "'", "=", ":", "xmlns=", "xmlns:a=''",
    "xml:base='http://['", "xml:lang='x'", "<item>", "</item>", "<entry>", "</entry>", "<title>", "<link>",
    "<link href='", "<guid>", "<pubDate>", "<content type='xhtml'>", "<content type='application/octet-stream'>AA==",
    "<media:group>", "<svg>", "<div>", "type='html'", "type=\"text/javascript\"", "encoding='utf-16'",
    "encoding=\"utf-7\"", "<rss>", "<feed>", "<a:b>", "<x/>", "isPermaLink='maybe'", "99999999999999999999", "-1",
    "1e999", "http://[::1", "//", "javascript:", "<image>", "<itunes:duration>", "<georss:point>1 2", "<geo:lat>x",
    "<source>", "<textinput>", "<cloud>", "<media:rating>",
)  # fmt: skip
BYTE_PIECES = (
    *(piece.encode() for piece in FEED_PIECES), b"\x1f\x8b\x08", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0",
    b"\xff", b"\x1b$B", b"\x1b(B", b"~{", b"+AD", b"\xc3\x83\xc2\xa9", b"\xe2\x80", b"\xf0\x9f", b"\xed\xa0\x80",
    b"Lo\xa7\x94",
)  # fmt: skip
PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><base href="/b/"><title>Page</title>
<link rel=alternate type="application/rss+xml" href="feed.xml" title="News"><link rel="feed" href="//x.example/a">
</head><body><a href="/rss">RSS</a><a href="https://feeds.example/atom.xml">Atom</a><!-- <link href=x> -->
<script>var a = "<link rel=alternate>";</script></body></html>"""
MARKUP = (
    '<p>One <a href="/two?a=1&amp;b=2" title=t>two</a><br><img src="a.png" srcset="a.png 1x, b.png 2x" alt="A"></p>',
    "<table><tr><td colspan=2>a<tr><th>b</table><ul><li>c<ul><li>d</ul></ul><pre>\n e</pre>",
    "<svg><style><img title='</style><img src onerror=x>'></style></svg><math><mtext><mglyph><style><!--</style>x",
    "<video poster=/p.png><source src=/v.mp4 type=video/mp4>x</video><iframe src='//player.vimeo.com/video/123'>",
    "<noscript><img src=/a.png></noscript><template><p>x</template><select><option>y</select><textarea>z</textarea>",
    "<picture><source data-srcset='/a.webp 2x'><img data-src=/a.png src='data:image/gif;base64,R0lG'></picture>",
    "&lt;p&gt;escaped&lt;/p&gt; &amp;amp; &eacute &#x3c;b&#62; &notin; &NotEqualTilde;",
    "<a><b><a><i><p></b><table><a><td></a></table><form><h1><dialog><section>x</form>",
    '<div dir=rtl lang="ar"><details open><summary>s</summary><time datetime="2026-03-03">t</time></details></div>',
)
MARKUP_PIECES = (
    "<", ">", "</", "/>", "<!--", "--!>", "-->", "<!", "<?", "<![CDATA[", "]]>", '"', "'", "`", "=", "&", "&#x",
    "&lt;", ";", " ", "\n", "/", "<a href=", "<a ", "</a>", "<p>", "</p>", "<b>", "</b>", "<i>", "<table>", "<tr>",
    "<td>", "</table>", "<svg>", "</svg>", "<math>", "<mtext>", "<mglyph>", "<annotation-xml encoding=text/html>",
    "<foreignObject>", "<desc>", "<title>", "<style>", "</style>", "<script>", "</script>", "<textarea>",
    "<noscript>", "</noscript>", "<template>", "<select>", "<option>", "<plaintext>", "<xmp>", "<listing>", "<pre>",
    "<form>", "<h1>", "<h2>", "<li>", "<ul>", "<dl>", "<dd>", "<ruby>", "<rt>", "<caption>", "<colgroup>", "<col>",
    "<thead>", "<button>", "<iframe srcdoc='", "<object>", "<embed src=", "<img src=", "<image src=x>",
    "<video src=", "<audio>", "<source src=", "<frameset>", "<body onload=x>", "<html>", "<head>", "<base href=",
    "<meta ", "<link ", "onerror=", "style=", "srcset=", "data-src=", "javascript:", "data:text/html,",
    "data:image/png;base64,AAAA", "https://x.example/", "//x", "\\", "<nobr>", "<font>", "<marquee>",
    "<details open>", "<summary>", "<dialog>", "<hr>", "<br>", "<wbr>", "<span>", "<div>", "<q>", "<sarcasm>",
    "<x-y>",
)  # fmt: skip
OPML = """<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
<outline text="News &amp; more"><outline type="rss" text="A" xmlUrl="https://a.example/feed" htmlUrl="//a.example/"/>
<outline text="Deep"><outline xmlUrl="http://u:pw@b.example/?y=1&amp;z" title="B" category="/one/two,/three"/></outline>
</outline><outline type="link" url="https://c.example/"/><outline isComment="true" xmlUrl="https://d.example/"/>
</body></opml>"""
FEEDS_YAML = """tabs:
  zh_news:
    name: 中文新聞
    item_limit_per_category: 5
    max_items_per_feed: 20
    sources: &all
      - category: 國際
        url: https://a.example/feed
        source_name: "A"
      - {url: 'b.example/rss', category: x}
  en: {<<: {name: E}, sources: *all}
"""
URL_LIST = """# mine
https://a.example/feed.xml news "~Title" !hidden
feed://b.example/atom
c.example/rss "two words" 'x
query:unread:unread = "yes"
|command
"""
LISTS = (OPML, FEEDS_YAML, URL_LIST)
LIST_PIECES = (
    "<outline ", "<outline>", "</outline>", "/>", "xmlUrl=", "xmlurl='", "text=", "type=rss", "category='/a/b'",
    "<opml>", "<body>", "</body>", "<!--", "-->", "<![CDATA[", "<!DOCTYPE x [", "<!ENTITY a 'b'>", "&a;", "&amp;",
    "&", '"', "'", "tabs:", "\n", "\n  ", "- ", ": ", "&x ", "*x", "<<: ", "!!python/object ", "? ", "|", ">", "{",
    "}", "[", "]", ",", "---\n", "...", "%YAML 9.9\n", "!<tag:x> ", "url: ", "sources:", "null", "~", "0x10", "1e9",
    "https://", "feed:", "feed://", "http://[", "xn--", "@", ":99999", ".", "..", "//", "#", "\t", "\r",
    "isComment=true", "rssmanager:maxItems='9'", "xmlns:rssmanager='urn:rssmanager:opml'",
)  # fmt: skip
URLS = (
    "https://www.paper.example/news/1?utm_source=x&b=2&a=1#top",
    "http://user:pw@paper.example:80/a/../b//c;jsessionid=1?q",
    "https://amp.google.com/url?q=https%3A%2F%2Fpaper.example%2Fa", "https://m.paper.example/amp/x.html?amp=1&amp;b",
    "https://例え.テスト/パス?クエリ=値", "//paper.example/x", "/a/b?c#d", "http://[::1]:8080/x",
    "http://1.2.3.4/%7Euser/%zz", "https://news.google.com/rss/articles/CBMi?oc=5",
    "https://paper-example.cdn.ampproject.org/c/s/paper.example/a/",
    "https://r.search.yahoo.com/x/RU=https%3a%2f%2fa.example%2f/RK=2", "feed://paper.example/rss",
    "http://paper.example.", "https://l.facebook.com/l.php?u=https%3A%2F%2Fa.example%2F&h=x",
    "https://x.example/#!/route", "https://a.example?x", "https://web.archive.org/web/2026/http://a.example//b",
    "https://t.example/?url=http%3A%2F%2Fa.example&url=b",
)  # fmt: skip
URL_PIECES = (
    "http://", "https://", "HTTP:", "//", "/", "\\", "?", "#", "&", "&amp;", "=", ";", ":", "@", ".", "..", "/./",
    "/../", "%", "%2F", "%2e%2E", "%00", "%zz", "%E4%B8", "[", "]", "[::1]", "::", "www.", "m.", "amp.", "amp/",
    "/amp", "?amp", "amp;", "amp;amp;", "utm_source=", "fbclid=x", "ref=", "url=", "q=http://", "u=https%3A%2F%2F",
    "RU=", "/RK=", "xn--", "xn--a", "ß", "。", "．", "①", "İ", "\t", "\n", " ", "+", ",", "!", "~", "'", "(", "*",
    "jsessionid=", ";jsessionid=1/", ":80", ":443", ":0", ":65536", ":٣", "localhost", "1.2.3.4", "0x7f.1", "a" * 70,
    "google.com/url", "news.google.com", "cdn.ampproject.org/c/s/", "l.facebook.com/l.php", "feed:", "rss:",
    "javascript:", "data:", "mobile.", "touch.", "outputType=amp", "#!/", "#/", "|", "<", '"', "^", "`", "{",
)  # fmt: skip
