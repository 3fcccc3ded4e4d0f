"""What a person looks for: the language of queries, and what is marked where it was found."""
