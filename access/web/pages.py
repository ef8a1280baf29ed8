"""The pages of this room as HTML: log-in and refusal. They work without JavaScript."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from access.web.next_path import HOME
from access.web.refusal import RefusedError
from access.web.wording import HTML_LANGUAGES, LANGUAGES, Wording
from vocabulary.access import Permission

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}

SETTINGS = "/settings"
"""The one page that everybody with a principal may open."""

_DOCUMENT = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Peakline</title>
<link rel="icon" type="image/svg+xml" href="/login/logo.svg">
<link rel="stylesheet" href="/login/style.css">
</head>
<body>
<div>
<main>
<div class="brand"><img src="/login/logo.svg" alt=""><div><strong>Peakline</strong><span>{about}</span></div></div>
<h1>{title}</h1>
{content}
</main>
{footer}
</div>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the form. A bad one is read out at once."""

    text: str
    is_bad: bool = True


@dataclass(frozen=True, slots=True)
class LogInForm:
    """What the log-in page shows.

    csrf      value of the form's hidden field
    next      where the browser goes afterwards
    name      as it was typed before
    provider  label of the identity provider, '' without one
    """

    csrf: str
    next: str = HOME
    name: str = ""
    provider: str = ""


def log_in_page(say: Wording, form: LogInForm, notice: Notice | None, status: int = 200) -> HTMLResponse:
    """The form, and a button for the provider where there is one."""
    content = _notice(notice) + _form(say, form)
    if form.provider:
        link = "/login/oidc?" + urlencode({"next": form.next})
        label = escape(say("log_in.provider", label=form.provider))
        content += (
            f'<div class="or">{escape(say("log_in.or"))}</div>\n<a class="button" href="{escape(link)}">{label}</a>'
        )
    return _page(say, say("log_in.title"), content, status, _languages(say, form.next))


def open_door_page(say: Wording) -> HTMLResponse:
    """Instead of the form while access is off."""
    link = f'<a class="button is-main" href="{HOME}">{escape(say("log_in.to_pages"))}</a>'
    content = _notice(Notice(say("log_in.off"), is_bad=False)) + link
    return _page(say, say("log_in.title"), content, 200, _languages(say, HOME))


def refused_page(say: Wording, refused: RefusedError) -> HTMLResponse:
    """Who you are, what is missing, and how to become somebody else."""
    content = f'<p class="notice is-bad" role="alert">{escape(sentence(say, refused))}</p>\n'
    if refused.principal is not None:
        who = say("refused.who", name=refused.principal.name, role=say(f"role.{refused.principal.role}"))
        content += f"<p>{escape(who)}</p>\n"
        way, key = (HOME, "home") if refused.principal.may(Permission.READ) else (SETTINGS, "settings")
        content += f'<a class="button" href="{way}">{escape(say(f"refused.{key}"))}</a>\n'
    if refused.csrf:
        content += (
            f'<form method="post" action="/logout"><input type="hidden" name="csrf" value="{escape(refused.csrf)}">'
            f'<button class="button">{escape(say("refused.log_out"))}</button></form>'
        )
    return _page(say, say(f"refused.title.{refused.status}"), content, refused.status)


def sentence(say: Wording, refused: RefusedError) -> str:
    """Why somebody is refused, in words."""
    if refused.principal is None:
        return say(f"refused.{refused.reason}")
    missing = say("permission.or").join(say(f"permission.{one}") for one in sorted(refused.missing))
    role = say(f"role.{refused.principal.role}")
    return say(f"refused.{refused.reason}", name=refused.principal.name, role=role, missing=missing)


def _page(say: Wording, title: str, content: str, status: int, footer: str = "") -> HTMLResponse:
    language = HTML_LANGUAGES[say.language]
    about = escape(say("log_in.about"))
    html = _DOCUMENT.format(language=language, title=escape(title), about=about, content=content, footer=footer)
    return HTMLResponse(html, status, dict(HEADERS))


def _notice(notice: Notice | None) -> str:
    if notice is None:
        return ""
    kind = 'class="notice is-bad" role="alert"' if notice.is_bad else 'class="notice" role="status"'
    return f"<p {kind}>{escape(notice.text)}</p>\n"


def _form(say: Wording, form: LogInForm) -> str:
    at_name, at_password = ("", " autofocus") if form.name else (" autofocus", "")
    return f"""<form method="post" action="/login">
<input type="hidden" name="csrf" value="{escape(form.csrf)}">
<input type="hidden" name="next" value="{escape(form.next)}">
<label>{escape(say("log_in.name"))}
<input name="name" value="{escape(form.name)}" autocomplete="username"
autocapitalize="none" spellcheck="false" required{at_name}></label>
<label>{escape(say("log_in.password"))}
<input name="password" type="password" autocomplete="current-password" required{at_password}></label>
<button class="button is-main">{escape(say("log_in.submit"))}</button>
</form>
"""


def _languages(say: Wording, where: str) -> str:
    links = []
    for code, name in LANGUAGES.items():
        address = escape("/login?" + urlencode({"lang": code, "next": where}))
        chosen = ' aria-current="true"' if code == say.language else ""
        links.append(
            f'<a href="{address}" lang="{HTML_LANGUAGES[code]}" hreflang="{HTML_LANGUAGES[code]}"{chosen}>{name}</a>'
        )
    return f'<nav aria-label="{escape(say("log_in.language"))}">{"".join(links)}</nav>'
