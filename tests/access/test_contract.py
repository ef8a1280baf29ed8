from access.contract import AccessError, LogInRefusedError


def test_a_refusal_tells_how_long_to_wait_where_waiting_helps() -> None:
    assert LogInRefusedError("No.").retry_after_s is None
    limited = LogInRefusedError("Too many attempts.", 7)
    assert (str(limited), limited.retry_after_s) == ("Too many attempts.", 7)


def test_what_is_refused_once_is_refused_again() -> None:
    assert AccessError("No.").permanent
