"""A plug-in of pytest for tinygrad's own tests: writes the outcome of each test, with quaff in the compiler where `QUAFF_HOOK` is 1.

Tests that have an outcome already are left out, and after `QUAFF_SECONDS` no other test begins. `tinygrad_tests.py` runs it.
"""

import json
import os
import time

import pytest

OUT = os.environ["QUAFF_OUTCOMES"]
ENDS = time.monotonic() + float(os.environ["QUAFF_SECONDS"])
HOOK = os.environ["QUAFF_HOOK"] == "1"

if HOOK:
    import quaff.tinygrad

    quaff.tinygrad.install()

# what was counted up to the last test
counted = (0, 0)


def counts():
    """The kernels that quaff was asked for, and those that it changed, since the last call."""
    global counted
    if not HOOK:
        return {}
    before, counted = counted, (quaff.tinygrad.stats().kernels, quaff.tinygrad.stats().changed)
    return {"kernels": counted[0] - before[0], "changed": counted[1] - before[1]}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    with open(OUT + ".count", "w") as out:
        print(len(items), file=out)
    with open(OUT) as out:
        done = {json.loads(line)["test"] for line in out}
    items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logreport(report):
    # a test that is skipped has no call, and one whose setup fails neither
    if report.when == "call" or report.outcome != "passed":
        with open(OUT, "a") as out:
            print(json.dumps({"test": report.nodeid, "outcome": report.outcome, **counts()}), file=out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    done = yield
    # the loop over the tests looks at it after each of them
    if time.monotonic() > ENDS:
        item.session.shouldstop = "the time is over"
    return done
