from dashboard.panels.appearance import appearance
from tests.dashboard.looking import hrefs, of_type, view_of


def test_language_is_a_link_and_colours_are_a_choice_of_three() -> None:
    drawn = appearance(view_of("/settings?lang=zh"))
    assert hrefs(drawn) == ["/settings?lang=en", "/settings?lang=zh"]
    assert [link.className for link in of_type(drawn, "Link")] == ["segment", "segment is-chosen"]
    (theme,) = of_type(drawn, "ThemeChoice")
    assert [option["value"] for option in theme.options] == ["light", "dark", "auto"]
