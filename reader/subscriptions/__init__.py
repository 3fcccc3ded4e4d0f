"""Following feeds, importing them, and their health as a user sees it."""
