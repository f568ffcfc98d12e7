"""The adapters of quaff: separate calls for expressions, the batch program, and calls from text to text in Python."""

import json
import os
import subprocess

import quaff
from quaff.corpus import _domain
from simplifiers.terms import Refused, System

_simplifier = quaff.Simplifier()


class Apart(System):
    """A call for each expression. The expression and the domain are made before the call."""

    def read(self, text):
        return quaff.Expr(text), self.line.domain

    def simplify(self, terms):
        return _simplifier.simplify(*terms)

    def write(self, answer):
        return str(answer.expr)


class ThroughPython(System):
    """A call that takes a text and a dict, and returns a text."""

    def __init__(self, ranges, line):
        super().__init__(ranges, line)
        self.facts = line.facts

    def read(self, text):
        return text

    def simplify(self, text):
        return str(_simplifier.simplify(text, _domain(self.facts)).expr)

    def write(self, text):
        return text


class Together(System):
    """`quaff batch`, which simplifies all expressions of a line together. It reports the time itself."""

    _program = None

    def together(self):
        """The answers to all expressions of the line, and the microseconds of the call."""
        program = self._started()
        try:
            program.stdin.write(json.dumps(self.line.record()) + "\n")
            program.stdin.flush()
            said = program.stdout.readline()
        except BaseException:
            # a late answer must not be taken as the answer to the next line
            self._ended()
            raise
        if not said:
            self._ended()
            raise RuntimeError("the program ended")
        answer = json.loads(said)
        if not answer["ok"]:
            raise Refused(str(answer.get("code") or answer.get("error")))
        texts = [answer["out"]] if "out" in answer else answer["outs"]
        return texts, answer["us"]

    @classmethod
    def _started(cls):
        if cls._program is None:
            command = [os.environ["QUAFF_PROGRAM"], "batch", "-", "-j", "1"]
            cls._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
        return cls._program

    @classmethod
    def _ended(cls):
        cls._program.kill()
        cls._program = None
