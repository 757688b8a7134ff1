"""A trivial engine, as a program of its own: it makes random moves, from its seed, at once.

It imports next to nothing, so that it starts in some milliseconds: `python -I -S trivial.py`.
"""

import random
import sys
import time


def main() -> None:
    size, seed, slow = 11, 1, float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    cells: list[str] = []
    taken: set[str] = set()
    for line in sys.stdin:
        number, command, *words = line.split()
        answer = ""
        if command == "genmove":
            time.sleep(slow)
            while (answer := cells.pop()) in taken:
                pass
        elif command == "play":
            taken.add(words[1].lower())
        elif command == "boardsize":
            size = int(words[0])
        elif command == "seed":
            seed = int(words[0])
        elif command == "clear_board":
            cells = [f"{chr(97 + n % size)}{n // size + 1}" for n in range(size * size)]
            random.Random(seed).shuffle(cells)
            taken.clear()
        elif command == "name":
            answer = "trivial"
        sys.stdout.write(f"={number} {answer}\n\n")
        sys.stdout.flush()
        if command == "quit":
            return


if __name__ == "__main__":
    main()
