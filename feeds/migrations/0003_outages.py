from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("feeds", "0002_identity"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="down_since",
            field=models.DateTimeField(
                blank=True, editable=False, help_text="Since when most of its feeds have failed alike", null=True
            ),
        ),
        migrations.AlterField(
            model_name="poll",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("new", "New entries"),
                    ("unchanged", "Nothing new"),
                    ("not_modified", "Not modified (304)"),
                    ("limited", "Rate limited"),
                    ("gone", "Gone (410)"),
                    ("http_error", "HTTP error"),
                    ("timeout", "Timeout"),
                    ("unreachable", "Unreachable"),
                    ("refused", "Blocked"),
                    ("outage", "Host down"),
                    ("challenge", "Bot check"),
                    ("parse_error", "Not a valid feed"),
                    ("internal", "Internal error"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="polltally",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("new", "New entries"),
                    ("unchanged", "Nothing new"),
                    ("not_modified", "Not modified (304)"),
                    ("limited", "Rate limited"),
                    ("gone", "Gone (410)"),
                    ("http_error", "HTTP error"),
                    ("timeout", "Timeout"),
                    ("unreachable", "Unreachable"),
                    ("refused", "Blocked"),
                    ("outage", "Host down"),
                    ("challenge", "Bot check"),
                    ("parse_error", "Not a valid feed"),
                    ("internal", "Internal error"),
                ],
                max_length=12,
                primary_key=True,
                serialize=False,
            ),
        ),
    ]
