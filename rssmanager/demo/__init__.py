"""Sample publishers: invented newspapers, blogs and agencies, served on loopback.

They fill the reader for `manage.py demo` and are the fixture of end-to-end tests. What makes and serves them imports no
Django, reads no clock and reaches nothing beyond loopback: `now` is an argument, and every date is kept as hours before
it. `publishers` reads the YAML files in `data/`, `documents` renders feeds, `pages` the sites around them, `troubles`
what goes wrong, `scenarios` says which entries show what, and `server` answers requests; `tour` and `choices` fill the
demo's reader.

An ordinary reader may look around with the same publishers, and without their server: `samples` stands in for the
network, `taking` follows the feeds and leaves them, `tasks` and `finishing` do the work behind `views`.
"""
