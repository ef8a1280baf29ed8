import pytest

from dashboard.reasons import KEYS, told_reason
from dashboard.wording import wording

STORED = {
    "0.163 is at or above the line 0.16": "0.163 达到或超过警戒线 0.16",
    "quiet for 900 s since it was resolved": "恢复后已平稳 900 秒",
    "0.12 fell below the line 0.16": "0.12 已低于警戒线 0.16",
    "no reading for 130 s, so the wait of 30 s starts again": "130 秒没有读数，重新开始 30 秒的等待",
    "0.168: at or above the line 0.16 for 30 s": "0.168：达到或超过警戒线 0.16 已 30 秒",
    "0.1 is at or below the recovery line 0.13": "0.1 已降至或低于恢复线 0.13",
    "the rule was withdrawn, or no longer watches this pool": "规则已撤销，或不再监视此服务池",
}


@pytest.mark.parametrize(("stored", "chinese"), STORED.items())
def test_a_reason_is_told_in_the_language_of_the_page(stored: str, chinese: str) -> None:
    assert told_reason(stored, wording("zh")) == chinese
    assert told_reason(stored, wording("en")) == stored


def test_every_kind_of_reason_is_tried_and_an_unknown_one_stands_as_it_came() -> None:
    assert len(STORED) == len(KEYS)
    assert told_reason("moved by hand", wording("zh")) == "moved by hand"
