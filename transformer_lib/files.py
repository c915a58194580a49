"""Files that are written whole or not at all: JSON and safetensors, nothing that runs code.

Every file is first written under another name in its folder and then renamed, in one step. So a
run that is killed leaves the old file or the new one, never half of one.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

HASH = re.compile("([0-9a-f]{64}) ")
NO_HASH = "-" * 64  # in its place while it is computed, as it can't be a hash of itself


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged, or made for another model; the message says which."""


def write_file(path: Path, content: bytes) -> None:
    """Write the whole file or nothing, even if the machine stops; else OSError with its name."""
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def keep_file(path: Path, content: bytes) -> None:
    """As `write_file`, but leave a file alone that has this content, as others may be using it."""
    if not path.exists() or path.read_bytes() != content:
        write_file(path, content)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that replaces `path` at the end, unless there was an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    try:
        with open(beside, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_json(path: Path, content: object) -> None:
    """The content as indented UTF-8 JSON; errors as in `write_file`."""
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    write_file(path, text.encode("utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; CheckpointError if the file is missing or holds anything else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"there is no {path.name} in {path.parent}") from None
    except ValueError as error:
        raise CheckpointError(f"{path} is damaged: it is not JSON ({error})") from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path} is damaged: it should hold a JSON object")
    return content


def write_tensors(
    path: Path, tensors: dict[str, Tensor], about: dict[str, Any] | None = None
) -> None:
    """Write tensors by name, and `about` as JSON behind a hash of the whole file in its header."""
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    content = save(whole, metadata={"about": f"{NO_HASH} {json.dumps(about or {})}"})
    digest = hashlib.sha256(content).hexdigest()
    write_file(path, content.replace(NO_HASH.encode(), digest.encode(), 1))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `write_tensors` wrote, tensors and about; CheckpointError if missing or damaged."""
    if not path.is_file():
        raise CheckpointError(f"there is no {path.name} in {path.parent}")
    content = path.read_bytes()  # once, as a run that goes on may replace the file at any moment
    try:
        tensors = load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        said = header.get("__metadata__", {})
        for value in said.values():  # older files have no hash; its key may be what is damaged
            if found := HASH.match(value):
                content = content.replace(found[1].encode(), NO_HASH.encode(), 1)
                if hashlib.sha256(content).hexdigest() != found[1]:
                    raise ValueError("its content is not what was written")
        return tensors, json.loads(HASH.sub("", said.get("about", "{}")))
    except (SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path} is damaged ({error})") from None
