"""Take the addresses that feeds moved to out of the words of old polls, where they stood so far."""

import re

from django.db import migrations

MOVED = re.compile(r"(?:^|; )moved permanently to (\S+?)(?:, which is followed already; merged)?(?=;|$)")
AT_ONCE = 500


def take_out(apps, schema_editor):
    Poll = apps.get_model("feeds", "Poll")
    old = Poll.objects.filter(moved_to="", message__contains="moved permanently to ").only("message")
    changed = []
    for poll in old.iterator(chunk_size=AT_ONCE):
        if found := MOVED.search(poll.message):
            poll.moved_to = found[1]
            poll.message = (poll.message[: found.start()] + poll.message[found.end() :]).removeprefix("; ")
            changed.append(poll)
    Poll.objects.bulk_update(changed, ["moved_to", "message"], batch_size=AT_ONCE)


class Migration(migrations.Migration):
    dependencies = [("feeds", "0009_poll_moved_to")]
    operations = [migrations.RunPython(take_out, migrations.RunPython.noop)]
