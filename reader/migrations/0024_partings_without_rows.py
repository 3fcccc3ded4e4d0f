from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("reader", "0023_partings_by_workers")]
    operations = [migrations.RemoveField(model_name="parting", name="kept")]
