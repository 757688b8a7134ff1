"""Translate Cython modules to C, all of a layer in one process; run by meson.build.

Cython takes longer to get ready than to translate most modules, so it starts once.  A module is
translated only if something that it is made of has changed, and a C file that would stay the same
is left alone, so that ninja doesn't compile it again.  Such a file stays older than its source, so
ninja asks again at every build: that costs a look at the times of files.
"""

import argparse
import os
import sys
from pathlib import Path


def translate(source: Path, output: Path, root: Path, options: list[str]) -> str:
    """Write the C file of one module; return the files that it depends on, as ninja reads them."""
    path = Path(os.path.relpath(source, root)).with_suffix("")
    new = output.with_suffix(".new.c")
    needed = Path(f"{new}.dep")
    if _is_recent(needed, output):
        return _files(needed)
    # Imported late: getting ready takes longer than to find out that nothing has changed.
    from Cython.Compiler.Main import main as cython

    sys.argv = ["cython", *options, "-M", "--module-name", ".".join(("trivalent", *path.parts))]
    sys.argv += ["-o", str(new), str(source)]
    cython(command_line=1)
    if not output.exists() or output.read_bytes() != new.read_bytes():
        new.replace(output)
    return _files(needed)


def _is_recent(needed: Path, output: Path) -> bool:
    """Return whether a module was translated after the last change of all that it is made of."""
    if not (needed.exists() and output.exists()):
        return False
    done = needed.stat().st_mtime_ns
    made_of = [*map(Path, _files(needed).split()), Path(__file__)]
    return all(path.exists() and path.stat().st_mtime_ns < done for path in made_of)


def _files(needed: Path) -> str:
    """Return the files that a module is made of, from the list that Cython has written."""
    return needed.read_text().partition(":")[2].replace("\\\n", " ").strip()


def main() -> None:
    """Translate the sources and write a file of dependencies for ninja."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder that holds the layers")
    parser.add_argument("--depfile", type=Path, required=True)
    parser.add_argument("--sources", type=Path, nargs="+", required=True)
    parser.add_argument("--outputs", type=Path, nargs="+", required=True, help="C files, in order")
    parser.add_argument("options", nargs="*", help="behind --: options of cython")
    arguments = parser.parse_args()
    needed = [
        translate(source, output, arguments.root, arguments.options)
        for source, output in zip(arguments.sources, arguments.outputs, strict=True)
    ]
    arguments.depfile.write_text(f"{arguments.outputs[0]}: {' '.join(needed)}\n")


if __name__ == "__main__":
    main()
