"""`benches/gpu`: the order of forms, statistics, tables and counters, with a simulated device. Also the message without a GPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

GPU = Path(__file__).resolve().parents[2] / "benches" / "gpu"
sys.path.append(str(GPU))

import counters  # noqa: E402
import timing  # noqa: E402

FORMS = ["written", "source", "quaff"]


class Clock:
    """A simulated device. The time of a launch is given for each form, and the first launches take longer."""

    def __init__(self, takes, slower=0.0):
        self.takes, self.slower = takes, slower
        self.now, self.since, self.order = 0.0, 0.0, []

    def launch(self, name):
        first = self.order.count(name) < 2
        self.order.append(name)
        # the clock rate of the card changes during the run
        self.now += (self.takes[name] + 10 * first) * (1 + self.slower * len(self.order))

    def mark(self):
        self.since = self.now

    def elapsed(self):
        return self.now - self.since


def test_each_form_comes_first_and_follows_each_other_equally_often():
    rounds = [timing.turns(FORMS, n) for n in range(2 * len(FORMS))]
    assert all(sorted(r) == sorted(FORMS) for r in rounds)
    for at in range(len(FORMS)):
        assert sorted(r[at] for r in rounds) == sorted(FORMS * 2)
    after = [pair for r in rounds for pair in zip(r, r[1:])]
    assert {after.count((a, b)) for a in FORMS for b in FORMS if a != b} == {2}


def test_times_are_those_of_a_launch_and_warm_up_is_not_counted():
    times, launches = timing.measure(Clock({"written": 0.5, "source": 0.25, "quaff": 0.125}), FORMS, rounds=4)
    # the launches of the slowest form take two milliseconds
    assert launches == 4
    assert {name: [round(t, 9) for t in of] for name, of in times.items()} == {"written": [0.5] * 4, "source": [0.25] * 4, "quaff": [0.125] * 4}
    assert timing.measure(Clock({"quaff": 0.0}), ["quaff"], rounds=2)[1] == timing.MOST_LAUNCHES
    assert timing.measure(Clock({"quaff": 50.0}), ["quaff"], rounds=2)[1] == 1


def test_forms_take_turns_within_a_round():
    clock = Clock({"written": 1.0, "source": 1.0, "quaff": 1.0})
    timing.measure(clock, FORMS, rounds=6)
    # after the warm-up and one more launch of each form for the count, each round launches each form twice
    counted = clock.order[3 * len(FORMS) :]
    assert [counted[i : i + 6 : 2] for i in range(0, len(counted), 6)] == [timing.turns(FORMS, n) for n in range(6)]
    assert counted[0::2] == counted[1::2]


def test_ratios_are_within_a_round_so_that_a_slower_clock_does_not_change_them():
    # in this run, the last launch takes ten times as long as the first one
    times, _ = timing.measure(Clock({"written": 1.0, "quaff": 0.5}, slower=0.05), ["written", "quaff"], rounds=20)
    assert max(times["written"]) > 2 * min(times["written"])
    low, middle, high = timing.Row("k", "own", 1, times).ratio("quaff", "written")
    assert 0.47 < low <= middle <= high < 0.53


def test_quartiles_are_those_of_the_values():
    assert timing.quartiles([4.0, 1.0, 3.0, 2.0, 5.0]) == (2.0, 3.0, 4.0)
    assert timing.quartiles([1.0, 2.0]) == (1.25, 1.5, 1.75)


TITLES = {"written": "as written", "source": "source system", "quaff": "quaff"}


def test_the_tables_say_what_is_absent_and_what_is_not_available():
    static = {"written": (90, 70), "quaff": (40, 20)}
    times = {"written": [0.002, 0.002, 0.004], "quaff": [0.001, 0.001, 0.001]}
    rows = [timing.Row("roll", "own", 3 << 20, times, 9, static), timing.Row("roll", "shared", 2048, times, 9, static)]
    table = timing.times_table(rows, TITLES).splitlines()
    assert table[0] == "| kernel | buffers | bytes | as written, us | source system, us | quaff, us | quaff / as written | quaff / source system |"
    assert table[2] == "| roll | own | 3 MiB | 2.0 (2.0–3.0) | absent | 1.0 (1.0–1.0) | 0.500 (0.375–0.500) |  |"
    assert "| roll | shared | 2 KiB |" in table[3]
    assert {line.count("|") for line in table} == {9}
    counts = timing.counts_table(rows, TITLES, "no permission")
    assert "Executed instructions are not available: no permission." in counts
    # a kernel has one row, although it is measured with several sets of buffers
    assert counts.splitlines()[-1] == "| roll | 90, 70 | absent | 40, 20 |  |  |  |" and counts.count("| roll |") == 1
    rows[0].executed = {"quaff": (1234567, 89)}
    assert "| 1,234,567, 89 |" in timing.counts_table(rows, TITLES, None)


RECORDED = """\
==PROF== Connected to process 4711 (python3)
==PROF== Profiling "roll__quaff" - 0: 0%....50%....100% - 1 pass
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4711","python3","127.0.0.1","roll__quaff(float *, long long)","1","7","(64, 1, 4)","(14, 1, 9)","0","9.0","Command line profiler metrics","smsp__inst_executed.sum","inst","1,234,567"
"0","4711","python3","127.0.0.1","roll__quaff(float *, long long)","1","7","(64, 1, 4)","(14, 1, 9)","0","9.0","Command line profiler metrics","smsp__sass_thread_inst_executed_op_integer_pred_on.sum","inst","890"
"1","4711","python3","127.0.0.1","roll__quaff(float *, long long)","1","7","(64, 1, 4)","(14, 1, 9)","0","9.0","Command line profiler metrics","smsp__inst_executed.sum","inst","1"
"2","4711","python3","127.0.0.1","other","1","7","(64, 1, 4)","(14, 1, 9)","0","9.0","Command line profiler metrics","smsp__inst_executed.sum","inst","5"
"""


def test_counters_are_read_from_what_nsight_compute_prints():
    # only the first launch of a kernel counts, and a kernel without one of the metrics is left out
    assert counters.parsed(RECORDED) == {"roll__quaff": (1234567, 890)}
    refused = "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters.\n"
    assert counters.parsed(refused) == {}
    assert counters.reason(refused).startswith("ERR_NVGPUCTRPERM - The user does not have permission")
    assert counters.reason("") == "ncu printed no counters"


@pytest.mark.parametrize("options", [[], ["--only", "im2col"]])
def test_without_a_gpu_the_command_says_so_and_ends(options):
    # this hides all devices, even if there is a GPU
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run([sys.executable, GPU / "run", *options], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no GPU: nothing is measured, because the ")


def test_divisors_of_the_host_divide():
    import cases

    for d in (1, 2, 3, 7, 64, 100, 641, 65537, (1 << 31) - 1):
        made = cases.Divisor(d)
        assert made.d == d
        for x in (0, 1, d - 1, d, d + 1, 12345678, (1 << 31) - 1):
            # the formula of `operator/` of `quaff_divisor`, in 32 bits
            assert ((x * made.m >> 32) + x) % (1 << 32) >> made.s == x // d, (x, d)


def test_loops_of_accesses_open_and_close_around_them():
    import cases

    line = {
        "vars": {"t": [0, 63], "i": [0, 2], "j": [0, 4]},
        "accesses": [
            {"expr": "t*3 + i", "buf": "a", "loops": ["i"]},
            {"expr": "t//5 + j", "gate": "t + j < 60", "buf": "b", "loops": ["i", "j"], "expected": "j + t//5"},
            {"expr": "t", "gate": "t < 60", "buf": "out", "kind": "store", "loops": []},
        ],
    }
    assert cases.as_nested_loops(line, "expr", "gate", False).splitlines() == [
        "for (int i = 0; i < 3; ++i) {",
        "const float v0 = a[((t*3)+i)];",
        "value += v0;",
        "for (int j = 0; j < 5; ++j) {",
        "const float v1 = ((t+j)<60) ? b[((t/5)+j)] : 0;",
        "value += v1;",
        "}",
        "}",
        "if ((t<60)) out[t] = value;",
    ]
    assert "b[(j+" in cases.as_nested_loops(line, "expected", "expected_gate", True)
    assert cases.extents(line) == {"a": 192, "b": 32, "out": 64}
