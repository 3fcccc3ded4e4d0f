"""Web server and worker processes."""
