"""Mail: what waits to be sent, how it is composed and handed over, and what people do out of it."""
