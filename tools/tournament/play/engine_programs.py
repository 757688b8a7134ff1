"""The programs behind the engines of a plan: that they are there, and that they stay the same."""

from __future__ import annotations

import os
import shutil
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING

import trivalent.bot
import trivalent.core
from trivalent.core import VERSION
from trivalent.tools.tournament.plan.strict_toml import PlanError

if TYPE_CHECKING:
    from trivalent.tools.tournament.model import Engine
    from trivalent.tools.tournament.plan.plan_model import Plan


def require_programs(plan: Plan) -> None:
    """Raise PlanError if a program or a working directory of an engine is not there."""
    for engine in plan.engines:
        if not engine.command:
            continue
        place = f"engines.{engine.name}"
        if not Path(engine.cwd).is_dir():
            raise PlanError(f"{place}.cwd: there is no directory {engine.cwd}")
        program = find(engine)
        if program is None:
            raise PlanError(f"{place}.command: there is no program {engine.command[0]}")
        if program.is_dir() or not os.access(program, os.X_OK):
            raise PlanError(f"{place}.command: {program} is no program that may be run")


def find(engine: Engine) -> Path | None:
    """Return the file of the program that an engine's command starts, None if there is none.

    A name with a slash begins at the engine's working directory; others are looked for as a shell
    does, on the PATH of the engine's environment or on ours.
    """
    name = engine.command[0]
    if "/" in name:
        path = Path(engine.cwd, name)
        return path if path.exists() else None
    found = shutil.which(name, path=engine.environment.get("PATH"))
    return Path(found) if found else None


def fingerprints(plan: Plan) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of the files that each engine is made of, by engine and file.

    Of a command these are the program and all other words that name files, such as a script or a
    network; of our own players the package.  What listens at an address has none.
    """
    return {engine.name: _files(engine) for engine in plan.engines}


def _files(engine: Engine) -> dict[str, str]:
    if engine.player:
        return {f"trivalent {VERSION}": _package()}
    files = {}
    for number, word in enumerate(engine.command):
        path = find(engine) if number == 0 else Path(engine.cwd, word)
        if path is not None and path.is_file():
            with path.open("rb") as file:
                files[word] = file_digest(file, "sha256").hexdigest()
    return files


@cache
def _package() -> str:
    """Return the fingerprint of all modules that decide on moves."""
    total = sha256()
    for package in (trivalent.core, trivalent.bot):
        for folder in package.__path__:
            for path in sorted(Path(folder).glob("*")):
                if path.suffix in (".py", ".so"):
                    total.update(path.name.encode() + sha256(path.read_bytes()).digest())
    return total.hexdigest()
