"""Times the forms of a kernel in turns, and computes medians with quartiles, and ratios within a round. This module itself needs no GPU."""

import math
import statistics
from dataclasses import dataclass, field

ROUNDS = 15
# The least milliseconds of a sample, which determine its number of launches. Events have a resolution of only half a microsecond.
SAMPLE_MS = 2.0
MOST_LAUNCHES = 500


def turns(names, number):
    """The order of the forms in a round. Over all rounds, each form is first equally often, and follows each other form equally often."""
    at = number % len(names)
    order = names[at:] + names[:at]
    return order[::-1] if number // len(names) % 2 else order


def sample(device, name, launches):
    """The milliseconds of one launch."""
    device.mark()
    for _ in range(launches):
        device.launch(name)
    return device.elapsed() / launches


def measure(device, names, rounds=ROUNDS):
    """The times of each form in milliseconds, with one time for each round, and the number of launches of a sample.

    A device has `launch(name)`, `mark()` and `elapsed()`. The latter waits for all launches, and returns the milliseconds since the mark.
    The first launches are not counted, because they load the kernel and fill caches.
    """
    for name in names:
        sample(device, name, 2)
    slowest = max(sample(device, name, 1) for name in names)
    launches = min(MOST_LAUNCHES, max(1, math.ceil(SAMPLE_MS / max(slowest, 1e-4))))
    times = {name: [] for name in names}
    for number in range(rounds):
        for name in turns(names, number):
            times[name].append(sample(device, name, launches))
    return times, launches


def quartiles(values):
    """The lower quartile, the median and the upper quartile."""
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


@dataclass
class Row:
    """The measurements of one kernel. The dicts have an entry for each form of the kernel."""

    kernel: str
    buffers: str
    bytes: int
    times: dict = field(default_factory=dict)
    launches: int = 0
    # the number of machine instructions in the text, and of those that compute on integers
    static: dict = field(default_factory=dict)
    # the number of executed instructions of all warps, and of executed integer instructions of all threads
    executed: dict = field(default_factory=dict)

    def ratio(self, form, other):
        """The quartiles of the time of `form` divided by the time of `other` in the same round."""
        return quartiles([a / b for a, b in zip(self.times[form], self.times[other])])

    def json(self):
        return dict(vars(self))


def size(count):
    """The bytes with a suitable unit."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _spread(values, scale=1.0, digits=1):
    low, middle, high = (f"{v * scale:.{digits}f}" for v in values)
    return f"{middle} ({low}–{high})"


def _line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def _head(cells, left):
    return [_line(cells), "|" + "---|" * left + "--:|" * (len(cells) - left)]


def times_table(rows, forms):
    """A table of the microseconds of each form, and of the ratios of quaff's time to the other times. `forms` maps names to titles."""
    others = [f for f in forms if f != "quaff"]
    head = ["kernel", "buffers", "bytes", *(f"{title}, us" for title in forms.values())]
    lines = _head([*head, *(f"quaff / {forms[f]}" for f in others if f != "prepared")], 2)
    for row in rows:
        cells = [_spread(quartiles(row.times[f]), 1e3) if f in row.times else "absent" for f in forms]
        ratios = [_spread(row.ratio("quaff", f), 1, 3) if f in row.times else "" for f in others if f != "prepared"]
        lines.append(_line([row.kernel, row.buffers, size(row.bytes), *cells, *ratios]))
    return "\n".join(lines)


def counts_table(rows, forms, missing):
    """A table of machine instructions: in the text, and executed, or the reason why the latter are missing."""
    head = ["kernel", *(f"{title}: of the text" for title in forms.values()), *(f"{title}: executed" for title in forms.values())]
    lines, seen = _head(head, 1), set()
    for row in rows:
        # the counts do not depend on the buffers
        if row.kernel in seen:
            continue
        seen.add(row.kernel)
        static = ["{}, {}".format(*row.static[f]) if f in row.static else "absent" for f in forms]
        executed = ["{:,}, {:,}".format(*row.executed[f]) if f in row.executed else "" for f in forms]
        lines.append(_line([row.kernel, *static, *executed]))
    note = "Executed: instructions of warps, and integer instructions of threads."
    if missing:
        note = f"Executed instructions are not available: {missing}."
    return "\n".join(["Of the text: all instructions, and those that compute on integers. " + note, "", *lines])
