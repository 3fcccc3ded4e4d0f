"""Following feeds and importing lists as a user does, with a worker that runs beside."""

import re

from tests.attacks.site import Browser, Site
from tests.faults.processes import sql, wait_until


def follow(site: Site, browser: Browser, address: str) -> int:
    """Follow every feed at an address as a user does, and wait until the worker is through; the import's number."""
    answered = browser.post("/subscribe/", address=address, folder="")
    if answered.status_code != 302:
        return 0
    path = answered.headers["Location"]
    number = finished(site, path)
    if import_status(site, path) == "preview":
        offered = re.findall(r'name="feed"[^>]*value="(\d+)"', browser.get(path).text)
        browser.post(f"{path}confirm/", token_of=path, feed=offered, folder="")
        finished(site, path)
        assert import_status(site, path) == "done"
    return number


def finished(site: Site, path: str) -> int:
    """Wait until the worker needs an answer or is through; the import's number."""
    wait_until(lambda: import_status(site, path) in ("preview", "done", "failed"), f"{path} goes on", patience=180)
    return _number(path)


def _number(path: str) -> int:
    found = re.search(r"/imports/(\d+)/", path)
    assert found is not None, path
    return int(found[1])


def import_status(site: Site, path: str) -> str:
    return str(sql(site.reader, f"SELECT status FROM reader_import WHERE id = {_number(path)}")[0][0])  # noqa: S608
