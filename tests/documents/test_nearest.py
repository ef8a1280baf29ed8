from documents.nearest import nearest


def test_a_slip_of_the_pen_finds_its_word() -> None:
    assert nearest("prot", ["host", "port", "role"]) == "port"


def test_a_word_like_no_other_finds_none() -> None:
    assert nearest("colour", ["host", "port"]) is None
