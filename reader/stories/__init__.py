"""Stories as a user sees them: collapsing, splitting, explaining."""
