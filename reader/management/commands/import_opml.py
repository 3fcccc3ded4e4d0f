"""`manage.py import_opml FILE`."""

from reader.management.import_command import ImportCommand


class Command(ImportCommand):
    help = "Follow the feeds in an OPML file; outlines become folders."
