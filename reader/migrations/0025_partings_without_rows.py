from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("reader", "0024_bundle_old_partings")]
    operations = [migrations.RemoveField(model_name="parting", name="kept")]
