"""The HTML document around the dashboard: language and colour scheme are right before anything is drawn."""

from pathlib import Path
from typing import Any

from dash import Dash

from dashboard.view import LANGUAGE_COOKIE
from dashboard.wording import HTML_LANGUAGES, choose, wording

_BOOT = Path(__file__).parent / "assets" / "boot.js"

_CHARTS = "_dash-component-suites/plotly/package_data/plotly.min.js"
_PRELOAD = '<link rel="preload" as="script" href="{}">'

_DOCUMENT = """<!DOCTYPE html>
<html lang="{language}">
  <head>
    {metas}
    <title>{title}</title>
    <script src="{boot}"></script>
    {favicon}
    {preload}
    {css}
  </head>
  <body>
    {app_entry}
    <noscript>{noscript}</noscript>
    <footer>{config}{scripts}{renderer}</footer>
  </body>
</html>"""


class DocumentDash(Dash):
    """Dash with our own document, and without the websocket that it would open although no callback uses it."""

    def _config(self) -> dict[str, Any]:
        told: dict[str, Any] = super()._config()  # type: ignore[no-untyped-call]
        return {name: value for name, value in told.items() if name != "websocket"}

    def interpolate_index(self, **parts: Any) -> str:  # type: ignore[override]  # Dash names all of them
        """The document in the language of the request that is being answered."""
        request: Any = self.backend.request_adapter()
        language = choose(
            request.args.get("lang", ""),
            request.cookies.get(LANGUAGE_COOKIE, ""),
            request.headers.get("accept-language", ""),
        )
        say = wording(language)
        preload = _PRELOAD.format(self.config.requests_pathname_prefix + _CHARTS) if request.path == "/" else ""
        own = {
            "language": HTML_LANGUAGES[language],
            "boot": f"{self.get_asset_url('boot.js')}?m={_BOOT.stat().st_mtime}",
            "noscript": say("shell.noscript"),
            "favicon": f'<link rel="icon" type="image/svg+xml" href="{self.get_asset_url("favicon.svg")}">',
            "app_entry": parts["app_entry"].replace("Loading...", say("shell.loading")),
            "preload": preload,
        }
        return _DOCUMENT.format(**{**parts, **own})
