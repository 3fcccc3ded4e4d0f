"""`manage.py import_feeds_yaml FILE`."""

from reader.management.import_command import ImportCommand


class Command(ImportCommand):
    help = "Follow the feeds in a feeds.yaml file; tabs become folders."
