"""A plug-in of pytest for a host's own tests. It writes the outcome of each test, with the drop-in that `QUAFF_HOOK` names.

Tests that already have an outcome are left out. No test begins after `QUAFF_SECONDS`. `suites.py` uses the plug-in.
"""

import dataclasses
import importlib
import json
import os
import time

import pytest

OUT = os.environ["QUAFF_OUTCOMES"]
ENDS = time.monotonic() + float(os.environ["QUAFF_SECONDS"])
HOOK = os.environ["QUAFF_HOOK"]

drop_in = None
if HOOK:
    drop_in = importlib.import_module(f"quaff.{HOOK}")
    drop_in.install()

# the counts up to the last test
counted = {"asked": 0, "changed": 0}


def counts():
    """The number of questions to quaff, and of answers that changed something, since the last call."""
    global counted
    if drop_in is None:
        return {}
    stats = drop_in.stats()
    stats = stats if isinstance(stats, dict) else dataclasses.asdict(stats)
    before, counted = counted, {"asked": stats["kernels"] if HOOK == "tinygrad" else stats["calls"], "changed": stats["changed"]}
    return {name: counted[name] - before[name] for name in counted}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    with open(OUT + ".count", "w") as out:
        print(len(items), file=out)
    with open(OUT) as out:
        done = {json.loads(line)["test"] for line in out}
    items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logreport(report):
    # a skipped test has no call phase, and neither has a test whose setup fails
    if report.when == "call" or report.outcome != "passed":
        with open(OUT, "a") as out:
            print(json.dumps({"test": report.nodeid, "outcome": report.outcome, **counts()}), file=out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    done = yield
    # pytest's loop checks this attribute after each test
    if time.monotonic() > ENDS:
        item.session.shouldstop = "the time is over"
    return done
