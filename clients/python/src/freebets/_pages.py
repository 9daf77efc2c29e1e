"""Lists, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Generator, Iterator, Mapping
from typing import Any, Callable, Generic, Optional, TypeVar

from ._caller import Caller
from ._operations import OPERATIONS
from ._options import NOT_GIVEN, CallOptions
from ._responses import Response
from ._runtime import run

T = TypeVar("T")


class _Fetcher:
    """Fetches the pages of one list."""

    def __init__(self, caller: Caller, method: str, request: Mapping[str, Any], options: CallOptions | None) -> None:
        self._caller, self._method, self._options = caller, method, options
        self._request = dict(request)
        if self._request.get("limit", NOT_GIVEN) is NOT_GIVEN:
            # Iterating takes the fewest calls with the largest pages.
            self._request["limit"] = OPERATIONS[method].most

    @property
    def field(self) -> str:
        return OPERATIONS[self._method].list or ""

    async def fetch(self, cursor: str | None) -> Response:
        request = self._request if cursor is None else {**self._request, "cursor": cursor}
        return await self._caller.call(self._method, request, self._options)


class _AnyPage(Generic[T]):
    def __init__(self, fetcher: _Fetcher, response: Response) -> None:
        self._fetcher = fetcher
        self.data: list[T] = response[fetcher.field]
        """The items of this page. A page may have fewer than `limit`, even none, and not be the last."""
        self.next_cursor: Optional[str] = response["next_cursor"]
        """Pass it as `cursor` to continue after this page; None on the last page."""
        self.request_id = response.request_id

    def has_next_page(self) -> bool:
        return self.next_cursor is not None


class Page(_AnyPage[T]):
    """One page of a list. Iterate over it to get the items of this page and of all that follow."""

    def next_page(self) -> Page[T]:
        return Page(self._fetcher, run(self._fetcher.fetch(_cursor_of(self))))

    def __iter__(self) -> Iterator[T]:
        page = self
        yield from page.data
        while page.has_next_page():
            page = page.next_page()
            yield from page.data


class AsyncPage(_AnyPage[T]):
    """One page of a list. Iterate over it with ``async for`` to get the items of this page and of all that follow."""

    async def next_page(self) -> AsyncPage[T]:
        return AsyncPage(self._fetcher, await self._fetcher.fetch(_cursor_of(self)))

    async def __aiter__(self) -> AsyncIterator[T]:
        page = self
        for item in page.data:
            yield item
        while page.has_next_page():
            page = await page.next_page()
            for item in page.data:
                yield item


class AsyncList(Generic[T]):
    """A list that is not fetched yet: ``async for`` goes through all items, ``await`` fetches the first page."""

    def __init__(self, fetch: Callable[[], Awaitable[AsyncPage[T]]]) -> None:
        self._fetch = fetch

    def __await__(self) -> Generator[Any, None, AsyncPage[T]]:
        return self._fetch().__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for item in await self:
            yield item


def first_page(caller: Caller, method: str, request: Mapping[str, Any], options: CallOptions | None) -> Page[Any]:
    fetcher = _Fetcher(caller, method, request, options)
    return Page(fetcher, run(fetcher.fetch(None)))


def async_list(caller: Caller, method: str, request: Mapping[str, Any], options: CallOptions | None) -> AsyncList[Any]:
    fetcher = _Fetcher(caller, method, request, options)

    async def fetch() -> AsyncPage[Any]:
        return AsyncPage(fetcher, await fetcher.fetch(None))

    return AsyncList(fetch)


def _cursor_of(page: _AnyPage[Any]) -> str:
    if page.next_cursor is None:
        raise ValueError("This is the last page.")
    return page.next_cursor
