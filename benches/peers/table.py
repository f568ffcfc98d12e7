"""Counts the verdicts of comparisons, and prints them as a table."""

import collections
import random

VERDICTS = ("equal", "above", "below", "refused", "wrong")


class Counts:
    """The number of verdicts of each kind, for each question."""

    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)

    def add(self, question, verdict):
        self.rows[question][verdict] += 1

    def table(self):
        lines = ["| question | asked | " + " | ".join(VERDICTS) + " |", "|---" * (len(VERDICTS) + 2) + "|"]
        for question, row in self.rows.items():
            lines.append(f"| {question} | {row.total()} | " + " | ".join(str(row[v]) for v in VERDICTS) + " |")
        return "\n".join(lines)

    def are_sound(self):
        return not any(row["wrong"] for row in self.rows.values())


def compared(own, other):
    """The verdict "above" if `own` is greater than `other`, "below" if it is less, and "equal" otherwise."""
    return "equal" if own == other else "above" if own > other else "below"


def expression(rng, names, depth=3):
    """A random index, as nested tuples `(operator, left, right)`, names and numbers."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, rng.choice([1, 2, 4, 7, 8, 16])])
    operator = rng.choice("++-*//%%")
    left = expression(rng, names, depth - 1)
    if operator in "*/%":
        return ("//" if operator == "/" else operator, left, rng.choice([2, 3, 4, 8, 16]))
    return (operator, left, expression(rng, names, depth - 1))


def text(e):
    """The expression in the language of quaff."""
    return f"({text(e[1])} {e[0]} {text(e[2])})" if isinstance(e, tuple) else str(e)


def built(e, leaf, operations):
    """The expression, built with the operations of a peer."""
    if not isinstance(e, tuple):
        return leaf(e)
    return operations[e[0]](built(e[1], leaf, operations), built(e[2], leaf, operations))


def generator(seed):
    return random.Random(seed)
