"""A plug-in of pytest for tinygrad's own tests: writes the outcome of each test, with quaff in the compiler where `QUAFF_HOOK` is 1.

`tinygrad_tests.py` runs it.
"""

import json
import os

import pytest

OUT = os.environ["QUAFF_OUTCOMES"]

if os.environ["QUAFF_HOOK"] == "1":
    import quaff.tinygrad

    quaff.tinygrad.install()


def pytest_runtest_logreport(report):
    # a test that is skipped has no call, and one whose setup fails neither
    if report.when == "call" or report.outcome != "passed":
        with open(OUT, "a") as out:
            print(json.dumps({"test": report.nodeid, "outcome": report.outcome}), file=out)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    if os.environ["QUAFF_HOOK"] == "1":
        stats = quaff.tinygrad.stats()
        counts = {"kernels": stats.kernels, "changed": stats.changed, "seconds": stats.seconds, "refused": dict(stats.refused)}
        with open(OUT, "a") as out:
            print(json.dumps({"stats": counts}), file=out)
