from dashboard.pages.table import find
from dashboard.shell import choices, frame, menu, meta
from tests.dashboard.looking import NoReader, house_of, hrefs, of_type, parts, view_of, words
from tests.dashboard.people import ADA, LIMITED, SENDER


def test_the_menu_takes_the_window_and_the_pool_along() -> None:
    view = view_of("/requests?range=1h&model=m&outcome=failed")
    links = hrefs(menu(view, find("/requests")[0]))
    assert links == [
        "/?range=1h&model=m",
        "/requests?range=1h&model=m",
        "/alerts?range=1h&model=m",
        "/setup?range=1h&model=m",
        "/health?range=1h&model=m",
        "/settings?range=1h&model=m",
        "/api/docs",
    ]


def test_the_menu_has_no_entry_that_the_caller_may_not_open() -> None:
    view = view_of("/settings", house_of(NoReader(), principal=SENDER))
    assert hrefs(menu(view, find("/settings")[0])) == ["/settings", "/api/docs"]


def test_who_is_logged_in_has_a_menu_and_anonymous_has_none() -> None:
    (account,) = of_type(choices(view_of("/?range=1h", house_of(NoReader(), principal=ADA))), "AccountMenu")
    assert (account.name, account.role, account.settings) == ("ada", "admin", "/settings?range=1h")
    assert not of_type(choices(view_of("/")), "AccountMenu")


def test_a_limit_to_tenants_is_said_on_every_page() -> None:
    limited = view_of("/requests", house_of(NoReader(), principal=LIMITED))
    assert "limited to: tenant-1, tenant-2" in words(choices(limited))
    assert "limited to" not in words(choices(view_of("/requests", house_of(NoReader(), principal=ADA))))


def test_a_refusal_can_be_said_before_the_language_is_known() -> None:
    (refusals,) = of_type(frame(), "Refusals")
    assert set(refusals.texts) == {"en", "zh-Hans"}


def test_one_request_belongs_to_the_list_in_the_menu() -> None:
    here = [
        link
        for link in of_type(menu(view_of("/requests/k"), find("/requests/k")[0]), "Link")
        if "is-here" in link.className
    ]
    assert words(here) == "Requests g r"


def test_zone_and_language_are_links() -> None:
    view = view_of("/?range=1h&lang=zh")
    assert "/?range=1h&lang=zh&tz=local" in hrefs(choices(view))
    assert "/?range=1h&lang=en" in hrefs(choices(view))
    assert "anonymous@loopback" in words(choices(view))


def test_the_document_is_told_its_title_and_language() -> None:
    told = meta(view_of("/alerts?lang=zh"), find("/alerts")[0])
    assert (told.title, told.lang, told.tz) == ("告警 · Peakline", "zh-Hans", "UTC")


def test_the_frame_has_landmarks_a_skip_link_and_one_location() -> None:
    found = frame()
    assert {"Header", "Nav", "Main"} <= {part._type for part in parts(found)}
    assert [link.href for link in of_type(found, "A")] == ["#main"]
    assert len(of_type(found, "Location")) == 1
