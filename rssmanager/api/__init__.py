"""APIs for reading apps: Google Reader, as FreshRSS has it, and Fever."""
