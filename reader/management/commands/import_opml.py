"""`manage.py import_opml FILE`."""

from reader.management.import_command import ImportCommand


class Command(ImportCommand):
    help = "Follow the feeds of an OPML file, its outlines becoming folders."
