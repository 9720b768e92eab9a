"""The pages in the test's own process, as a browser asks for them."""

import hmac
import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import httpx

from tests.service.asking import Asking, served

HTML = {"Accept": "text/html,application/xhtml+xml"}
OURS = {"Origin": "http://test"}


class PageClient(Asking):
    """A client that looks at pages, signed in with a key or not, and sends forms."""

    def look(self, path, *, key=None, headers=None, method="GET"):
        """The page at an address; redirects are not followed."""
        return self._browse(method, path, key, headers)

    def send(self, path, fields, *, key="", headers=None, **rest):
        """Send a form as a page of the service does, with the token of the key that is signed in."""
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


def words(page):
    """What is to be read on a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


def token(secret):
    """The token of forms, computed here once more."""
    return hmac.new(secret.encode(), b"form", sha256).hexdigest() if secret else ""


@contextmanager
def serve_pages(url, **settings) -> Iterator[PageClient]:
    """An app on a database, from its start to its end."""
    with served(url, **settings) as asking:
        yield PageClient(asking.runner, asking.app, asking.admin)
