"""Check that the programs of a plan's engines exist and haven't changed."""

from __future__ import annotations

import os
import shutil
from functools import cache
from hashlib import file_digest, sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import trivalent.bot
import trivalent.core
from trivalent.core import VERSION
from trivalent.tools.tournament.plan.strict_toml import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from trivalent.tools.tournament.model import Engine
    from trivalent.tools.tournament.plan.plan_model import Plan


def require_programs(plan: Plan) -> None:
    """Raise PlanError if a program or a working directory of an engine doesn't exist."""
    for engine in plan.engines:
        if not engine.command:
            continue
        place = f"engines.{engine.name}"
        if not Path(engine.cwd).is_dir():
            raise PlanError(f"{place}.cwd: no such directory: {engine.cwd}")
        program = find_program(engine)
        if program is None:
            raise PlanError(f"{place}.command: no such program: {engine.command[0]}")
        if program.is_dir() or not os.access(program, os.X_OK):
            raise PlanError(f"{place}.command: {program} isn't executable")


def find_program(engine: Engine) -> Path | None:
    """Return the file that an engine's command starts, or None if there is none.

    A name with a slash is relative to the engine's working directory.  Other names are looked up as
    a shell does it: on PATH in the engine's environment, or else in ours.
    """
    name = engine.command[0]
    if "/" in name:
        path = Path(engine.cwd, name)
        return path if path.exists() else None
    found = shutil.which(name, path=engine.environment.get("PATH"))
    return Path(found) if found else None


def fingerprints(plan: Plan) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of each engine's files, by engine and file.

    The files of a command are its program and every argument that names a file, such as a script or
    a network.  A built-in player consists of this package.  An engine at an address has no files.
    """
    return {engine.name: _files(engine) for engine in plan.engines}


def _files(engine: Engine) -> dict[str, str]:
    if engine.player:
        return {f"trivalent {VERSION}": package_fingerprint()}
    found = {}
    for number, word in enumerate(engine.command):
        path = find_program(engine) if number == 0 else Path(engine.cwd, word)
        if path is not None and path.is_file():
            with path.open("rb") as file:
                found[word] = file_digest(file, "sha256").hexdigest()
    return found


@cache
def package_fingerprint() -> str:
    """Return the fingerprint of all modules and data that decide on moves."""
    total = sha256()
    for package in (trivalent.core, trivalent.bot):
        # Not by its folders: an editable install has its compiled modules elsewhere.
        for name, file in _walk(files(package)):
            if name.endswith((".py", ".so", ".bin", ".net", ".book")):
                total.update(name.encode() + sha256(file.read_bytes()).digest())
    return total.hexdigest()


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield all files below a folder in a fixed order, with their relative paths."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _walk(entry, f"{name}/")
        else:
            yield name, entry
