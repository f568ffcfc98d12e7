"""The command line program, as ``python -m quaff``."""

from __future__ import annotations

import signal
import sys

from quaff import _quaff


def main() -> int:
    """Runs the program with the arguments of this process, and returns its exit code."""
    # with this handler, ^C ends the program at once, also within a call of the compiled module
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _quaff.program(["quaff", *sys.argv[1:]], _quaff.__file__)


if __name__ == "__main__":
    sys.exit(main())
