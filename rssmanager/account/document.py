"""The file in which a person takes everything with them, and its bounds.

A ZIP of two files: `feeds.opml`, which every feed reader understands, and `rssmanager.jsonl`, which this one does. The
latter is JSON Lines (UTF-8, an object on each line), so that a hundred thousand articles are written and read one at a
time. Each line says its `kind`, and they come in this order:

- `rssmanager`, the first line: `version` (1), `exported_at`
- `preferences`: `theme`, `density`, `face`, `text_size`, `has_pictures`, `has_columns`, `reads_on_scroll`, `has_keys`,
  `time_zone`, `language` (passed over where it is not installed)
- `folder`: `name`, `language`, `item_limit_per_category`
- `feed`: `url` (without user name and password), `feed_title`, `site_url`, `title` (one's own), `folder`, `category`,
  `fetches_full_text`, `most_a_day`, `is_digest_only`, `quiet_until`, `has_alerts`, `tells_of_trouble`, `is_kept`
- `tag`: `name`
- `rule`: `name`, `is_on`, `words`, `author`, `category`, `language`, `pattern`, `feed` (its URL), `folder`, `mutes`,
  `marks_read`, `stars`, `lift` (points of relevance), `tag`
- `search`: `name`, `query`
- `digest`: `digest` (its kind), `is_on`, `at` (local time), `weekday` (0 = Monday), `by_mail`, `n_topics`
- `alerts`: `breaking`, `breaking_by_mail`, `feeds_by_mail`
- `article`: `key` (what the page's canonical URL hashes to), `url`, `title`, `author`, `published_at`, `in` (`feed` and
  `guid` of each feed of one's own that brings it), and what was done: `read`, `seen`, `starred` (when, or true),
  `tags`, `acts`, `positions`; with a star or a tag also `content`: `markup`, `is_text`, `base_url`, `language`
- `interests`: `is_learning`, `recency_rate`, and the fields of `reader.interest_files`

Times are ISO 8601 in UTC. Fields that are empty or false may be missing; fields that are not known are passed over.
Not in it: passwords, addresses with passwords in them, tokens, the e-mail address, and articles nothing was done with.
"""

VERSION = 1
LINES_NAME = "rssmanager.jsonl"
OPML_NAME = "feeds.opml"
KINDS = (
    "preferences",
    "folder",
    "feed",
    "tag",
    "rule",
    "search",
    "digest",
    "alerts",
    "article",
    "interests",
)
MOST_UPLOADED = 100 * 2**20  # bytes of the file as it is uploaded
MOST_UNPACKED = 600 * 2**20  # bytes of its lines; 100,000 articles read are some 40 MB
MOST_LINE = 4 * 2**20  # bytes
MOST_LINES = 2_000_000
MOST_MARKUP = 1_000_000  # characters of an article that goes with its content; a longer one goes without
