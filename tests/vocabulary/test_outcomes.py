from vocabulary.outcomes import DEFECT_NAMES, DefectKind, defect_names


def test_defects_are_single_bits_that_fit_sixteen() -> None:
    assert [int(kind) for kind in DefectKind] == [1 << position for position in range(len(DefectKind))]
    assert sum(DefectKind) < 1 << 16


def test_the_names_of_set_bits_come_in_bit_order() -> None:
    assert defect_names(0) == []
    assert defect_names(DefectKind.MISMATCH | DefectKind.ERROR | DefectKind.SLOW) == ["error", "slow", "mismatch"]
    assert defect_names(sum(DefectKind)) == list(DEFECT_NAMES)
