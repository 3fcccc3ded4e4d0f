"""What is learned from a person's choices: features of articles, the interest profile, the relevance model."""
