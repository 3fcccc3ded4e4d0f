"""All targets, in the order in which they are run."""

from tests.fuzzing.targets import accounts, addresses, feeds, lists, markup, requests, words

TARGETS = (
    *addresses.TARGETS,
    *words.TARGETS,
    *lists.TARGETS,
    *markup.TARGETS,
    *feeds.TARGETS,
    *accounts.TARGETS,
    *requests.TARGETS,
)
