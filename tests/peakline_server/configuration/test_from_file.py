"""peakline.yaml: every mistake with its line, nothing wild, no secret that others may read."""

from pathlib import Path

import pytest

from documents.yaml_file import BYTES_MAX
from peakline_server.configuration.from_file import read_file
from peakline_server.configuration.mistakes import ConfigurationError
from tests.peakline_server.configuration.conftest import Complain, Read, Write

BOMB = "server: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


MISTAKEN = """\
server:
  prot: 8601
  port: many
  otlp_http_port: 70000
  host: http://localhost
  role: wev
  hosts: example.org
  tls:
    key_file: absent.pem
  port: 8602
store: clickhouse
access:
  enabled: maybe
  session_idle: 2 hours
  session_lifetime:
  login_attempts: 0
  oidc:
    issuer: login.example.com
    roles: {sre: boss}
ingest:
  body_bytes_max: 64MB
  capture_content: !secret x
alerts: {rules: rules.yaml}
services:
- service: chat
  tiers: {core: 200%}
- service: chat
  price: 3
colour: red
"""

MISTAKES = [
    "2: server.prot: unknown key; did you mean 'port'?",
    "3: server.port: a whole number is wanted here",
    "4: server.otlp_http_port: this must be at most 65535",
    "5: server.host: a host name or an address is wanted here, without http:// and without a port",
    "6: server.role: one of all, ingest, web, evaluator is wanted here",
    "7: server.hosts: a list is wanted here",
    "9: server.tls.key_file: there is no file FOLDER/absent.pem",
    "10: server: 'port' stands here twice",
    "11: store: `key: value` lines are wanted here",
    "13: access.enabled: true or false is wanted here",
    "14: access.session_idle: a duration such as 30s, 5m, 12h or 90d is wanted here",
    "15: access.session_lifetime: nothing is given; write a value, or take the line out",
    "16: access.login_attempts: this must be at least 1",
    "18: access.oidc.issuer: an address such as https://peakline.example.com is wanted here",
    "19: access.oidc.roles.sre: one of ingest, viewer, operator, auditor, admin is wanted here",
    "21: ingest.body_bytes_max: a size such as 512KiB, 64MiB or 1GiB is wanted here",
    "22: ingest.capture_content: tags such as `!secret` mean nothing here; quote the value where it is text",
    "23: alerts.rules: unknown key; did you mean 'rules_file'?",
    "26: services[0].tiers.core: a share such as 0.005 or 0.5% is wanted here, from 0 to 1",
    "28: services[1].price: unknown key; did you mean 'prices'?",
    "29: colour: unknown key; known here: server, store, ingest, alerts, access, services",
]


def test_each_of_many_kinds_of_mistakes_gets_a_sentence_with_its_line(complaints: Complain, tmp_path: Path) -> None:
    assert [told.replace(str(tmp_path), "FOLDER") for told in complaints(MISTAKEN)] == MISTAKES


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("server:\n  port: [1\n", "3: expected ',' or ']', but got '<stream end>'"),
        ("server:\n\tport: 1\n", "2: found character '\\t' that cannot start any token"),
        ("- server\n", "1: `key: value` lines are wanted here"),
        ("just text\n", "1: `key: value` lines are wanted here"),
        ("a: 1\n? [b]\n: 2\n", "2: a key must be text, not a list or `key: value` lines"),
        ("a: " + "[" * 3000 + "]" * 3000, "1: is nested deeper than 20 levels"),
        ("a: &a {b: *a}\n", "1: is nested deeper than 20 levels, or a part of itself"),
        ("a: \x07\n", "1: the character '\\x07' cannot stand in YAML"),
        ("x" * 10_000_000, f" is longer than {BYTES_MAX:,} bytes, so it is no configuration"),
        ("a: 1\n---\nb: 1\n", "2: but found another document"),
    ],
)
def test_what_is_no_configuration_at_all_gets_one_sentence(complaints: Complain, text: str, sentence: str) -> None:
    assert complaints(text) == [sentence]


def test_a_bomb_of_aliases_gets_one_sentence(complaints: Complain) -> None:
    (sentence,) = complaints(BOMB)
    assert "with all its aliases the file has more than 50,000 values" in sentence


def test_a_file_that_is_missing_or_binary_or_a_folder_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"absent\.yaml: cannot be read: No such file or directory$"):
        read_file(tmp_path / "absent.yaml")
    with pytest.raises(ConfigurationError, match=r": cannot be read: Is a directory$"):
        read_file(tmp_path)
    (tmp_path / "binary").write_bytes(bytes(range(128, 256)))
    with pytest.raises(ConfigurationError, match=r"binary: is no UTF-8 text$"):
        read_file(tmp_path / "binary")


@pytest.mark.parametrize(
    "text", ["", "# nothing yet\n", "---\n", "server:\n", "server: {}\nservices: []\n", "server:\n  tls:\n"]
)
def test_an_empty_file_or_part_is_no_mistake(read: Read, text: str) -> None:
    assert read(text).configuration.server.port == 8600


def test_files_are_meant_from_the_folder_of_the_configuration(read: Read, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").touch()
    loaded = read("server: {data: here}\nalerts: {rules_file: rules.yaml}\n")
    assert loaded.configuration.alerts.rules_file == tmp_path / "rules.yaml"
    assert loaded.configuration.server.data == tmp_path / "here"


SECRET = "access:\n  oidc:\n    client_secret: hunter2\n"


def test_a_secret_in_a_file_that_others_may_read_is_refused(write: Write) -> None:
    path = write(SECRET)
    path.chmod(0o644)
    (sentence,) = map(str, read_file(path).mistakes)
    assert sentence.startswith(
        f"{path}:3: access.oidc.client_secret: a secret stands here and others may read this file"
    )
    assert "chmod 600" in sentence
    assert "client_secret_file" in sentence
    path.chmod(0o640)
    assert read_file(path).mistakes == []


def test_a_database_url_is_a_secret_only_with_a_password(write: Write) -> None:
    for url, count in (("postgres://u:hunter2@h/d", 1), ("postgres://u@h/d", 0), ("hunter2", 1)):
        path = write(f"store: {{control_url: '{url}'}}\n")
        path.chmod(0o644)
        assert len(read_file(path).mistakes) == count, url


def test_a_secret_may_be_in_a_file_of_its_own_but_not_in_both(read: Read, complaints: Complain, tmp_path: Path) -> None:
    (tmp_path / "s").write_text("postgres://u:hunter2@h/d\n")
    url = read("store: {control_url_file: s}\n").configuration.store.control_url
    assert url is not None
    assert url.get_secret_value() == "postgres://u:hunter2@h/d"
    both = "store:\n  control_url: postgres://h/d\n  control_url_file: s\n"
    assert complaints(both) == ["3: store.control_url: it stands here and in control_url_file; take one of them out"]
    assert complaints("store:\n  control_url_file: t\n") == [
        "2: store.control_url_file: the file that holds the secret cannot be read: No such file or directory"
    ]
