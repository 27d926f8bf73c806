"""Execute what README and docs show: commands, Python, and the output that stands below them.

A page runs in one fresh folder, and as many pages at a time as there are processors. A block marked ``console`` holds
commands (lines that start with ``$ ``) and their output, in which ``…`` stands for anything; a block ``python`` is a
script that must end well; a block ``pycon`` is a doctest. Blocks ``sh`` are the two commands of the README, which the
project's check runs by itself.

    python docs/run.py            execute all and fail where the output differs
    python docs/run.py --write    put the output seen into the pages
    python docs/run.py PAGE …     only these pages
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCTEST = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command: str, folder: str) -> tuple[int, str]:
    """Exit status and standard output of one command, with this interpreter's scripts first on the path."""
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    if done.returncode not in (0, 1):
        sys.stderr.write(done.stderr)
    return done.returncode, "\n".join(line.rstrip() for line in done.stdout.splitlines())


def python(arguments: list[str], folder: str) -> int:
    """Exit status of this interpreter; what it prints goes to standard error."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, stdout=sys.stderr, timeout=1800, check=False
    ).returncode


def matches(shown: str, seen: str) -> bool:
    """Whether the shown output is the seen one, with ``…`` for anything and any white space for white space."""
    pieces = (" ".join(piece.split()) for piece in shown.split("…"))
    pattern = ".*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, " ".join(seen.split())) is not None


def page(path: Path, write: bool) -> list[str]:
    """Problems of one page."""
    problems: list[str] = []
    begun = time.monotonic()
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:

        def block(found: re.Match[str]) -> str:
            lines = ["```console"]
            for piece in re.split(r"^(?=\$ )", found[1], flags=re.MULTILINE):
                if not piece.startswith("$ "):
                    continue
                command, _, shown = piece.partition("\n")
                print(f"{path.relative_to(ROOT)}: {command}", flush=True)
                status, seen = run(command[2:], folder)
                if status not in (0, 1):
                    problems.append(f"{path.name}: {command} ended with {status}")
                elif not matches(shown, seen):
                    problems.append(f"{path.name}: {command} printed\n{seen}\nand the page shows\n{shown}")
                lines += [command, *([seen] if write and not matches(shown, seen) else [shown.rstrip("\n")])]
            return "\n".join(line for line in lines if line) + "\n```"

        changed = BLOCK.sub(block, text)
        for number, script in enumerate(PYTHON.findall(text), start=1):
            print(f"{path.relative_to(ROOT)}: Python block {number}", flush=True)
            if python(["-c", script], folder):
                problems.append(f"{path.name}: Python block {number} failed")
        if sessions := DOCTEST.findall(text):
            print(f"{path.relative_to(ROOT)}: doctest", flush=True)
            Path(folder, "sessions.txt").write_text("\n".join(sessions), encoding="utf-8")
            if python(["-m", "doctest", "sessions.txt"], folder):
                problems.append(f"{path.name}: its doctest failed")
    if write and changed != text:
        path.write_text(changed, encoding="utf-8")
    print(f"{path.relative_to(ROOT)}: {time.monotonic() - begun:.0f} s", flush=True)
    return problems


def main() -> int:
    """Run the pages named, or all."""
    arguments = sys.argv[1:]
    write = "--write" in arguments
    named = [Path(argument).resolve() for argument in arguments if argument != "--write"]
    pages = named or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for found in pool.map(lambda path: page(path, write), pages) for problem in found]
    for problem in problems if not write else []:
        print(f"DIFFERS {problem}", file=sys.stderr)
    return 1 if problems and not write else 0


if __name__ == "__main__":
    sys.exit(main())
