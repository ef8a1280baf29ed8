"""Current versions of requests: the highest version of each (anchor_ns, request_key), without FINAL."""

from collections.abc import Callable
from typing import Any

from clickhouse_connect.cc_sqlalchemy import select
from sqlalchemy import ColumnElement, Subquery

from store.telemetry.tables import requests

IDENTITY = (requests.c.anchor_ns, requests.c.request_key)


def latest_requests(*names: str, where: Callable[[Any], ColumnElement[bool]]) -> Subquery:
    """Subquery of the current version of every request that `where` bounds, retracted ones included.

    where   a condition that holds for all versions of a request or for none (anchor, key, import),
            because versions are compared only among the rows it lets through
    """
    wanted = select(*(requests.c[name] for name in names)).where(where(requests.c))
    newest = wanted.order_by(*IDENTITY, requests.c.version.desc())
    return newest.limit_by(IDENTITY, 1).subquery("latest")
