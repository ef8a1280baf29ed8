"""The `peakline` command."""

import click

from peakline_server.config import config
from peakline_server.demo import demo
from peakline_server.doctor import doctor
from peakline_server.fleet import fleet
from peakline_server.imports import import_group
from peakline_server.report import report
from peakline_server.rules import rules
from peakline_server.serve import serve
from peakline_server.simulate_endpoint import simulate_endpoint
from peakline_server.tokens import tokens
from peakline_server.users import users

VERSION = "0.1.0"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="peakline")
def main() -> None:
    """Observability and request tracing for large-model inference serving.

    Exit codes: 0 fine, 1 a finding, 2 wrong usage or environment.
    """


main.add_command(serve)
main.add_command(demo)
main.add_command(fleet)
main.add_command(import_group, "import")
main.add_command(report)
main.add_command(rules)
main.add_command(simulate_endpoint)
main.add_command(config)
main.add_command(tokens)
main.add_command(users)
main.add_command(doctor)


if __name__ == "__main__":
    main()
