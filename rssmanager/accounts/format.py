"""The export format and its limits.

A ZIP of two files: `feeds.opml`, for other feed readers, and `rssmanager.jsonl`. The latter is JSON Lines (UTF-8, one
object per line), so articles are written and read one at a time. Each line starts with its `kind`, in this order:

- `rssmanager`, the first line: `version` (1), `exported_at`
- `preferences`: `theme`, `density`, `face`, `text_size`, `line_width`, `line_height`, `has_pictures`, `has_columns`,
  `reads_on_scroll`, `has_keys`, `sidebar_order`, `sidebar_width`, `hides_read_feeds`, `shows_more_places`,
  `notifies_broken`, `notifies_minor`, `mail_pictures`, `apps_get_lists`, `apps_get_copies`, `apps_get_sources`,
  `time_zone`, `language` (ignored if it isn't installed)
- `folder`: `name`, `language`, `item_limit_per_category`, `position`, `is_open`
- `feed`: `url` (without user name and password), `feed_title`, `site_url`, `title` and `has_own_title` (the
  user's), `folder`, `category`, `fetches_full_text`, `most_a_day`, `is_digest_only`, `quiet_until`, `has_alerts`,
  `tells_of_trouble`, `is_kept`, `position`, `is_private`
- `tag`: `name`
- `rule`: `name`, `is_on`, `conditions` (a list of `field`, `test`, `value`), `is_any`, `feed` (its URL), `folder`,
  `mutes`, `marks_read`, `stars`, `lift` (points of relevance), `tag`, `url` (without the secret that signs)
- `search`: `name`, `query`
- `highlight`, of an article that was deleted: `title`, `url`, and the fields of an article's `highlights`
- `view`, how a list is shown where that differs from the preferences: `list` (such as `home`, `for_you`, `folder`,
  `feed`, `tag`, `saved_search`), `name` (the folder's, tag's or search's, or the feed's URL), `density`,
  `has_pictures`, `only_unread`, `order`
- `digest`: `digest` (its kind), `is_on`, `at` (local time), `weekday` (0 = Monday), `by_mail`, `n_topics`
- `alerts`: `breaking`, `breaking_by_mail`, `feeds_by_mail`
- `article`: `key` (hash of the page's canonical URL), `url`, `title`, `author`, `published_at`, `in` (`feed` and `guid`
  of each of the user's feeds that carries it), and its state: `read`, `seen`, `starred` (a time, or true), `tags`,
  `acts`, `positions`, `highlights` (`quote`, `prefix`, `suffix`, `note`, `at`), `saved` (when it was saved as a page);
  if starred, tagged, highlighted or saved also `content`: `markup`, `is_text`, `base_url`, `language`
- `interests`: `is_learning`, `recency_rate`, and the fields of `reader.interests.import_export`

Times are ISO 8601 in UTC. Empty and false fields may be missing; unknown fields are ignored. Not included: passwords,
URLs with passwords, tokens, services that articles are sent to, the email address, and articles without any state.
"""

VERSION = 1
LINES_NAME = "rssmanager.jsonl"
OPML_NAME = "feeds.opml"
KINDS = (
    *("preferences", "folder", "feed", "tag", "rule", "search", "view", "highlight", "digest", "alerts"),
    *("article", "interests"),
)
MAX_UPLOADED = 100 * 2**20  # bytes of the uploaded file
MAX_UNPACKED = 200 * 2**20  # bytes of its lines; 100,000 read articles are about 40 MB
MAX_LINE = 4 * 2**20  # bytes
MAX_LINES = 800_000  # read within the 2 s that every document has
MAX_NESTED = 100_000  # brackets and braces per line; parsing more would cost too much
MAX_NESTED_TOTAL = 8_000_000  # an article has about six
MAX_MARKUP = 1_000_000  # characters of an article's content; longer ones are exported without it
