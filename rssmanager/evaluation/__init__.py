"""How well the program does its work, measured on files whose right answers people wrote down."""
