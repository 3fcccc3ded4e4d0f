"""Renders an edition as text, Markdown, JSON, an HTML page, an email, or an Atom entry.

`clean_text` removes what could do harm, `phrases` has the sentences that all formats share, `layout` arranges an
edition, and one module per format writes it.
"""
