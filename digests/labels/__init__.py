"""Labels of topics like "Geneva: talks, second round" (SPEC §12). For workers: loads spaCy."""

from digests.labels.labelling import label_topics
from digests.labels.topic_input import Member, TopicText

__all__ = ["Member", "TopicText", "label_topics"]
