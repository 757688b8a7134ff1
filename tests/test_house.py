"""The house is in order: rooms import downwards only; folders, modules and functions stay small.

A room is a folder of core, bot, gtp or tools, or one module where `ROOMS` names it.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from pathlib import Path, PurePath

import pytest
from places import ROOT

LAYERS = ("core", "bot", "gtp", "tools")

# From the ground up.  A room may import itself and every room on an earlier line; rooms on the same
# line don't import each other.  Imports for type checkers count, too.
ROOMS = """
core/connection/*.h
core
core/connection
core/boards
core/games
core/position
core/playouts
core/records
bot
bot/book bot/knowledge
bot/evaluation bot/solver
bot/search bot/circuits
bot/players
bot/review
bot/__init__
gtp
gtp/engine
gtp/client gtp/commands
gtp/profiles
gtp/server
tools
tools/common
tools/pictures
tools/statistics
tools/puzzles tools/solving tools/tournament
tools/tournament/plan
tools/tournament/play
tools/tournament/run
tools/tournament/report
tools/tournament/commands
tools/benchmarks tools/book tools/review tools/training
tools/workshop
tools/commands
tools/cli
"""
LEVELS = {room: level for level, line in enumerate(ROOMS.split("\n")) for room in line.split()}

MAX_MODULES = 14  # of a folder
MAX_COMMANDS = 16  # of tools/commands, which has one for each subcommand that people type
MAX_LINES = 600  # of a module
MAX_FUNCTION_LINES = 80

FROM = re.compile(r"^\s*from\s+trivalent\.([\w.]+)\s+c?import\s+(?:\(([^)]*)\)|(.*))", re.MULTILINE)
IMPORT = re.compile(r"^\s*c?import\s+trivalent\.([\w.]+)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*(?:#\s*include|cdef extern from) "([^"]+)"', re.MULTILINE)


@cache
def sources() -> list[Path]:
    """Return all source files of the four layers, as paths from the root."""
    suffixes = {".py", ".pyi", ".pyx", ".pxd", ".c", ".h"}
    return [
        file.relative_to(ROOT)
        for layer in LAYERS
        for file in sorted((ROOT / layer).rglob("*"))
        if file.suffix in suffixes
    ]


@cache
def text(file: PurePath) -> str:
    return (ROOT / file).read_text("utf-8")


def is_generated(file: PurePath) -> bool:
    return "do not edit" in text(file).partition("\n")[0]


def stem(file: PurePath) -> str:
    return file.name.partition(".")[0]


def module(file: PurePath) -> str:
    """Return what a file's parts (x.pyx, x.pxd, x.pyi) have in common; headers stay as they are."""
    return str(file) if file.suffix in {".c", ".h"} else str(file.parent / stem(file))


@cache
def resolve(name: str) -> str:
    """Return the module of a name behind `trivalent.`, which may go on with a name inside it."""
    path = PurePath(*name.split("."))
    if (ROOT / path).is_dir():
        return str(path / "__init__")
    if any((ROOT / path).with_suffix(suffix).exists() for suffix in (".py", ".pyx", ".pxd")):
        return str(path)
    assert len(path.parts) > 1, f"trivalent.{name} doesn't exist"
    return resolve(".".join(path.parts[:-1]))


def python_imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a tree imports, behind `trivalent.`."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name[10:] for name in names if name.startswith("trivalent."))


def cython_imports(source: str) -> Iterator[str]:
    """Yield the same for the imports and cimports of a Cython file."""
    yield from IMPORT.findall(source)
    for path, inner, rest in FROM.findall(source):
        for name in (inner or rest).split(","):
            if word := name.split("#")[0].split():
                yield f"{path}.{word[0]}"


def includes(file: PurePath) -> set[str]:
    """Return the headers of ours that a file includes; they are found from the root."""
    found = {PurePath(name) for name in INCLUDE.findall(text(file))}
    ours = {path for path in found if path.parts[0] in LAYERS}
    assert all(len(path.parts) == 1 for path in found - ours), file
    assert all((ROOT / path).exists() for path in ours), file
    return {str(path) for path in ours}


@cache
def imports(file: PurePath) -> set[str]:
    """Return the modules and headers that a file imports, cimports or includes."""
    if file.suffix in {".py", ".pyi"}:
        return {resolve(name) for name in python_imports(ast.parse(text(file)))}
    return {resolve(name) for name in cython_imports(text(file))} | includes(file)


@cache
def level(name: str) -> tuple[int, str]:
    """Return the level and the room of a module or header."""
    path = PurePath(name)
    rooms = [room for room in LEVELS if path.match(room) or PurePath(room) in path.parents]
    if path.suffix == "":
        rooms += [room for room in LEVELS if room == name]
    room = max(rooms, key=len)
    return LEVELS[room], room


def test_every_folder_is_in_a_room() -> None:
    folders = {str(file.parent) for file in sources()}
    named = {str(PurePath(room).parent) for room in LEVELS if not (ROOT / room).is_dir()}
    assert folders == {room for room in LEVELS if (ROOT / room).is_dir()}
    assert named <= folders


def test_imports_run_downwards() -> None:
    faults = []
    for file in sources():
        here, room = level(module(file))
        for name in sorted(imports(file)):
            there, other = level(name)
            if there > here or (there == here and other != room):
                faults.append(f"{file} of {room} imports {name} of {other}")
    assert not faults, "\n".join(faults)


def test_modules_dont_import_each_other_in_circles() -> None:
    """Imports inside functions and for type checkers don't count: they run later or never."""
    graph: dict[str, set[str]] = {}
    for file in sources():
        if file.suffix == ".py":
            body = ast.parse(text(file)).body
            kept: list[ast.stmt] = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom)]
            found = {resolve(name) for name in python_imports(ast.Module(kept, []))}
        elif file.suffix == ".pyi":
            continue
        else:
            found = imports(file)
        graph.setdefault(module(file), set()).update(found - {module(file)})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as fault:
        pytest.fail(" <- ".join(fault.args[1]))


def test_importing_a_layer_loads_nothing_else() -> None:
    """In particular, `import trivalent.bot` doesn't load the search."""
    program = (
        "import sys, trivalent.core, trivalent.bot, trivalent.gtp, trivalent.tools\n"
        "print(*sorted(name for name in sys.modules if name.startswith('trivalent')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["trivalent", *(f"trivalent.{layer}" for layer in sorted(LAYERS))]


def test_every_folder_says_what_it_holds() -> None:
    for folder in {file.parent for file in sources()}:
        assert ast.get_docstring(ast.parse(text(folder / "__init__.py"))), folder


def test_tests_mirror_the_rooms() -> None:
    for layer in LAYERS:
        for file in (ROOT / "tests" / layer).rglob("test_*.py"):
            assert (ROOT / file.relative_to(ROOT / "tests").parent).is_dir(), file


def test_no_folder_is_crowded() -> None:
    """Pieces of a C file (.inc.h) and generated files don't count."""
    folders: dict[Path, set[str]] = {}
    for file in sources():
        if not file.name.endswith(".inc.h") and not is_generated(file):
            folders.setdefault(file.parent, set()).add(stem(file))
    for folder, stems in folders.items():
        most = MAX_COMMANDS if folder.name == "commands" else MAX_MODULES
        assert len(stems - {"__init__"}) <= most, folder


def test_names_of_modules_are_unique_in_their_layer() -> None:
    homes: dict[tuple[str, str], set[Path]] = {}
    for file in sources():
        homes.setdefault((file.parts[0], stem(file)), set()).add(file.parent)
    twice = {name: folders for (_, name), folders in homes.items() if len(folders) > 1}
    twice.pop("__init__")
    # The subcommands of `trivalent tournament` are called what people type.
    for name in ("plan", "report", "run"):
        twice.pop(name, None)
    assert not twice


def test_modules_are_short() -> None:
    long = {str(file): len(text(file).splitlines()) for file in sources() if not is_generated(file)}
    assert not {file: lines for file, lines in long.items() if lines > MAX_LINES}


def python_functions(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or 0) - node.lineno + 1


def cython_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield each function with its lines: up to the next line that isn't indented deeper."""
    lines = source.splitlines()
    for start, line in enumerate(lines):
        if match := re.match(r"( *)(?:def|cdef|cpdef)\b[^=]*?(\w+)\(", line):
            deeper = re.compile(rf" {{{len(match[1]) + 1}}}|\s*$|{match[1]}\)")
            body = [*takewhile(deeper.match, lines[start + 1 :])]
            while body and not body[-1].strip():
                body.pop()
            yield match[2], 1 + len(body)


def c_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield each function with its lines: definitions and closing braces stand at the margin."""
    start, name = 0, ""
    for number, line in enumerate(source.splitlines()):
        if match := re.match(r"(?!typedef|#)\w.*?(\w+(?:\(\w+\))?)\(", line):
            start, name = number, match[1]
        elif line.startswith("}") and name:
            yield name, number - start + 1
            name = ""


FUNCTIONS = {
    ".py": python_functions,
    ".pyx": cython_functions,
    ".pxd": cython_functions,
    ".c": c_functions,
    ".h": c_functions,
}


def test_functions_are_short() -> None:
    long = []
    for file in sources():
        if file.suffix in FUNCTIONS and not is_generated(file):
            for name, lines in FUNCTIONS[file.suffix](text(file)):
                if lines > MAX_FUNCTION_LINES:
                    long.append(f"{file}: {name} has {lines} lines")
    assert not long, "\n".join(long)


def test_functions_are_found_in_every_language() -> None:
    """The scans above see functions at all, and see them whole."""
    cython = "cdef int f(\n    int a\n) nogil:\n    a += 1\n\n    return a\n\ndef g():\n    pass\n"
    assert [*cython_functions(cython)] == [("f", 6), ("g", 2)]
    c = "static int f(int a,\n    int b) {\n    return a;\n}\n#define X\nint g(void) {\n}\n"
    assert [*c_functions(c)] == [("f", 4), ("g", 2)]
    for suffix, functions in FUNCTIONS.items():
        assert any([*functions(text(file))] for file in sources() if file.suffix == suffix)
