"""Corpora, and sweeps over them on a Dask cluster. One test kills a worker of the cluster."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import quaff
from quaff.corpus import Corpus

# some of these expressions need at least one round, or the rule `mod-recovery`
KINDS = [
    "(i*{m} + j)//{m}*64 + (i*{m} + j)%{m} + (i//3*3 + i%3)//{n}",
    "(i*13 + {n})%14 < 1",
    "((j%16) + 16*i + {n}*16)%16",
    "11*(i//22%60) + 660*(2*(i//11%120)%4) + 2640*(i//1320) + i%11 + {n}",
]
LINES = [
    {"id": f"case-{n}", "vars": {"i": [0, [99, 12, 1, 5279][n % 4]], "j": [0, n]}, "expr": KINDS[n % 4].format(n=n + 1, m=n + 4)}
    for n in range(96)
]
# lines that are not questions, and one question without an answer
WRONG = [
    "{",
    '{"expr": "i"} 3',
    '{"vars": {}, "expr": "i +"}',
    '{"vars": {"i": [0]}, "expr": "i"}',
    '{"vars": {"i": [0, 3]}, "expr": "i", "gate": "i < 2"}',
    '{"vars": {"i": [0, 3]}, "exprs": ["i"]}',
    '{"vars": {"i": [0, 3], "i": [0, 9]}, "expr": "i"}',
    '{"vars": {"i": [0, 3.5]}, "expr": "i"}',
    "[]",
]
REFUSED = '{"vars": {"i": [0, 3]}, "expr": "i//i"}'


def written(lines, *more) -> bytes:
    return "\n".join([*(json.dumps(one) for one in lines), *more]).encode() + b"\n"


def test_lines_of_a_corpus_are_read_or_told_of():
    corpus = Corpus.parse("mine", b"\xef\xbb\xbf" + written(LINES[:3], "", *WRONG, REFUSED))
    assert [c.id for c in corpus.cases] == ["case-0", "case-1", "case-2", "14"]
    assert [line for line, _ in corpus.bad] == list(range(5, 5 + len(WRONG)))
    assert "`gate` is not supported" in corpus.bad[4][1]
    expr, domain = corpus.cases[2].question()
    assert (str(expr), domain.bounds("j")) == (str(quaff.Expr(LINES[2]["expr"])), (0, 2))
    assert corpus.cases[2].shown() == (LINES[2]["expr"], "i=0..1, j=0..2")


def test_fields_of_a_line_reach_the_domain():
    line = {
        "vars": {"i": [0, 999], "n": [1, 64], "k": [0, None], "m": [0, 7]},
        "symbolic": {"i": "n - 1"},
        "step": {"k": [4, 1]},
        "uniform": ["n"],
        "loop": ["i", "m"],
        "assume": ["k < 9"],
        "defined": True,
        "expr": "i",
    }
    (case,) = Corpus.parse("one", written([line])).cases
    _, domain = case.question()
    said = quaff.Domain(
        {"i": (0, "n - 1"), "n": (1, 64), "k": (0, None), "m": (0, 7)},
        step={"k": (4, 1)},
        uniform="n",
        loop=[["i"], ["m"]],
        assume="k < 9",
        defined=True,
    )
    assert domain == said
    assert case.shown()[1] == "i=0..n - 1, n=1..64, k=0.., m=0..7"
    undeclared = Corpus.parse("x", written([{**line, "symbolic": {"zz": "n"}}]))
    assert undeclared.cases == [] and undeclared.bad == [(1, "the variable `zz` has no range in the field `vars`")]


def test_folders_and_missing_files(tmp_path):
    (tmp_path / "b.jsonl").write_bytes(written(LINES[:2]))
    (tmp_path / "a.jsonl").write_bytes(written(LINES[:1]))
    assert [c.name for c in Corpus.load(tmp_path)] == ["a", "b"]
    (tmp_path / "none").mkdir()
    with pytest.raises(FileNotFoundError):
        Corpus.load(tmp_path / "none")


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: sweeps need `quaff[sweep]`")
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with local, distributed.Client(local) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


LIMITS = [{"rounds": 0}, {"rounds": 2}, {"nodes": 5}, {"work": 100}]


def variants():
    from quaff.sweep import Variant

    return [Variant(str(limit), limit) for limit in LIMITS]


def by_hand(limit):
    s = quaff.Simplifier(**limit)
    answers = [s.simplify(line["expr"], {n: tuple(r) for n, r in line["vars"].items()}) for line in LINES]
    return [(str(a.expr), round(a.cost * 10), a.nodes) for a in answers]


def test_a_worker_that_is_killed_costs_nothing(cluster, tmp_path):
    from quaff.sweep import UNITS, sweep

    corpus = tmp_path / "lines.jsonl"
    corpus.write_bytes(written(LINES, REFUSED))
    pids = list(cluster.run(os.getpid).values())
    assert len(pids) == 2
    killed = []

    def progress(done, total):
        if not killed and done >= 4:
            assert done < total
            os.kill(pids[0], signal.SIGKILL)
            killed.append(done)

    out = tmp_path / "out"
    report = sweep([corpus], variants(), output=out, client=cluster, unit=2, progress=progress)
    assert killed
    # the worker is dead, and another worker has replaced it
    cluster.wait_for_workers(2, timeout=60)
    assert pids[0] not in cluster.run(os.getpid).values()

    # the file and the report have every result exactly once
    stored = [json.loads(line) for line in (out / UNITS).read_bytes().splitlines()]
    places = [(u["variant"], u["corpus"], u["first"] + n) for u in stored for n in range(len(u["answers"]))]
    assert sorted(places) == sorted((v, "lines", n) for v in ["base", *map(str, LIMITS)] for n in range(97))
    assert len({u["key"] for u in stored}) == len(stored) == report.computed == 5 * 49

    # the results equal the results of a loop without workers
    for name, limit in [("base", {}), *((str(x), x) for x in LIMITS)]:
        answers = [a for variant, _, _, a in report.answers if variant == name]
        assert answers[-1]["why"].startswith("the divisor `i` can be 0")
        assert [(a["text"], a["cost"], a["nodes"]) for a in answers[:-1]] == by_hand(limit)
    assert report.refused == [{"corpus": "lines", "line": 97, "why": answers[-1]["why"]}]
    assert report.base.cases == 96 and report.rows[0].costlier > 0

    # a repeated sweep runs no unit, and an additional limit runs only its own units
    again = sweep([corpus], variants(), output=out, client=cluster, unit=2)
    assert again.computed == 0 and again.json() == report.json()
    from quaff.sweep import Variant

    more = sweep([corpus], [*variants(), Variant("more", {"rounds": 3})], output=out, client=cluster, unit=2)
    assert more.computed == 49 and more.rows[:4] == report.rows


def test_a_sweep_that_was_stopped_goes_on(cluster, tmp_path):
    from quaff.sweep import UNITS, sweep

    class Stopped(Exception):
        pass

    def progress(done, _total):
        if done == 3:
            raise Stopped

    corpus = Corpus.parse("lines", written(LINES))
    with pytest.raises(Stopped):
        sweep([corpus], variants(), output=tmp_path, client=cluster, unit=8, progress=progress)
    # the file is as a program leaves it that was killed while it was writing
    with open(tmp_path / UNITS, "ab") as f:
        f.write(b'{"key": "half a li')
    assert len((tmp_path / UNITS).read_bytes().splitlines()) == 4
    report = sweep([corpus], variants(), output=tmp_path, client=cluster, unit=8)
    assert report.computed == 5 * 12 - 3
    assert report.json()["rows"] == sweep([corpus], variants(), output=tmp_path, client=cluster, unit=8).json()["rows"]


def test_a_scheduler_is_found_by_its_address(cluster):
    from quaff.sweep import sweep

    corpus = Corpus.parse("lines", written(LINES[:10]))
    told = []
    report = sweep([corpus], variants(), scheduler=cluster.scheduler.address, unit=3, progress=lambda *at: told.append(at))
    assert told == [(n, 20) for n in range(1, 21)] and report.base.cases == 10
    # the client is closed, but the cluster still works
    assert cluster.submit(len, "abc").result() == 3


def test_reports_have_the_columns_of_the_program(cluster, tmp_path):
    from quaff.sweep import Variant, sweep

    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.rules").write_text('(rule mine "a multiple of 7" (match (// (* 7 ?x) 7)) (yield ?x))\n')
    own = [Variant("own", {"rules": str(tmp_path / "rules")}), Variant("without", {"leave_out": ["mod-recovery"]})]
    corpus = Corpus.parse("lines", written(LINES[:40], WRONG[0]))
    report = sweep([corpus], own, output=tmp_path, client=cluster, format="parquet")
    assert report.bad[0]["line"] == 41 and report.rows[0].rules == 1
    rows = list(csv.DictReader(open(tmp_path / "summary.csv")))
    assert [(r["variant"], r["corpus"]) for r in rows] == [(v, c) for v in ("base", "own", "without") for c in ("lines", "all")]
    changed = list(csv.DictReader(open(tmp_path / "changed.csv")))
    assert len(changed) == sum(r.changed for r in report.rows) == len(report.json()["changed"]) > 0
    for one in changed:
        assert float(one["difference"]) == pytest.approx(float(one["cost_after"]) - float(one["cost_before"]))
    assert json.loads((tmp_path / "report.json").read_text()) == report.json()
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: `format='parquet'` needs it")
    table = parquet.read_table(tmp_path / "answers.parquet").to_pylist()
    assert len(table) == 120 and sum(r["cost"] for r in table if r["variant"] == "own") == report.rows[0].cost
    assert report.table().splitlines()[-1] == "40 cases"


def program():
    """The path of the program ``quaff``, if it is built."""
    root = Path(__file__).resolve().parents[2]
    built = [root / "target" / profile / "quaff" for profile in ("dist", "release", "debug")]
    named = os.environ.get("QUAFF_PROGRAM") or shutil.which("quaff")
    return named or next((str(b) for b in built if b.exists()), None)


@pytest.mark.skipif(program() is None, reason="the program `quaff` is not built: `cargo build --release`, or name it in QUAFF_PROGRAM")
def test_the_report_is_that_of_the_program(cluster, tmp_path):
    from quaff.sweep import Variant, sweep

    corpus = tmp_path / "lines.jsonl"
    corpus.write_bytes(written(LINES[:30]))
    ours = sweep([corpus], [Variant("without mod-recovery", {"leave_out": ["mod-recovery"]})], client=cluster).json()
    told = subprocess.run([program(), "rules", "ablate", corpus, "--without", "mod-recovery", "--json"], capture_output=True, text=True)
    theirs = json.loads(told.stdout)
    # the program also counts the e-nodes and the work of all searches. A sweep counts e-nodes of passes, and times
    counted = ("variant", "corpus", "rules", "cases", "cost", "divisions", "changed", "cheaper", "costlier")
    for part in ("base", "rows", "by_corpus"):
        rows = [one[part] if part != "base" else [one[part]] for one in (ours, theirs)]
        own, other = ([{name: row[name] for name in counted} for row in of] for of in rows)
        assert own == other
    for one in (ours, theirs):
        one["changed"].sort(key=lambda c: c["line"])
        for answer in (case[side] for case in one["changed"] for side in ("before", "after")):
            answer.pop("nodes", None)
            answer.pop("work", None)
    assert ours["changed"] == theirs["changed"]
    assert (ours["bad"], ours["refused"]) == (theirs["bad"], theirs["refused"])


def test_wrong_requests_are_refused(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed: sweeps need `quaff[sweep]`")
    from quaff.sweep import Variant, sweep

    corpus = Corpus.parse("lines", written(LINES[:2]))
    with pytest.raises(ValueError, match="more than one variant"):
        sweep([corpus], [Variant("a"), Variant("a")])
    with pytest.raises(ValueError, match="more than one corpus"):
        sweep([corpus, corpus], [])
    with pytest.raises(ValueError, match="jsonl or parquet"):
        sweep([corpus], [], format="xml")
    with pytest.raises(ValueError, match="no rule"):
        sweep([corpus], [Variant("a", {"leave_out": ["nowhere"]})])
    (tmp_path / "units.jsonl").write_text('{"mine": 1}\n')
    with pytest.raises(ValueError, match="no result of a sweep"):
        sweep([corpus], [], output=tmp_path)
    assert (tmp_path / "units.jsonl").read_text() == '{"mine": 1}\n'


def test_the_program_of_the_module(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed: sweeps need `quaff[sweep]`")
    corpus = tmp_path / "lines.jsonl"
    corpus.write_bytes(written(LINES[:20]))
    command = [sys.executable, "-m", "quaff.sweep"]
    told = subprocess.run([*command, "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and "--scheduler" in told.stdout
    out = tmp_path / "out"
    told = subprocess.run([*command, corpus, "--rounds", "1,2", "--workers", "1", "-o", out], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert [line.split()[0] for line in told.stdout.splitlines()[1:4]] == ["base", "rounds=1", "rounds=2"]
    assert {"units.jsonl", "summary.csv", "changed.csv", "report.json", "answers.jsonl"} <= {f.name for f in out.iterdir()}
