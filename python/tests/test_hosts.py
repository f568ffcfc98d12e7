"""`hosts/suites.py` and `hosts/run`: their reports about tests with equal and with different outcomes, and about folders that are no
checkouts."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HOSTS = Path(__file__).resolve().parents[1] / "hosts"


def run(program, *arguments):
    return subprocess.run([sys.executable, HOSTS / program, *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.skipif(find_spec("tinygrad") is None, reason="tinygrad is not installed")
def test_a_test_with_another_outcome_fails_the_suite(tmp_path):
    tests = tmp_path / "test"
    tests.mkdir()
    same = """
        import pytest

        def test_passes(): pass

        def test_fails(): assert False

        @pytest.mark.skip
        def test_is_skipped(): pass
        """
    lines = [line[8:] for line in same.splitlines()]
    (tests / "test_ops.py").write_text("\n".join(lines))
    found = run("suites.py", "tinygrad", tmp_path, "test_ops.py")
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.splitlines()[2:] == ["| test_ops.py | 1 | 1 | 1 | 1 | 0 | 0 | 0 |"]
    lines += ["def test_differs():", "    import quaff.tinygrad", "    assert not quaff.tinygrad.is_installed()"]
    (tests / "test_ops.py").write_text("\n".join(lines))
    found = run("suites.py", "tinygrad", tmp_path, "test_ops.py")
    assert found.returncode == 1
    row, difference = found.stdout.splitlines()[2:]
    assert row == "| test_ops.py | 2 | 1 | 1 | 1 | 0 | 0 | 0 |"
    assert difference.startswith("differs: ") and difference.endswith("test_differs: passed, with quaff failed")


def test_folders_that_are_no_checkouts_are_refused(tmp_path):
    for host, folder in (("torch", "test/inductor"), ("tinygrad", "test"), ("tvm", "tests/python/arith")):
        found = run("run", f"--{host}", tmp_path)
        assert found.returncode == 2 and f"--{host}: {tmp_path} is no checkout of it: it has no folder {folder}" in found.stderr
    found = run("run", "--short", "--tvm", tmp_path)
    assert found.returncode == 2 and "--short runs no tests of hosts" in found.stderr
    found = run("suites.py", "torch", tmp_path)
    assert found.returncode == 1 and "it has no folder test/inductor" in found.stderr
