"""Environment variables: names follow from settings, and one that nobody knows is a mistake."""

from pathlib import Path

import pytest

from peakline_server.configuration.from_environment import OTHERS, read_environment, variables
from peakline_server.configuration.loading import load
from peakline_server.configuration.mistakes import ConfigurationError
from vocabulary.access import Role


def complaints(**environment: str) -> list[str]:
    try:
        load(Path("/dev/null"), environment)
    except ConfigurationError as fault:
        return str(fault).splitlines()
    return []


def test_a_variable_tells_its_setting() -> None:
    environment = {
        "PEAKLINE_SERVER_PORT": "8700",
        "PEAKLINE_ACCESS_ENABLED": "true",
        "PEAKLINE_ACCESS_SESSION_IDLE": "30m",
        "PEAKLINE_SERVER_TRUSTED_PROXIES": "10.0.0.0/8, 192.168.1.1",
        "PEAKLINE_SERVER_HOSTS": '["a.example.com"]',
        "PEAKLINE_SERVICES": '[{"service": "chat", "prices": {"input_per_million": 3, "output_per_million": 15}}]',
        "HOME": "/root",
    }
    whole = load(Path("/dev/null"), environment).configuration
    assert whole.server.port == 8700
    assert whole.access.enabled
    assert whole.access.session_idle.total_seconds() == 1800
    assert whole.server.trusted_proxies == ("10.0.0.0/8", "192.168.1.1/32")
    assert whole.server.hosts == ("a.example.com",)
    assert whole.services[0].prices is not None


def test_a_mapping_is_written_as_json() -> None:
    (given,) = read_environment({"PEAKLINE_ACCESS_OIDC_ROLES": '{"sre": "operator"}'}).given
    assert given.read() == {"sre": Role.OPERATOR}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PEAKLINE_SERVER_PORT", "many", "a whole number is wanted here"),
        ("PEAKLINE_SERVR_PORT", "1", "there is no such variable; did you mean PEAKLINE_SERVER_PORT?"),
        ("PEAKLINE_PORT", "8600", "there is no such variable; did you mean PEAKLINE_SERVER_PORT?"),
        ("PEAKLINE_TOKN", "x", "there is no such variable; did you mean PEAKLINE_TOKEN?"),
        ("PEAKLINE_", "x", "there is no such variable; `peakline config docs` lists all settings"),
        ("PEAKLINE_SERVICES", '[{"modle": "x"}]', "[0].modle: unknown key; did you mean 'model'?"),
        ("PEAKLINE_SERVICES", "[{", "this is no JSON"),
        ("PEAKLINE_SERVICES", "chat", "a list is wanted here"),
        ("PEAKLINE_ACCESS_OIDC_ROLES", "sre", "`key: value` lines are wanted here"),
        ("PEAKLINE_SERVER_ROLE", "x", "one of all, ingest, web, evaluator is wanted here"),
        (
            "PEAKLINE_STORE_CONTROL_URL_FILE",
            "/no/file",
            "the file that holds the secret cannot be read: No such file or directory",
        ),
        ("PEAKLINE_SERVER_PORT_FILE", "/x", "there is no such variable; did you mean PEAKLINE_SERVER_PORT?"),
    ],
)
def test_a_mistake_is_told_with_the_name_of_the_variable(name: str, value: str, sentence: str) -> None:
    assert complaints(**{name: value}) == [f"{name}: {sentence}"]


def test_a_secret_may_be_in_a_file_but_not_in_both(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("postgres://u:hunter2@h/d\n")
    environment = {"PEAKLINE_STORE_CONTROL_URL_FILE": str(tmp_path / "s")}
    url = load(Path("/dev/null"), environment).configuration.store.control_url
    assert url is not None
    assert url.get_secret_value().endswith("hunter2@h/d")
    (sentence,) = complaints(**environment, PEAKLINE_STORE_CONTROL_URL="postgres://u:hunter2@h/d")
    assert "are both set" in sentence
    assert "hunter2" not in sentence


def test_an_empty_variable_says_nothing() -> None:
    assert complaints(PEAKLINE_SERVER_PORT="", PEAKLINE_UNKNOWN="") == []


def test_variables_of_ours_that_are_no_settings_are_left_alone() -> None:
    assert complaints(**dict.fromkeys(OTHERS, "x") | {"PEAKLINE_CONFIG": "/dev/null"}) == []
    assert not set(OTHERS) & set(variables())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PEAKLINE_SERVICE_HOST", "10.0.0.1"),
        ("PEAKLINE_SERVICE_PORT", "8600"),
        ("PEAKLINE_SERVICE_PORT_HTTP", "8600"),
        ("PEAKLINE_PORT", "tcp://10.0.0.1:8600"),
        ("PEAKLINE_PORT_8600_TCP", "tcp://10.0.0.1:8600"),
        ("PEAKLINE_PORT_8600_TCP_ADDR", "10.0.0.1"),
        ("PEAKLINE_SERVER_SERVICE_HOST", "10.0.0.1"),
        ("PEAKLINE_SERVER_PORT", "tcp://10.0.0.1:8600"),
    ],
)
def test_what_kubernetes_tells_about_services_is_no_setting(name: str, value: str) -> None:
    assert read_environment({name: value}).given == []
    assert complaints(**{name: value}) == []
