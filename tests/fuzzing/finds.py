"""Every case that fuzzing found, minimised, by target and failure.

They are checked as all cases are: nothing undeclared is raised, and what must hold holds.
"""

from tests.fuzzing.target import Case

FINDS: dict[str, dict[str, Case]] = {
    "urls": {
        "a host in brackets that is no IPv6 address": "http://[ﬁ:]",
        "a bracket that closes nothing, which urlsplit refuses later": "http://]",
        "a slash that IDNA brings into the host": "http://／",
        "a letter that IDNA takes apart at a slash": "http://a℀b.example/",
        "a space before the host": "http:// q",
        "a mark of byte order behind what joining drops": "E\ufeff;",
        "an ampersand escaped twice": "http://m/&amp;amp;",
        "a form feed that a dot at the end of the host hides": "http://x\x0c.",
        "a dot that is a segment once a session is taken off": "http://p/.;jsessionid=",
        "a long s, which ignoring case takes for an s": "httpſ://例",
        "a slash that IDNA brings behind a bracket": "http://[::]／]",
        "a bracket behind a port": "http://[::]:1]",
        "a backslash that hides where the host begins": "p\\.@f",
    },
    "dates": {
        "more digits than dateutil's decimals take": "0:20000000000000000000000000000",
    },
    "searches": {"a query cut off at a space": "(ab" + " abc" * 124 + " d"},
    "rules": {"a term of line ends alone": "\x0b\x85"},
    "discovery": {"a declared feed whose host is a semicolon": b'<link rel="feed"href="//;">'},
    "accounts": {
        "a ZIP whose directory points before its beginning": bytes.fromhex(
            "504b504b01021403140000000000000021005ac1fa15b4000000b4000000100000000000000000000000800100000000"
        )
        + b"rssmanager.jsonl"
        + bytes.fromhex("504b050600000000010001003e000000e20000000000"),
    },
}
