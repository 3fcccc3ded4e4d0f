"""The links of mails that the attacked installation sent."""

import re

from tests.digests.mail_server import Received

_LINK = re.compile(r"https?://[^\s<>\"')\]]+")


def links_of(mail: Received) -> list[str]:
    """Of both texts and of `List-Unsubscribe`, in order, each once."""
    message = mail.message
    texts = [str(message.get("List-Unsubscribe", ""))]
    texts += [str(part.get_content()) for part in message.walk() if part.get_content_maintype() == "text"]
    found = (link.rstrip(".,").replace("&amp;", "&") for text in texts for link in _LINK.findall(text))
    return list(dict.fromkeys(found))
