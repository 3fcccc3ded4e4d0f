"""Users' interests: terms, engagement, training."""
