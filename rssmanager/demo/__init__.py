"""Sample publishers: invented newspapers, blogs and agencies, served on loopback.

They fill the reader for `manage.py demo` and are the fixture of end-to-end tests. Nothing here imports Django,
reads the clock or reaches beyond loopback: `now` is an argument, and every date is kept as hours before it.

`publishers` reads the YAML files in `data/`, `documents` renders feeds, `pages` the sites around them, `troubles` what
goes wrong, `scenarios` says which entries show what, and `server` answers requests.
"""
