"""The public names of reports come from their modules, and a search loads no evaluation for them."""

import subprocess
import sys

import cleartitle.report as report


def test_every_public_name_is_there():
    assert {name for names in report._HOMES.values() for name in names} == set(report.__all__)
    for name in report.__all__:
        getattr(report, name)
        # A second time: loading a module must not put it in the place of a name.
        assert getattr(report, name).__module__.startswith("cleartitle.report.") or name == "Block"
    assert not hasattr(report, "no_such_name")


def test_a_search_loads_no_evaluation():
    code = "import sys, cleartitle.cli.trace_commands; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"scipy", "matplotlib", "openai", "torch"} | {name for name in done.stdout.split() if ".evals." in name}
    assert not heavy & set(done.stdout.split())
