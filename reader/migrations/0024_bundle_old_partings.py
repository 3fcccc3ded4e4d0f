"""What was left before, and whose rows were deleted then, waits as what is left now: hidden rows, and lists in bundles."""

import json
import zlib

from django.db import migrations

MADE_BY_THEMSELVES = {"Subscription": "added_at", "Rule": "created_at"}


def bundle(apps, schema_editor):
    Parting = apps.get_model("reader", "Parting")
    for pk in list(Parting.objects.filter(undone_at=None, bundles=None).values_list("pk", flat=True)):
        parting = Parting.objects.get(pk=pk)
        kept = json.loads(zlib.decompress(bytes(parting.kept)))
        for row in kept["subscriptions"]:
            row["fields"] |= {"parting": pk, "unread_count": 0}
        for name, key in (("Subscription", "subscriptions"), ("Rule", "rules"), ("Muted", "muted")):
            insert(apps, name, kept.get(key, ()))
        put_back_acts(apps, parting, kept)
        lists = {name: kept.get(name, []) for name in ("deliveries", "read", "unread")}
        n_articles = sum(map(len, kept["deliveries"].values()))
        packed = zlib.compress(json.dumps(lists).encode())
        apps.get_model("reader", "Bundle").objects.create(parting=parting, n_articles=n_articles, kept=packed)
        Parting.objects.filter(pk=pk).update(n_articles=n_articles, n_moved=n_articles)
    Parting.objects.exclude(undone_at=None).update(course="back")


def insert(apps, name, rows):
    """Rows as they were; what may be missing of them is None, and those that miss more are left out."""
    model = apps.get_model("reader", name)
    made = []
    for row in rows:
        values = {model._meta.get_field(each).attname: value for each, value in row["fields"].items()}
        for field in model._meta.concrete_fields:
            if field.related_model is not None and values.get(field.attname) is not None:
                if not field.related_model._base_manager.filter(pk=values[field.attname]).exists():
                    values[field.attname] = None
                    if not field.null:
                        break
        else:
            made.append(model(pk=row["pk"], **values))
    model._base_manager.bulk_create(made, ignore_conflicts=True, batch_size=500)
    if (moment := MADE_BY_THEMSELVES.get(name)) and made:
        by_pk = {row["pk"]: row["fields"][moment] for row in rows}
        for each in made:
            setattr(each, moment, by_pk[each.pk])
        model._base_manager.bulk_update(made, [moment], batch_size=500)


def put_back_acts(apps, parting, kept):
    """What the rules had met, and what they had lifted."""
    RuleHit, Lift, Article = (apps.get_model(*each.split(".")) for each in ("reader.RuleHit", "reader.Lift", "feeds.Article"))
    rules = set(apps.get_model("reader", "Rule")._base_manager.filter(user=parting.user_id).values_list("pk", flat=True))
    for hit, rule in kept.get("hits", ()):
        if rule in rules:
            RuleHit.objects.filter(pk=hit, rule=None).update(rule=rule)
    for rule, article, version in kept.get("lifts", ()):
        if rule in rules and Article.objects.filter(pk=article).exists():
            Lift.objects.get_or_create(
                rule_id=rule, article_id=article, defaults={"user_id": parting.user_id, "version": version}
            )


class Migration(migrations.Migration):
    dependencies = [("reader", "0023_partings_by_workers")]
    operations = [migrations.RunPython(bundle, migrations.RunPython.noop)]
