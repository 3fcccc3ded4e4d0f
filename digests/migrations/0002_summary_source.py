"""Whose article the summary of a topic is from, if not the lead's."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('digests', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='digesttopic',
            name='summary_from',
            field=models.CharField(blank=True, default='', max_length=300),
        ),
    ]
