"""Learning from users' actions: features of articles, the interest profile, the relevance model."""
