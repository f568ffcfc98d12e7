"""Runs one system in a separate process. It reads questions and writes answers, each as a JSON object on one line.

    python worker.py SYSTEM SECONDS
"""

import importlib
import json
import os
import pathlib
import resource
import signal
import sys
import time
from importlib import metadata

# The memory limit of a system. A system that needs more gets a `MemoryError`.
MOST_MEMORY = 8 << 30
WARM = {"corpus": "warm", "number": 0, "id": "", "facts": {"vars": {"i": [0, 15], "j": [0, 3]}}, "exprs": ["(i*4 + j)//4"]}


class TooLong(BaseException):
    """The time is over. This is no `Exception`, so that no `except Exception` of a system catches it."""


def too_long(*_):
    raise TooLong


def microseconds():
    """The processor time of this thread. The processor time of the process is coarse while a timer of processor time is set."""
    return time.thread_time_ns() / 1e3


def answered(system, line):
    """The answer of a system to a line, and the processor times in microseconds of the call, and of reading and writing."""
    if hasattr(system, "together"):
        texts, call = system.together()
        return {"texts": texts, "us": call, "convert_us": None}
    texts, call, convert = [], 0, 0
    for expr in line.exprs:
        began = microseconds()
        terms = system.read(expr)
        read = microseconds()
        answer = system.simplify(terms)
        done = microseconds()
        texts.append(system.write(answer))
        call, convert = call + done - read, convert + read - began + microseconds() - done
    return {"texts": texts, "us": call, "convert_us": convert}


def reply(kind, line, seconds, refused):
    began = microseconds()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return answered(kind(line.ranges, line), line)
    except refused as e:
        return {"refused": str(e)}
    except TooLong:
        return {"refused": f"no answer in {seconds:g} s", "spent_us": microseconds() - began}
    except Exception as e:
        said = (str(e).strip() or type(e).__name__).splitlines()[0]
        return {"refused": f"{type(e).__name__}: {said}"[:120], "spent_us": microseconds() - began}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main():
    key, seconds = sys.argv[1], float(sys.argv[2])
    # output of libraries must not be taken as an answer
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(what):
        print(json.dumps(what), file=out, flush=True)

    # modules of this folder are imported as a package, so the path must not contain the folder itself
    sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    import quaff
    from simplifiers import SYSTEMS

    module, name, _, packages = SYSTEMS[key]
    try:
        versions = {p: quaff.__version__ if p == "quaff" else metadata.version(p) for p in packages}
        kind = getattr(importlib.import_module(f"simplifiers.{module}"), name)
        from simplifiers.lines import Line
        from simplifiers.terms import Refused

        signal.signal(signal.SIGPROF, too_long)
        warm = reply(kind, Line(**WARM), 60, Refused)
    except metadata.PackageNotFoundError as e:
        return say({"missing": f"{e.name} is not installed"})
    except (ImportError, OSError, AttributeError, ValueError) as e:
        return say({"missing": f"does not load: {type(e).__name__}: {e}".splitlines()[0]})
    if "refused" in warm:
        return say({"missing": f"does not work: {warm['refused']}"})
    say({"versions": versions})
    for text in sys.stdin:
        say(reply(kind, Line(**json.loads(text)), seconds, Refused))


if __name__ == "__main__":
    main()
