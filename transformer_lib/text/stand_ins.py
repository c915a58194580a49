"""Links, addresses, telephone numbers and emoji: copied into a translation, not translated.

A small model spells them badly. So it reads others of the same kind instead, which it has often
copied in training, and the real ones replace them in what it writes:

    Write to kim@uni.edu  ->  Write to info@example.org  ->  Escribe a info@example.org
                          ->  Escribe a kim@uni.edu
"""

import re
from collections.abc import Mapping, Sequence

# One emoji, with the signs after it that change its look, such as the skin tone.
PICTURE = "[\u2190-\u2bff\U0001f1e6-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]*"
KINDS = {
    "link": r"(?:[Hh][Tt]{2}[Pp][Ss]?://|[Ww]{3}\.)\S*[\w/]",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "phone": r"(?:\+|\()?\d[\d ().-]{5,}\d",
    "emoji": rf"{PICTURE}(?:[ \u200d]*{PICTURE})*",  # several in a row are copied as one
}
FOUND = re.compile("|".join(f"(?P<{kind}>{one})" for kind, one in KINDS.items()))  # any of them
# Of each kind, some from the phrasebook; none is a part of another.
STAND_INS = {
    "link": ("www.example.com", "https://example.org", "http://example.net/map"),
    "email": ("info@example.org", "maria@example.com", "jobs@example.com"),
    "phone": ("555-0134", "202-555-0147", "01632 960 123"),
    "emoji": ("😀", "👍", "🎉"),
}

Replaced = tuple[tuple[str, str], ...]  # (stand-in, what was typed)


def replace_by_stand_ins(
    text: str, stand_ins: Mapping[str, Sequence[str]] = STAND_INS
) -> tuple[str, Replaced]:
    """The text for the model to read, and what was replaced: all, unless stand-ins run out."""
    free = {kind: [one for one in some if one not in text] for kind, some in stand_ins.items()}
    replaced = []

    def replacement(found: re.Match[str]) -> str:
        if not (left := free.get(str(found.lastgroup))):
            return found[0]
        replaced.append((left.pop(0), found[0]))
        return replaced[-1][0]

    return FOUND.sub(replacement, text), tuple(replaced)


def put_back(translation: str, replaced: Sequence[tuple[str, str]]) -> str:
    """The translation with stand-ins turned back into what was typed; lost ones at the end."""
    lost = [one for one, _ in replaced if re.match(PICTURE, one) and one not in translation]
    others = [one for one in re.findall(PICTURE, translation) if one not in dict(replaced)]
    for stand_in, other in zip(lost, others, strict=False):  # the model may write another
        translation = translation.replace(other, stand_in, 1)
    for stand_in, typed in replaced:
        rest = stand_in if "@" in stand_in else re.sub("^[a-z]+", "", stand_in)  # it may spell ww
        parts = re.split(("[a-z]*" if stand_in[0].isalpha() else "") + re.escape(rest), translation)
        translation = typed.join(parts) if len(parts) > 1 else f"{translation} {typed}"
    return translation
