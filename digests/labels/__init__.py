"""Labels of topics that a reader finds natural: "Geneva: talks, second round". Pure, and light (SPEC §12)."""

from digests.labels.labelling import label_of, label_topics
from digests.labels.topic_text import Member, TopicText

__all__ = ["Member", "TopicText", "label_of", "label_topics"]
