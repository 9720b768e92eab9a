"""A client for the pages of an app that runs in the test's own process."""

import hmac
import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import httpx

from tests.service.app_client import AppClient, served

HTML = {"Accept": "text/html,application/xhtml+xml"}
OURS = {"Origin": "http://test"}


class PageClient(AppClient):
    """A client that opens pages and sends forms, with or without a key."""

    def look(self, path, *, key=None, headers=None, method="GET"):
        """Return the page at a URL; redirects are not followed."""
        return self._browse(method, path, key, headers)

    def send(self, path, fields, *, key="", headers=None, **rest):
        """Send a form as a page of the service does, with the CSRF token of the key."""
        secret = self.admin if key == "" else key
        return self._browse(
            "POST", path, secret, OURS | (headers or {}), data={"token": token(secret)} | fields, **rest
        )

    def _browse(self, method, path, secret, headers, **rest):
        cookie = {"Cookie": f"prowess_key={secret}"} if secret else {}

        async def ask():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, path, headers=HTML | cookie | (headers or {}), **rest)

        return self.runner.run(ask())


def check_refused(ask, path, query, message):
    """Check that a page shows `message` as an error, and that its JSON version also returns 422."""
    page = ask.look(f"{path}?{query}")
    assert page.status_code == 422
    assert message in re.search(r'role="alert">(.*?)</p>', page.text)[1]
    ask.get(f"{path}.json?{query}", status=422)
    return page


def words(page):
    """Return the text of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


def token(secret):
    """Return the CSRF token of a key, computed independently of the service."""
    return hmac.new(secret.encode(), b"form", sha256).hexdigest() if secret else ""


@contextmanager
def serve_pages(url, **settings) -> Iterator[PageClient]:
    """Run an app on a database, and yield a client for its pages."""
    with served(url, **settings) as asking:
        yield PageClient(asking.runner, asking.app, asking.admin)
