"""A plug-in of pytest for hosts' own tests: writes the outcome of each test, with the drop-in that `QUAFF_HOOK` names.

Tests that have an outcome already are left out, and after `QUAFF_SECONDS` no other test begins. `suites.py` runs it.
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

# what was counted up to the last test
counted = {"asked": 0, "changed": 0}


def counts():
    """The questions that quaff was asked, and the answers that changed something, since the last call."""
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
