"""Sample publishers: fictional newspapers, blogs and agencies, served on loopback.

`manage.py demo` and end-to-end tests use them. The modules that render and serve them don't import Django, read the
clock or use the network: `now` is an argument, and dates are stored as hours before it. `publishers` reads the YAML
files in `data/`, `feed_documents` renders feeds, `pages` the sites, `responses` answers requests, also with broken
documents, and `server` opens the sockets. `populate` and `seed_engagement` fill the demo.

Users can also try the publishers without a server: `samples` replaces the network, `install_samples` follows and
removes the feeds, `tasks` and `process` work in the background for `views`.
"""
