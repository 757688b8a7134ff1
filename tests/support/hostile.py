"""An engine that plays random legal moves and misbehaves on request.

    python hostile.py --seed 3 crash@2          crashes at its second genmove

A behaviour is ``NAME`` or ``NAME=VALUE``.  ``@N`` triggers it at the N-th genmove (default 1; 0:
every one); behaviours that do not concern genmove need no ``@N``.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

RUN = 600.0
"""Seconds after which a hanging engine exits, so that a failed test does not leave it behind."""


def command(*words: str) -> tuple[str, ...]:
    """Return the command that starts the engine.  It starts fast because it imports little."""
    return (sys.executable, "-I", "-S", __file__, *words)


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def crash(value: str) -> None:
    os.write(2, b"about to crash\n")
    os._exit(int(value or 3))


def close_output(_value: str) -> None:
    os.close(1)
    time.sleep(RUN)


def write_errors(value: str) -> None:
    for number in range(int(value)):
        os.write(2, (b"%07d " % number).ljust(1 << 20, b"x") + b"\n")


def chatter(_value: str) -> None:
    end = time.monotonic() + RUN
    while time.monotonic() < end:
        write(b"thinking\n")
        time.sleep(0.005)


def write_for_ever(_value: str) -> None:
    end = time.monotonic() + RUN
    while time.monotonic() < end:
        write(b"x" * 65536)


ACTS: dict[str, Callable[[str], None]] = {
    "slow": lambda value: time.sleep(float(value)),
    "crash": crash,
    "segv": lambda value: os.kill(os.getpid(), signal.SIGSEGV),
    "closes": close_output,
    "hangs": lambda value: time.sleep(RUN),
    "stops": lambda value: os.kill(os.getpid(), signal.SIGSTOP),
    "stderr": write_errors,
    "endless": write_for_ever,
    "trickle": chatter,
    "line": lambda value: write(b"x" * int(value) + b"\n"),
}


class Engine:
    def __init__(self, behaviours: dict[str, tuple[str, int]], seed: int) -> None:
        self.behaviours = behaviours
        self.seed = seed
        self.size = (11, 11)
        self.game = "hex"
        self.asked = 0
        self.previous = b"="
        self.clear()

    def clear(self) -> None:
        width, height = self.size
        self.cells = [
            f"{chr(97 + x)}{y + 1}"
            for y in range(height)
            for x in range(width)
            if self.game == "hex" or x <= y
        ]
        random.Random(self.seed).shuffle(self.cells)
        self.taken: set[str] = set()
        self.order = iter(self.cells)

    def has(self, name: str) -> str | None:
        """Return the value of a behaviour if it is due now, else None."""
        value, when = self.behaviours.get(name, ("", -1))
        return value if when in (0, self.asked) else None

    def genmove(self) -> str:
        script = self.behaviours.get("moves", ("", 0))[0].split(",")
        if script[0] and self.asked <= len(script):
            return script[self.asked - 1]
        for cell in self.order:
            if cell not in self.taken:
                self.taken.add(cell)
                return cell
        return "resign"

    def play(self, move: str) -> str:
        if move in self.taken:
            return "?"
        self.taken.add(move)
        return "="

    def answer(self, words: list[str]) -> tuple[str, str]:
        name = words[0]
        if name == "genmove":
            self.asked += 1
            self.misbehave()
            if self.has("refuse") is not None:
                return "?", "I will not move"
            answer = self.has("answer")
            return "=", self.genmove() if answer is None else answer
        if name == "play":
            if self.has("objects") is not None:
                return "?", "illegal move"
            return self.play(words[2]), ""
        if name == "boardsize":
            self.size = int(words[1]), int(words[-1])
            self.clear()
        elif name == "clear_board":
            self.clear()
        elif name == "set_game":
            self.game = words[1]
        elif name == "seed":
            self.seed = int(words[1])
        return "=", {"name": "Hostile", "version": "1"}.get(name, "")

    def misbehave(self) -> None:
        """Run the behaviours that are due before the answer to a genmove."""
        for name, act in ACTS.items():
            if (value := self.has(name)) is not None:
                act(value)
        if self.has("late") is not None:  # the previous answer once more
            write(self.previous)

    def run(self) -> None:
        for line in sys.stdin.buffer:
            words = line.decode().split()
            identity = words.pop(0) if words[0].isdigit() else ""
            if "echo" in self.behaviours:
                os.write(2, " ".join(words).encode() + b"\n")
            if words[0] == "quit":
                if "no-quit" in self.behaviours:
                    time.sleep(RUN)
                write(f"={identity} \n\n".encode())
                return
            self.reply(identity, words)

    def reply(self, identity: str, words: list[str]) -> None:
        if "mute" in self.behaviours:
            return
        if words[0] == self.behaviours.get("dies", ("",))[0]:
            os._exit(4)
        if "no-ids" in self.behaviours and identity:
            write(b"? unknown command\n\n")
            return
        if words[0] == self.behaviours.get("fails", ("",))[0]:
            status, text = "?", "not here"
        else:
            status, text = self.answer(words)
        reply = self.shape(f"{status}{identity} {text}\n\n".encode())
        self.previous = reply
        write(reply)
        if self.has("again") is not None:
            time.sleep(0.05)
            write(reply)

    def shape(self, reply: bytes) -> bytes:
        """Return the reply, malformed if a behaviour asks for it."""
        if self.has("garbage") is not None:
            log = b"= 0.5 eval\n\n" if self.asked else b""
            reply = b"loading...\n" + log + b"\x00\xff\xfe log\n" + reply
        if self.has("nul") is not None:
            reply = reply.replace(b" ", b" \x00\x07", 1)
        if self.has("crlf") is not None:
            reply = reply.replace(b"\n", b"\r\n")
        if self.has("unended") is not None:
            reply = reply[:-1]
        if self.has("wrong-id") is not None:
            reply = b"=999 a1\n\n"
        if self.has("twice") is not None:
            reply += reply
        return reply


def offspring(behaviours: dict[str, tuple[str, int]]) -> None:
    """Start child processes that would outlive the engine."""
    sleep = ["sleep", str(RUN)]
    if "child" in behaviours:  # inherits the pipes, as the children of a script do
        subprocess.Popen(sleep)
    if "daemon" in behaviours and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            os.execvp("sleep", sleep)  # noqa: S606
        os._exit(0)
    if "escapes" in behaviours and os.fork() == 0:  # in another session, but with the pipes
        os.setsid()
        os.execvp("sleep", sleep)  # noqa: S606


def main() -> None:
    words = sys.argv[1:]
    seed = 0
    if "--seed" in words:
        at = words.index("--seed")
        seed = int(words[at + 1])
        del words[at : at + 2]
    behaviours = {}
    for word in words:
        behaviour, _, when = word.partition("@")
        name, _, value = behaviour.partition("=")
        behaviours[name] = (value, int(when) if when else 1)
    if "no-term" in behaviours:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    if "ends" in behaviours:
        sys.stderr.write("cannot open the model\n")
        sys.exit(1)
    offspring(behaviours)
    Engine(behaviours, seed).run()
    if "no-eof" in behaviours:
        time.sleep(RUN)


if __name__ == "__main__":
    main()
