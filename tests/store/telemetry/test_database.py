from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, literal, select, text

from store.telemetry.database import Database
from store.telemetry.failures import Use
from store.telemetry.open import Telemetry
from vocabulary.errors import RefusedReadError


def test_a_text_value_cannot_change_its_statement(telemetry: Telemetry) -> None:
    for value in ("it's", "\\", "\\' OR 1=1 --", "100%", "%(x)s", "{a:String}", "é\n\0"):
        (row,) = telemetry.reads.rows(select(literal(value).label("value")))
        assert row["value"] == value


def test_a_read_that_takes_too_long_is_refused(telemetry: Telemetry) -> None:
    hurried = Database(telemetry.url, {"max_execution_time": 0.2}, 1, Use.SCREEN)
    with pytest.raises(RefusedReadError, match="shorter window"):
        hurried.scalar(text("SELECT count() FROM system.numbers WHERE sipHash64(number) = 1"))
    hurried.close()


def test_an_answer_with_too_many_rows_is_refused(telemetry: Telemetry) -> None:
    with pytest.raises(RefusedReadError, match="too many rows"):
        telemetry.reads.table(text("SELECT number FROM numbers(3000000)"))


def test_a_failed_read_leaves_nothing_behind_in_the_next_answer(telemetry: Telemetry) -> None:
    single = Database(telemetry.url, {"max_result_rows": 1_000_000}, 1, Use.SCREEN)
    for _ in range(2):
        with pytest.raises(RefusedReadError):
            single.table(text("SELECT number FROM numbers(3000000)"))
        assert single.rows(text("SELECT 7 AS seven")) == [{"seven": 7}]
    single.close()


def test_rows_read_counts_what_the_engine_touches(telemetry: Telemetry) -> None:
    assert telemetry.reads.rows_read(text("SELECT sum(number) FROM numbers(1000)")) == 1000


def test_many_threads_may_read_at_once(telemetry: Telemetry) -> None:
    def total(upto: int) -> int:
        return telemetry.reads.scalar(select(func.sum(text("number"))).select_from(func.numbers(upto)))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(total, range(1, 100))) == [upto * (upto - 1) // 2 for upto in range(1, 100)]
