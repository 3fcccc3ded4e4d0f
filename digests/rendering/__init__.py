"""An edition as it is read: text, Markdown, JSON, a page of its own, a mail, an entry of a feed.

`tidy` takes out what could harm, `words` says the sentences that all forms share, `sheet` lays an edition out, and one
module a form writes it.
"""
