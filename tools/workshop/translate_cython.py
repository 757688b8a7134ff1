"""Translate Cython modules to C, all of a layer in one process; run by meson.build.

Cython takes longer to get ready than to translate most modules, so it starts once.  A C file that
would stay the same is left alone, so that ninja doesn't compile it again.
"""

import argparse
import os
import sys
from pathlib import Path

from Cython.Compiler.Main import main as cython


def translate(source: Path, output: Path, root: Path, options: list[str]) -> str:
    """Write the C file of one module; return the files that it depends on, as ninja reads them."""
    path = Path(os.path.relpath(source, root)).with_suffix("")
    new = output.with_suffix(".new.c")
    sys.argv = ["cython", *options, "-M", "--module-name", ".".join(("trivalent", *path.parts))]
    sys.argv += ["-o", str(new), str(source)]
    cython(command_line=1)
    if not output.exists() or output.read_bytes() != new.read_bytes():
        new.replace(output)
    return Path(f"{new}.dep").read_text().partition(":")[2].strip()


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
