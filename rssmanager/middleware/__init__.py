"""Django middleware."""
