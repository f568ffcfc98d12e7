"""Runs a system in a separate process."""

import json
import pathlib
import select
import subprocess
import sys
import time

from simplifiers import SYSTEMS
from simplifiers.lines import dumped

WORKER = pathlib.Path(__file__).with_name("worker.py")
# Workers limit their processor time. If a worker has no answer after this multiple of the limit on the clock, its call cannot be
# interrupted.
PATIENCE = 4
# The most seconds that libraries may take to load.
STARTS = 300


class Child:
    """The process of a system. It is restarted if it ends or hangs.

    Attributes:
        versions: the versions of its packages.
        missing: the reason why the system cannot be used, or None.
        spoiled: the number of lines that ended the process.
    """

    def __init__(self, key, seconds):
        self.key, self.seconds, self.spoiled = key, seconds, 0
        self.versions, self.missing, self.is_ready = {}, None, False
        self.title = SYSTEMS[key][2]
        self.launch()

    def launch(self):
        command = [sys.executable, str(WORKER), self.key, str(self.seconds)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.is_ready, self.rest = False, b""

    def said(self, seconds):
        """The next object that the process prints. None if the process ends, and False if it is late."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                return False
            more = self.process.stdout.read1(1 << 16)
            if not more:
                return None
            self.rest += more
        text, self.rest = self.rest.split(b"\n", 1)
        return json.loads(text)

    def wait(self):
        """Waits until the process is ready. Returns whether it is."""
        if not self.is_ready and not self.missing:
            first = self.said(STARTS)
            if not first:
                self.missing = "does not load: " + ("it takes too long" if first is False else "its process ends")
                self.end()
            elif "missing" in first:
                self.missing = first["missing"]
                self.end()
            else:
                self.versions, self.is_ready = first["versions"], True
        return self.is_ready

    def ask(self, line):
        """The system's answer to a line, or the reason why there is none."""
        if not self.wait():
            return {"refused": self.missing}
        try:
            self.process.stdin.write(dumped(line).encode() + b"\n")
            self.process.stdin.flush()
            answer = self.said(PATIENCE * self.seconds)
        except BrokenPipeError:
            answer = None
        if answer:
            return answer
        self.end()
        self.spoiled += 1
        code = self.process.returncode
        self.launch()
        if answer is False:
            return {"refused": f"no answer in {self.seconds:g} s", "spent_us": self.seconds * 1e6}
        return {"refused": f"crash: signal {-code}" if code < 0 else f"crash: exit code {code}"}

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(0.5)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()
