"""The effective configuration as people may see it."""

from peakline_server.configuration.catalogue import settings
from peakline_server.configuration.rows import SettingRow
from tests.peakline_server.configuration.conftest import Read

TEXT = """
server: {port: 9}
store: {control_url: 'postgres://u:hunter2@h/d'}
access:
  enabled: true
  oidc: {issuer: https://l, client_id: c, client_secret: hunter2, roles: {a: viewer}}
"""


def rows(read: Read) -> dict[str, SettingRow]:
    loaded = read(TEXT, {"PEAKLINE_SERVER_PUBLIC_URL": "https://p", "PEAKLINE_INGEST_BODY_BYTES_MAX": "1MiB"})
    return {row.name: row for row in loaded.rows()}


def test_every_setting_has_a_row_in_its_order(read: Read) -> None:
    assert list(rows(read)) == [one.name for one in settings()]


def test_a_row_says_what_holds_and_where_it_comes_from(read: Read) -> None:
    row = rows(read)["server.port"]
    assert (row.value, row.default, row.unit, row.is_told, row.restart_needed) == ("9", "8600", "port", True, True)
    assert row.origin.endswith("/peakline.yaml:2")
    assert rows(read)["ingest.body_bytes_max"].value == "1MiB"
    assert rows(read)["access.oidc.roles"].value == '{"a": "viewer"}'
    assert not rows(read)["server.host"].is_told


def test_of_a_secret_only_whether_it_is_set_is_shown(read: Read) -> None:
    found = rows(read)
    assert found["access.oidc.client_secret"].value == "set"
    assert found["server.tls.key_password"].value == "not set"
    assert found["store.control_url"].value == "postgres://h/d"
    assert "hunter2" not in repr(found)


def test_service_definitions_change_without_a_restart(read: Read) -> None:
    waiting = {name for name, row in rows(read).items() if row.restart_needed}
    assert set(rows(read)) - waiting == {"services"}
