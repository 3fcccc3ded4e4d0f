"""Subscribes to feeds at their hubs (WebSub, W3C Recommendation of 2018), so that new articles arrive within seconds.

**Thin pings.** A hub delivers a feed's content, but we only check its signature, drop it, and poll the feed at once. So
there is one way for entries to come in, with one set of limits, validators and records, and a hub can't put words into
a publisher's mouth: it can make us poll, and nothing else. Rejected: reading the content itself. It saves one
conditional request per announcement, but needs trust in hubs that anyone may run, storage for up to 16 MB per request
before a worker reads it, and an answer for content that is partial (hubs may leave out known entries) or older than the
last poll.

**Pings** set the feed's `next_poll_at` in the request, so a killed worker loses none, and queue one task for all of
them (`callback`). They are coalesced: a ping that no poll has answered yet covers those after it, unless a fetch is
under way, which may have been too early. A ping is answered by a poll that began after it (`answers`).

- The first poll may come before the publisher's own caches know the new entry. So one that finds nothing is repeated
  after 2 and 15 minutes.
- A flood: polls for pings are at least 15 s apart, which doubles with each that finds nothing, up to an hour, and is
  reset by a new entry. Further pings in the meantime cost one query each.

**Polling less.** A hub is believed once a ping led to a new entry, until a poll without a ping finds one. In the
meantime the feed is polled every 6 hours (`feeds.polling.schedule.WITH_HUB`), or as rarely as before if that is longer:
48 polls a day of a major outlet become 4 and one per announcement. The regular interval stays as it was, and applies
again when the hub misses an entry, refuses, or lets the lease end. So a hub that confirms and stays silent changes
nothing, and one that dies delays articles by 6 hours once. A poll that happens to be faster than the hub has the same
effect until the next ping; that costs a few polls.

**Subscriptions** (`hub_requests`) exist for active, followed feeds that name a hub and their own address, both by
`Link` headers or in the document; not for feeds with a password, which a hub can't fetch. Each has its own unguessable
address and secret, which say nothing about users. The state is written before a hub is asked, since it may call back
before it answers, and a request is repeated after 1, 2, 4, … hours until the hub confirms; nothing depends on a
response that a killed worker didn't read. Leases are renewed after 70 to 90 % of their time, at random, so that those
of one day spread; each hub gets at most 20 requests a minute, one at a time.

The secret is also sent to hubs without https, although the specification advises against it: who listens there can
forge pings either way, and all a forged ping causes is a poll.
"""
