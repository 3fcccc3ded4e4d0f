"""Users' rules: conditions, matching, and actions on articles."""
