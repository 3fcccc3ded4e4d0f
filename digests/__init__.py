"""What is sent: digests. Its work begins with the digests issue; until then the room is reserved."""
