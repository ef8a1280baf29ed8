"""Files that a configuration names are looked into before a start."""

from datetime import UTC, datetime
from pathlib import Path

import trustme

from peakline_server.configuration.named_files import mistakes_in_files
from tests.peakline_server.configuration.conftest import Read

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = Path(__file__).resolve().parents[3] / "docs" / "examples" / "rules.yaml"


def test_mistakes_in_files_are_told_with_the_setting_that_names_them(read: Read, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules: 7\n")
    (tmp_path / "aliases.yaml").write_text("fields: 7\n")
    (tmp_path / "server.pem").write_text("no certificate\n")
    loaded = read(
        "alerts: {rules_file: rules.yaml}\n"
        "ingest: {alias_file: aliases.yaml}\n"
        "server: {tls: {certificate_file: server.pem, key_file: server.pem}}\n"
    )
    rules, aliases, certificate = map(str, mistakes_in_files(loaded, NOW))
    assert f"peakline.yaml:1: alerts.rules_file: {tmp_path}/rules.yaml:1: 'rules' wants a list" in rules
    assert f"peakline.yaml:2: ingest.alias_file: {tmp_path}/aliases.yaml:1: " in aliases
    assert "peakline.yaml:3: server.tls.certificate_file: " in certificate


def test_files_that_can_be_used_are_not_complained_about(read: Read, tmp_path: Path) -> None:
    certificate = trustme.CA().issue_cert("localhost")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert")
    certificate.private_key_pem.write_to_path(tmp_path / "key")
    loaded = read(f"alerts: {{rules_file: {RULES}}}\nserver: {{tls: {{certificate_file: cert, key_file: key}}}}\n")
    assert list(mistakes_in_files(loaded, datetime.now(UTC))) == []
