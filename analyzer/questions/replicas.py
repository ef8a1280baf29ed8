"""Is load per replica, or is nobody telling which replica served a request?"""

import numpy as np

from analyzer.questions.cells import Integers, Numbers
from store.contract import RequestFilter, TelemetryReader
from vocabulary.pools import Pool, Window


def replicas_are_unknown(reader: TelemetryReader, pool: Pool, window: Window, ready: Integers | Numbers) -> bool:
    """Whether load per ready replica is load per pool, because no request names its replica.

    The store counts at least one replica a minute, so only a pool that never has more is asked about: then its newest
    production request of the window tells.

    ready   replicas counted, minute by minute or bucket by bucket
    raises  what `reader` raises
    """
    if not ready.size or np.any(ready > 1):
        return False
    wanted = RequestFilter(service=pool.service, model=pool.model, load_test="")
    newest = reader.requests(window, wanted, 1).rows
    return newest.num_rows > 0 and not newest["replica"][0].as_py()
