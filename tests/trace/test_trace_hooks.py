"""The hook and the workflow that are offered to other projects run as they stand there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from trace_material import function, make_corpus, module

from cleartitle.trace import IndexOptions, build_index

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
WORKFLOW = ROOT / "examples" / "github-actions-trace.yml"


def git(folder: Path, *words: str) -> None:
    quiet = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *quiet, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hooks")
    build_index([make_corpus(folder, {"g.py": module(3, "gpl")})], folder / "index", IndexOptions(workers=1))
    return folder / "index"


@pytest.fixture
def project(tmp_path, index):
    """A repository that holds an old copy, names the index, and has the command on its path."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".cleartitle.toml").write_text(f'[trace]\nindex = "{index}"\n')
    (folder / "old.py").write_text(function(302))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    scripts = tmp_path / "bin"
    scripts.mkdir()
    command = scripts / "cleartitle"
    command.write_text(f"#!{sys.executable}\nfrom cleartitle.cli import main\nmain()\n")
    command.chmod(0o755)
    return folder, {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


def entry(hook: str) -> list[str]:
    """The command of a hook, as pre-commit reads it."""
    found = re.search(rf"- id: {hook}\n(?:  .*\n|    .*\n)*?  entry: (.*)\n", HOOKS.read_text())
    assert found is not None
    return shlex.split(found[1])


def test_the_hook_looks_at_what_changed_only(project):
    folder, environment = project
    command = entry("cleartitle-trace")
    (folder / "mine.py").write_text("print('nothing of others')\n" * 3)
    git(folder, "add", ".")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "new.py").write_text(function(301))
    git(folder, "add", ".")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "new.py" in done.stdout and "GPL-3.0-or-later" in done.stdout and "old.py" not in done.stdout


def test_the_hook_of_whole_files_looks_at_all_of_them(project):
    folder, environment = project
    command = [*entry("cleartitle-trace-files"), "old.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "old.py" in done.stdout, done.stderr


def test_pre_commit_itself_runs_the_hooks(project):
    pre_commit = shutil.which("pre-commit")
    if pre_commit is None:
        pytest.skip("pre-commit is not installed")
    folder, environment = project
    # As in a repository of hooks, but with the command that is installed already.
    hooks = HOOKS.read_text().replace("language: python", "language: system")
    indented = "".join(f"      {line}\n" for line in hooks.splitlines())
    (folder / ".pre-commit-config.yaml").write_text(f"repos:\n  - repo: local\n    hooks:\n{indented}")
    (folder / "new.py").write_text(function(301))
    git(folder, "add", ".")
    done = subprocess.run([pre_commit, "run"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("Failed") == 2 and "GPL-3.0-or-later" in done.stdout


def steps() -> dict[str, str]:
    """The shell of each named step of the workflow."""
    found: dict[str, str] = {}
    for name, one, block in re.findall(
        r"- name: (.*)\n(?:        .*\n)*?        run: (?:([^|\n].*)\n|\|\n((?:          .*\n|\n)+))",
        WORKFLOW.read_text(),
    ):
        found[name] = one or re.sub(r"(?m)^ {10}", "", block)
    return found


def test_the_workflow_searches_and_decides(project, index, tmp_path):
    folder, environment = project
    (folder / "new.py").write_text(function(301))
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "second")
    shell = steps()
    assert set(shell) == {"Install", "Fetch the index", "Search for what changed", "Comment", "Decide"}
    packed = tmp_path / "index.tar.zst"
    digest = subprocess.run(
        ["cleartitle", "trace", "pack", str(index), "-o", str(packed)],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout.split()[0]  # fmt: skip
    environment |= {
        "INDEX": str(tmp_path / "index"),
        "INDEX_URL": str(packed),
        "INDEX_SHA256": digest,
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    for name in ("Fetch the index", "Search for what changed"):
        subprocess.run([*bash, shell[name]], cwd=folder, env=environment, check=True, capture_output=True)
    assert (tmp_path / "output").read_text() == "status=1\n"
    assert '"new.py"' in (folder / "trace.sarif").read_text()
    assert (folder / "comment.md").read_text().startswith("<!-- cleartitle trace -->")
    decided = subprocess.run([*bash, shell["Decide"]], env={**environment, "STATUS": "1"}, check=False)
    assert decided.returncode == 1
    environment["INDEX"] = str(tmp_path / "absent")
    broken = subprocess.run([*bash, shell["Search for what changed"]], cwd=folder, env=environment, check=False)
    assert broken.returncode != 0
