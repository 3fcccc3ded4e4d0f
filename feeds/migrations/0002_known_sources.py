"""Fill the registry of sources, and the first category synonyms, with what the project ships."""

from django.db import migrations

from feeds.registry import load_registry

SYNONYMS = {
    "Technology": ["tech", "technologie", "tecnología", "tecnologia", "technik", "科技", "テクノロジー", "sci/tech", "tech news"],
    "World": ["world news", "international", "internacional", "monde", "welt", "国际", "國際", "国際", "世界", "ausland"],
    "Politics": ["politik", "politique", "política", "politica", "政治"],
    "Business": ["wirtschaft", "économie", "economía", "economia", "economy", "経済", "经济", "經濟", "財經", "财经"],
    "Science": ["wissenschaft", "sciences", "ciencia", "scienza", "科学", "科學", "サイエンス"],
    "Sports": ["sport", "deportes", "esportes", "体育", "體育", "スポーツ"],
    "Culture": ["kultur", "cultura", "文化", "カルチャー"],
    "Health": ["gesundheit", "santé", "salud", "saúde", "健康", "医療"],
    "Entertainment": ["unterhaltung", "娱乐", "娛樂", "エンタメ"],
    "Opinion": ["opinions", "meinung", "opinión", "opinião", "comment", "评论", "評論", "オピニオン"],
    "Artificial intelligence": ["ai", "a.i.", "人工智能", "人工智慧", "künstliche intelligenz"],
    "Environment": ["umwelt", "environnement", "medio ambiente", "环境", "環境"],
}


def fill(apps, schema_editor):
    Source = apps.get_model("feeds", "Source")
    known = [Source(domain=each.domain, name=each.name, tier=each.tier) for each in load_registry()]
    Source.objects.bulk_create(known, ignore_conflicts=True)
    Synonym = apps.get_model("feeds", "CategorySynonym")
    synonyms = [Synonym(term=term, category=category) for category, terms in SYNONYMS.items() for term in terms]
    Synonym.objects.bulk_create(synonyms, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("feeds", "0001_initial")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
