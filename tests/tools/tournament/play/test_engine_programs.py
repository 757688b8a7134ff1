"""The programs of a plan: missing ones are refused before the run, changed ones detected later."""

import stat
import sys
from pathlib import Path

import pytest

from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.play import engine_programs
from trivalent.tools.tournament.play.engine_programs import fingerprints, require_programs

PLAN = """
size = 5
clock = { move = 1 }
[engines.own]
player = "uct"
[engines.other]
"""


def script(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_existing_programs_are_accepted(tmp_path: Path) -> None:
    script(tmp_path / "engine")
    (tmp_path / "folder").mkdir()
    for command in (
        'command = ["./engine"]',
        'command = ["../engine"]\ncwd = "folder"',
        f'command = ["{tmp_path}/engine"]',
        'command = ["sh"]',
        f'command = ["engine"]\nenvironment = {{ PATH = "{tmp_path}" }}',
        'address = "nowhere.invalid:1"',
    ):
        require_programs(parse(PLAN + command, tmp_path))


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ('command = ["./engine"]', r"engines.other.command: no such program: ./engine"),
        ('command = ["no-such-program"]', "engines.other.command: no such program: no-such-pr"),
        ('command = ["./data"]', r"engines.other.command: .*/data isn't executable"),
        ('command = ["./folder"]', r"engines.other.command: .*/folder isn't executable"),
        (
            'command = ["sh"]\ncwd = "nowhere"',
            r"engines.other.cwd: no such directory: .*nowhere",
        ),
    ],
)
def test_missing_programs_are_refused(tmp_path: Path, command: str, complaint: str) -> None:
    (tmp_path / "data").write_text("no program")
    (tmp_path / "folder").mkdir()
    with pytest.raises(PlanError, match=complaint):
        require_programs(parse(PLAN + command, tmp_path))


def test_fingerprint_of_a_built_in_player_covers_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()
    read_bytes = Path.read_bytes

    def note(path: Path) -> bytes:
        read.add(path.name)
        return read_bytes(path)

    engine_programs.package_fingerprint.cache_clear()
    monkeypatch.setattr(Path, "read_bytes", note)
    fingerprints(parse(PLAN + f'command = ["{sys.executable}"]', tmp_path))
    assert {"board.py", "player.py", "pattern_policy.bin"} <= read
    assert any(name.startswith("_search.") and name.endswith(".so") for name in read)


def test_fingerprints_change_with_the_files(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text("1")
    plan = parse(PLAN + f'command = ["{sys.executable}", "engine.py", "--loud"]', tmp_path)
    before = fingerprints(plan)
    assert list(before["other"]) == [sys.executable, "engine.py"]
    assert len(before["own"]) == 1
    assert fingerprints(plan) == before
    engine.write_text("2")
    after = fingerprints(plan)
    assert after["own"] == before["own"]
    assert [word for word in after["other"] if after["other"][word] != before["other"][word]] == [
        "engine.py"
    ]
