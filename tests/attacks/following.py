"""Following feeds and importing lists as a user does, with a worker that runs beside."""

import re

from tests.attacks.site import Browser, Site
from tests.faults.processes import sql, wait_until


def follow(site: Site, browser: Browser, address: str) -> int:
    """Follow it as a person does and wait until the worker is through with it; the import's number."""
    answered = browser.post("/subscribe/", address=address, folder="")
    if answered.status_code != 302:
        return 0
    return finished(site, answered.headers["Location"])


def finished(site: Site, path: str) -> int:
    wait_until(lambda: import_status(site, path) in ("done", "failed"), f"{path} is still {import_status(site, path)}")
    return _number(path)


def _number(path: str) -> int:
    found = re.search(r"/imports/(\d+)/", path)
    assert found is not None, path
    return int(found[1])


def import_status(site: Site, path: str) -> str:
    return str(sql(site.reader, f"SELECT status FROM reader_import WHERE id = {_number(path)}")[0][0])  # noqa: S608
