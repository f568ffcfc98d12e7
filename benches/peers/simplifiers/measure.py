"""The interleaved run, in which every system answers every line in turn."""

import dataclasses
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import quaff
from simplifiers.lines import wrong


@dataclasses.dataclass
class Answer:
    """The answer of one system to one line.

    Attributes:
        texts: the answers, or the texts of the line itself if there is no answer.
        cost: the cost of these texts together, as they are written.
        us: the processor time of the call in microseconds.
        convert_us: the processor time of reading and writing. None if it is not known.
        refused: the reason why there is no answer, or None.
        wrong: a point at which a value differs, or None.
        sass: the number of integer instructions.
    """

    line: object
    system: str
    texts: list
    cost: float
    us: float = 0.0
    convert_us: float | None = None
    refused: str | None = None
    wrong: str | None = None
    sass: int | None = None


def judged(line, system, said, known):
    """The answer with its price and the result of comparing its values. `known` has the verdicts on earlier texts for this line."""
    if "texts" not in said:
        return Answer(line, system, line.exprs, line.input_cost, us=said.get("spent_us", 0), refused=said["refused"])
    texts = said["texts"]
    key = tuple(texts)
    if key not in known:
        try:
            known[key] = line.cost(texts), wrong(line, texts), None
        except quaff.Error as e:
            known[key] = line.input_cost, None, f"an answer without a price: {e.message}"
    cost, differs, unpriced = known[key]
    texts = line.exprs if unpriced else texts
    return Answer(line, system, texts, cost, said["us"], said["convert_us"], unpriced, differs)


def run(lines, children, jobs):
    """The answers of all systems to all lines, line by line. At most `jobs` systems run at the same time. The order of the systems rotates
    by one with each line."""
    answers, began, pool = [], time.monotonic(), ThreadPoolExecutor(jobs)
    order = [child.key for child in children]
    for at, line in enumerate(lines):
        known = {}
        turn = at % len(children) if children else 0
        asked = children[turn:] + children[:turn]
        found = [judged(line, child.key, said, known) for child, said in zip(asked, pool.map(lambda c: c.ask(line), asked))]
        answers += sorted(found, key=lambda a: order.index(a.system))
        if sys.stderr.isatty() and (at % 10 == 0 or at + 1 == len(lines)):
            print(f"\r{at + 1} of {len(lines)} lines, {time.monotonic() - began:.0f} s", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty() and lines:
        print(file=sys.stderr)
    return answers
