"""Links between articles and the stories they form."""
