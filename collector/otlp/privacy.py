"""Content and secrets never reach the store: they are reduced to a length and a salted hash first."""

import hashlib
import re
from collections.abc import Mapping

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from collector.otlp.columnar import Bools, Bytes8, data, offsets
from collector.otlp.key_classes import KeyClass, class_of, key_rules
from collector.otlp.values import Plain, to_json

MASK = "[masked]"
DEPTH_MAX = 64
STRUCTURED_MAX = 1 << 16  # characters of a text with braces that are looked into; a longer one is reduced
HASH_BYTES = 16
LONG = 4096  # characters of a text beyond which only RE2 looks for secrets
SCAN_BYTES = 1 << 16  # a piece that stays in the processor's cache


def _is_suspicious(piece: Bytes8) -> bool:
    pairs = piece[:-1].astype(np.uint16) << np.uint16(8) | piece[1:]
    return bool(_SUSPICIOUS.take(pairs).any())


def _suspicious_pairs() -> Bools:
    """(65536,) True for two neighbouring bytes of which every secret has some: a table, because it is the cheapest."""
    pairs = np.zeros((256, 256), np.bool_)
    for pair in key_rules().secret_pairs:
        pairs[ord(pair[0]), ord(pair[1])] = True
    for letter in key_rules().secret_ends + key_rules().secret_ends.upper():
        pairs[ord(letter), [ord(blank) for blank in BLANKS]] = True
    for sign in ":=":
        pairs[[code for code in range(128) if chr(code) in SIGN_BEFORE or not chr(code).isalnum()], ord(sign)] = True
    return pairs.reshape(-1)


SIGN_BEFORE = "ydtneghYDTNEGH"  # last letters of key, password, secret, token, passphrase, sig, auth
BLANKS = " \t\n\r\f"
_SUSPICIOUS = _suspicious_pairs()
_SECRET = re.compile(key_rules().secret_value, re.ASCII)
_SIGN_OR_WORD = re.compile(f"[:=]|[{key_rules().secret_ends}][{BLANKS}]", re.ASCII | re.IGNORECASE)
_OPTION = re.compile(r"--?[\w-]{0,40}(?:key|token|password|passwd|passphrase|secret)", re.ASCII | re.IGNORECASE)
_PHRASE = re.compile(key_rules().known_phrases, re.IGNORECASE)
_MEASURE = re.compile(r"(?:Some\()?[-+]?[0-9][0-9.,_eE+-]{0,30} ?(?:ns|us|µs|ms|s|%|\))?|None|null|nan|NaN|")
_QUOTED_KEY = re.compile(r"""["']?([A-Za-z_][\w.\-]{1,60})["']?\s*[:=]""")


class _TooDeepError(Exception):
    """A JSON text nests deeper than anything that is not an attack."""


class Privacy:
    """Reduces what must not be stored. Pure and thread-safe.

    salt             secret of this installation; equal texts have equal hashes under one salt only
    capture_content  True keeps prompts and outputs; secrets are reduced all the same
    """

    def __init__(self, salt: bytes, capture_content: bool = False) -> None:  # noqa: FBT001, FBT002  # the wiring passes it by position
        self._key = hashlib.blake2b(salt, digest_size=32).digest()
        self.capture_content = capture_content

    def class_of(self, key: str) -> KeyClass:
        """Class of an attribute name as this installation treats it."""
        return class_of(key, capture_content=self.capture_content)

    def hashed(self, value: bytes) -> str:
        """Salted BLAKE2b of a value, 32 hexadecimal digits."""
        return hashlib.blake2b(value, digest_size=HASH_BYTES, key=self._key).hexdigest()

    def pseudonym(self, person: str) -> str:
        """Stable stand-in for a user id: `user:` and 16 hexadecimal digits."""
        return f"user:{self.hashed(person.encode())[:16]}"

    def reduced_text(self, text: str) -> str:
        """JSON object with the characters of a text and its hash."""
        return f'{{"chars":{len(text)},"hash":"{self.hashed(text.encode())}"}}'

    def reduced(self, value: Plain) -> dict[str, Plain]:
        """Length and hash of any value; lists and maps count as their JSON text."""
        if isinstance(value, bytes):
            return {"bytes": len(value), "hash": self.hashed(value)}
        text = value if isinstance(value, str) else to_json(value)
        return {"chars": len(text), "hash": self.hashed(text.encode())}

    def clean(self, key: str, value: Plain, depth: int = 0) -> Plain:
        """Value of an attribute as it may be stored, at every level of lists, maps and JSON texts."""
        found = self.class_of(key)
        if value is None or found is KeyClass.PLAIN:
            return self._inside(value, depth)
        if found is KeyClass.MEASURE and isinstance(value, str) and is_measure(value):
            return value
        if found is KeyClass.PERSONAL:
            return self.pseudonym(value if isinstance(value, str) else to_json(value))
        if isinstance(value, (bool, int, float)) and found is not KeyClass.SECRET:
            return value
        return self.reduced(value)

    def clean_map(self, values: Mapping[str, Plain], depth: int = 0) -> dict[str, Plain]:
        """Every entry of a map as it may be stored."""
        return {mask_text(key): self.clean(key, value, depth) for key, value in values.items()}

    def clean_text(self, text: str) -> str:
        """A text under a plain name: JSON inside is cleaned, secrets by look are masked."""
        if "{" in text:
            text = self._structured(text, 0)
        return mask_text(text)

    def message(self, text: str) -> str:
        """What may be kept of an error message: known phrases of engines, else length and hash."""
        if not text or self.capture_content:
            return mask_text(text)
        phrases = list(dict.fromkeys(match.group(0).strip() for match in _PHRASE.finditer(text[:4096])))
        return "; ".join(phrases[:4]) if phrases else self.reduced_text(text)

    def _inside(self, value: Plain, depth: int) -> Plain:
        match value:
            case str():
                return mask_text(self._structured(value, depth) if "{" in value else value)
            case bytes():
                text = value.decode(errors="ignore")
                return value if mask_text(text) == text else self.reduced(value)
            case list() | dict() if depth >= DEPTH_MAX:
                raise _TooDeepError
            case list():
                hidden = [False, *map(_is_secret_option, value)]  # what follows `--api-key` in a list of arguments
                return [
                    MASK if hide else self._inside(item, depth + 1) for item, hide in zip(value, hidden, strict=False)
                ]
            case dict():
                return self.clean_map(value, depth + 1)
            case _:
                return value

    def _structured(self, text: str, depth: int) -> str:
        """A text with braces: cleaned where it is JSON, reduced where it only names content."""
        if len(text) > STRUCTURED_MAX:
            return self.reduced_text(text)
        try:
            parsed = orjson.loads(text)
            cleaned = self._inside(parsed, depth + 1) if isinstance(parsed, (dict, list)) else None
        except orjson.JSONDecodeError:
            cleaned = None
        except _TooDeepError:
            return self.reduced_text(text)
        if cleaned is not None:
            return text if cleaned == parsed else to_json(cleaned)
        named = _QUOTED_KEY.findall(text)
        suspicious = any(self.class_of(key) >= KeyClass.LOOKALIKE for key in named)
        return self.reduced_text(text) if suspicious else text


def is_measure(text: str) -> bool:
    """Whether a text is a number, a number with a unit, or blank."""
    return bool(_MEASURE.fullmatch(text))


def _is_secret_option(item: Plain) -> bool:
    return isinstance(item, str) and bool(_OPTION.fullmatch(item))


def mask_text(text: str) -> str:
    """Text with every secret by look replaced."""
    if len(text) > LONG:  # RE2 takes linear time, whatever a sender thinks of
        return str(mask_texts(pa.array([text], pa.string()))[0].as_py())
    if not _SIGN_OR_WORD.search(text) and not any(pair in text for pair in key_rules().secret_pairs):
        return text
    return _SECRET.sub(MASK, text)


def mask_texts(array: pa.Array) -> pa.Array:
    """String array with every secret by look replaced; the array itself when it holds none."""
    return pc.replace_substring_regex(array, key_rules().secret_value, MASK) if may_hold_secrets(array) else array


def may_hold_secrets(*arrays: pa.Array) -> bool:
    """Whether any text may hold a secret: a look at all pairs of bytes, then at how secrets begin.

    Both may raise a false alarm, neither misses what the patterns themselves would find.
    """
    parts = [data(array)[starts[0] : starts[-1]] for array in arrays if (starts := offsets(array))[-1] > starts[0]]
    joined = np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else np.zeros(0, np.uint8)
    if not any(_is_suspicious(joined[start : start + SCAN_BYTES + 1]) for start in range(0, len(joined), SCAN_BYTES)):
        return False
    ends = pa.py_buffer(np.array([0, len(joined)], np.int32))
    whole = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(joined)])
    return bool(pc.match_substring_regex(whole, key_rules().secret_hint)[0].as_py())
