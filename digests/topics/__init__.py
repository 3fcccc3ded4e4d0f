"""Articles gathered into topics by the words they share. Pure: no database, no settings, no clock."""
