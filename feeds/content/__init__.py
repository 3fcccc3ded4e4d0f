"""Article content: sanitizing, images, and the text of an article's own page."""
