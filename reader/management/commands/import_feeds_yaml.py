"""`manage.py import_feeds_yaml FILE`."""

from reader.management.import_command import ImportCommand


class Command(ImportCommand):
    help = "Follow the feeds of a feeds.yaml file, its tabs becoming folders."
