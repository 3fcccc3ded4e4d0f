"""Who is signed in stays so: rows of Django's table go to ours, under the digest of their keys, and no copy is left."""

from hashlib import sha256

from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations
from django.utils import timezone


def move(apps, schema_editor):
    Session = apps.get_model("sessions", "Session")
    BrowserSession = apps.get_model("signing_in", "BrowserSession")
    users = set(apps.get_model("auth", "User").objects.values_list("pk", flat=True))
    now, store = timezone.now(), SessionStore()
    for row in Session.objects.filter(expire_date__gt=now).iterator():
        user_id = int(store.decode(row.session_data).get("_auth_user_id") or 0)
        if user_id in users:
            values = {"session_data": row.session_data, "expire_date": row.expire_date, "user_id": user_id}
            key = sha256(row.session_key.encode()).hexdigest()
            BrowserSession.objects.update_or_create(pk=key, defaults=values | {"began_at": now, "seen_at": now})
    Session.objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ("signing_in", "0003_browser_sessions"),
        ("sessions", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
