from hypothesis import given
from hypothesis import strategies as st

from alerts.book import pool_of, series_of
from vocabulary.pools import Pool


@given(st.builds(Pool, st.text(), st.text()))
def test_a_series_names_exactly_one_pool(pool: Pool) -> None:
    assert pool_of(series_of(pool)) == pool
