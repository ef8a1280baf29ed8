"""What an answer rests on."""

import numpy as np
import numpy.typing as npt

from analyzer.questions.answers import Basis
from vocabulary.pools import MINUTE_NS, Window


def basis_of(
    method: str,
    version: int,
    window: Window,
    minute_ns: npt.NDArray[np.int64],
    requests: int,
    pending_minutes: int,
    *,
    width_ns: int = MINUTE_NS,
) -> Basis:
    """Basis of an answer read from rollup rows that start at `minute_ns` and last `width_ns`.

    The watermark is the end of the newest row read, or the start of the window when there is none.
    """
    newest = int(minute_ns.max()) + width_ns if minute_ns.size else window.start_ns
    return Basis(
        method=method,
        version=version,
        window=window,
        watermark_ns=min(newest, window.end_ns),
        requests=requests,
        pending_minutes=pending_minutes,
    )
