"""Values as people write them: read, refused with a sentence, and written that way again."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from peakline_server.configuration.kinds import (
    CommaText,
    DatabaseUrl,
    FilePath,
    Host,
    Hosts,
    Networks,
    Origin,
    Share,
    Size,
    WebAddress,
    duration,
    duration_text,
    path,
    share,
    size,
    size_text,
)


def refusal(kind: Any, value: object) -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    return str(caught.value.errors()[0]["msg"])


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("30s", 30), ("5m", 300), ("1.5h", 5400), ("12h", 43_200), ("90d", 7_776_000)]
)
def test_a_duration_has_a_unit(text: str, seconds: float) -> None:
    assert duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text", ["", "5", "5 m", "-5m", "5w", "five", "0s", "3651d", "9" * 400 + "d", 5, None, ["5m"], "٣m"]
)
def test_other_text_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        duration(text)


@given(st.integers(1, 10**11))
def test_a_duration_is_written_as_it_is_read(milliseconds: int) -> None:
    length = timedelta(milliseconds=milliseconds)
    assert duration(duration_text(length)) == length


@pytest.mark.parametrize(("text", "count"), [("5B", 5), ("512KiB", 524_288), ("64 MiB", 67_108_864), ("1GiB", 1 << 30)])
def test_a_size_has_a_unit(text: str, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize("text", ["64", "64MB", "-1B", "", "1.5MiB", None, True])
def test_other_text_is_no_size(text: object) -> None:
    with pytest.raises(ValueError, match="a size such as"):
        size(text)


@given(st.integers(0, 1 << 38))
def test_a_size_is_written_as_it_is_read(count: int) -> None:
    assert size(size_text(count)) == count


@pytest.mark.parametrize(("text", "number"), [("0.005", 0.005), ("0.5%", 0.005), ("2 %", 0.02), ("1", 1.0), ("0", 0.0)])
def test_a_share_may_be_written_in_percent(text: str, number: float) -> None:
    assert share(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["1.5", "101%", "-1%", "nan", "inf", "", "some", None, True])
def test_other_text_is_no_share(text: object) -> None:
    assert "from 0 to 1" in refusal(Share, text)


def test_a_relative_path_is_meant_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").touch()
    found = TypeAdapter[Path](FilePath).validate_python("rules.yaml", context={"folder": tmp_path})
    assert found == tmp_path / "rules.yaml"


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a").touch()
    assert TypeAdapter[Path](FilePath).validate_python("~/a") == tmp_path / "a"


@pytest.mark.parametrize("value", ["", "a\0b", 5, None])
def test_what_can_be_no_path_is_refused(value: object) -> None:
    assert "a path is wanted here" in refusal(FilePath, value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert f"there is no file {tmp_path / 'absent'}" in refusal(FilePath, tmp_path / "absent")
    assert "there is no file" in refusal(FilePath, tmp_path)
    assert "there is no such home folder" in refusal(FilePath, "~nobody-here/x")


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("0:0::1", "::1"),
        ("Example.ORG", "example.org"),
        ("my_host", "my_host"),
    ],
)
def test_a_host_is_a_name_or_an_address(text: str, host: str) -> None:
    assert TypeAdapter[str](Host).validate_python(text) == host


@pytest.mark.parametrize("text", ["http://a", "a:80", "a b", "", "-a", "a/b", "ä" * 300])
def test_what_is_no_host_is_refused(text: str) -> None:
    assert "a host name or an address is wanted here" in refusal(Host, text)


def test_lists_are_written_with_commas_where_there_are_no_lists() -> None:
    assert TypeAdapter[Any](Networks).validate_python(CommaText("10.0.0.1/8, ::1,")) == ("10.0.0.0/8", "::1/128")
    assert TypeAdapter[Any](Hosts).validate_python(["A", "b"]) == ("a", "b")


def test_a_network_is_no_name() -> None:
    assert "a network such as" in refusal(Networks, ["example.org"])


@pytest.mark.parametrize(
    "text",
    [
        "ftp://a",
        "https://",
        "//a",
        "https://u:p@a",
        "https://:p@a",
        "https://a?b",
        "https://a#b",
        "https://a b",
        "https://a:x",
        "https://a\\b",
    ],
)
def test_what_is_no_web_address_is_refused(text: str) -> None:
    assert "an address such as" in refusal(WebAddress, text)


def test_an_issuer_keeps_its_last_slash_and_an_origin_has_no_path() -> None:
    assert TypeAdapter[str](WebAddress).validate_python("https://a/realms/main/") == "https://a/realms/main/"
    assert TypeAdapter[str](Origin).validate_python("https://a:8600/") == "https://a:8600"
    assert "without a path" in refusal(Origin, "https://a/b")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql+psycopg://me:hunter2@db:5432/peakline", "postgresql+psycopg://db:5432/peakline"),
        ("postgresql://db/peakline?password=hunter2", "postgresql://db/peakline"),
        ("postgresql://db/peakline", "postgresql://db/peakline"),
        ("sqlite:////var/lib/control.sqlite", "sqlite:////var/lib/control.sqlite"),
        ("clickhousedb://?interface=chdb&path=/d", "clickhousedb://"),
        ("postgresql://me:hunter2/x@db/peakline", "set"),
        ("postgresql://me:1#hunter2@db/peakline", "set"),
        ("postgresql://me:1?hunter2@db/peakline", "set"),
        ("postgresql://me:x@hunter2@db/peakline", "set"),
        ("postgresql://me:hunter2@db:port/peakline", "set"),
    ],
)
def test_a_database_url_never_shows_its_password(url: str, shown: str) -> None:
    assert DatabaseUrl(url).shown() == shown
    assert "hunter2" not in f"{DatabaseUrl(url)!r}{DatabaseUrl(url)}"
    assert DatabaseUrl(url).holds_secret == ("hunter2" in url)


def test_a_path_needs_no_context() -> None:
    class Info:
        context = None

    assert path("a", Info()) == Path("a")  # type: ignore[arg-type]  # only the context is asked for


def test_sizes_that_are_numbers_already_stay() -> None:
    assert TypeAdapter[int](Size).validate_python(5) == 5
