"""What environment variables say: PEAKLINE_ and the name of a setting, and for secrets also `..._FILE`."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from documents.nearest import nearest
from documents.yaml_file import DocumentError, composed
from peakline_server.configuration.catalogue import PREFIX, Setting, settings
from peakline_server.configuration.given import Given, Origin, Source
from peakline_server.configuration.kinds import CommaText
from peakline_server.configuration.mistakes import Mistake
from peakline_server.configuration.secret_file import SecretFileError, read_secret
from peakline_server.configuration.written import Told, Writing

_START = f"{PREFIX}_"
FILE_SUFFIX = "_FILE"
CONFIG_VARIABLE = f"{PREFIX}_CONFIG"
OTHERS: Mapping[str, str] = {
    CONFIG_VARIABLE: "Configuration file, where no `--config` names one.",
    "PEAKLINE_TOKEN": "Token of commands that talk to a server.",
    "PEAKLINE_CLIENT_CERTIFICATE": "Certificate and key, PEM, that commands show to a server that asks for one.",
    "PEAKLINE_ENDPOINT_KEY": "Key that `simulate-endpoint` asks for.",
    "PEAKLINE_LITELLM": "For tests: the LiteLLM command.",
    "PEAKLINE_NODE_MODULES": "For tests: a folder with the OpenAI client for Node.",
    "PEAKLINE_TEST_CLICKHOUSE": "For tests: a ClickHouse server.",
    "PEAKLINE_UPDATE_SNAPSHOTS": "For tests: write SQL snapshots anew.",
}
"""Variables of ours that are no settings."""

_SERVICE_LINK = re.compile(
    rf"{PREFIX}(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)"
)
_LINK_VALUE = re.compile(r"(tcp|udp|sctp)://\S+:\d+")
_BRACKETS = ("[", "{")


def read_environment(environment: Mapping[str, str]) -> Told:
    """The settings that variables tell. An empty variable says nothing; one that nobody knows is a mistake."""
    told = Told()
    for name in sorted(environment):
        value = environment[name]
        if not name.startswith(_START) or not value or name in OTHERS or _is_service_link(name, value):
            continue
        _read(name, value, told)
    return told


@lru_cache(maxsize=1)
def variables() -> Mapping[str, Setting]:
    """Every variable that tells a setting, those that name the file of a secret included."""
    return dict(_variables())


def _variables() -> Iterator[tuple[str, Setting]]:
    for setting in settings():
        yield setting.variable, setting
        if setting.is_secret:
            yield setting.variable + FILE_SUFFIX, setting


def _is_service_link(name: str, value: str) -> bool:
    """Kubernetes tells every container about services, also about those that are called like us."""
    return _SERVICE_LINK.fullmatch(name) is not None or (
        name.endswith("_PORT") and _LINK_VALUE.fullmatch(value) is not None
    )


def _read(name: str, value: str, told: Told) -> None:
    setting = variables().get(name)
    if setting is None:
        meant = _meant(name.removeprefix(_START))
        hint = f"did you mean {_START}{meant}?" if meant else "`peakline config docs` lists all settings"
        told.mistakes.append(Mistake(0, name, "", f"there is no such variable; {hint}"))
        return
    is_file = name != setting.variable
    if told.is_given(setting):
        reason = f"{setting.variable} and {setting.variable}{FILE_SUFFIX} are both set; take one of them away"
        told.mistakes.append(Mistake(0, name, "", reason))
    elif is_file:
        _secret(setting, Origin(Source.ENVIRONMENT, name), value, told)
    else:
        _value(setting, Origin(Source.ENVIRONMENT, name), value, told)


def _meant(name: str) -> str | None:
    """The variable that is alike, or of which this is the end."""
    known = [one.removeprefix(_START) for one in (*variables(), *OTHERS)]
    return nearest(name, known) or next((one for one in known if name and one.endswith(f"_{name}")), None)


def _secret(setting: Setting, origin: Origin, value: str, told: Told) -> None:
    try:
        secret = read_secret(value, Path())
    except SecretFileError as fault:
        told.mistakes.append(Mistake(0, origin.where, "", str(fault)))
    else:
        told.given.append(Given(setting, secret, origin, Path(), from_secret_file=True))


def _value(setting: Setting, origin: Origin, value: str, told: Told) -> None:
    if not setting.is_many or not value.lstrip().startswith(_BRACKETS):
        text = CommaText(value) if setting.is_many else value
        told.given.append(Given(setting, text, origin, Path()))
        return
    try:
        node = composed(value, origin.where)
    except DocumentError:
        told.mistakes.append(Mistake(0, origin.where, "", "this is no JSON"))
        return
    assert node is not None
    told.given.append(Writing(told, lambda _node: origin).given(setting, node, origin, Path()))
