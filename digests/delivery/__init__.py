"""Email: the outbox, composing, sending, and the actions linked from emails."""
