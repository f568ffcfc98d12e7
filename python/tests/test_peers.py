"""`benches/peers/run`: the answers, costs and values of systems, systems that are not installed, and lines that cannot be read."""

import csv
import json
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

import quaff

PEERS = Path(__file__).resolve().parents[2] / "benches" / "peers"
SIZES = range(3, 23)
sys.path.append(str(PEERS))

from simplifiers.children import Child  # noqa: E402
from simplifiers.lines import Line, wrong  # noqa: E402
from simplifiers.report import counted  # noqa: E402
from simplifiers.measure import judged  # noqa: E402


def question(k):
    return {"id": f"q{k}", "vars": {"i": [0, 99], "j": [0, k - 1]}, "expr": f"(i*{k} + j)//{k}*64 + (i*{k} + j)%{k}"}


def line(**facts):
    return Line.parse("test", 1, json.dumps(facts))


def run(*arguments):
    # on a busy machine, a line may take long
    patient = ["--timeout", "60", *map(str, arguments)]
    return subprocess.run([sys.executable, PEERS / "run", *patient], capture_output=True, text=True)


def test_answers_cost_what_is_known_and_no_value_differs(tmp_path):
    corpus = tmp_path / "digits.jsonl"
    corpus.write_text("".join(json.dumps(question(k)) + "\n" for k in SIZES))
    systems = ["quaff", "quaff-python", "quaff-together", "tinygrad", "halide"]
    found = run(corpus, "--systems", ",".join(systems), "--quaff", tmp_path / "none", "-o", tmp_path / "out")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "| quaff, together | not installed: no program" in found.stdout
    for title, package, module in [("tinygrad", "tinygrad", "tinygrad"), ("Halide", "halide", "halide")]:
        version = "not installed" if find_spec(module) is None else metadata.version(package)
        assert f"| {title} | {version} |" in found.stdout
    rows = [json.loads(row) for row in (tmp_path / "out" / "answers.jsonl").read_text().splitlines()]
    with open(tmp_path / "out" / "answers.csv", newline="") as f:
        assert len(list(csv.DictReader(f))) == len(rows)
    assert (tmp_path / "out" / "tables.md").read_text() == found.stdout
    for system in ("quaff", "quaff-python"):
        own = [row for row in rows if row["system"] == system]
        # a multiplication and an addition are one instruction
        assert [(row["answers"], row["cost"], row["wrong"], row["refused"]) for row in own] == [(["i*64 + j"], 1, None, None)] * len(SIZES)
        assert [row["input_cost"] for row in own] == [quaff.simplify(q["expr"], q["vars"]).input_cost for q in map(question, SIZES)]
        assert all(row["us"] > 0 for row in own)
    assert not any(row["wrong"] for row in rows)
    if find_spec("tinygrad"):
        assert [row["cost"] for row in rows if row["system"] == "tinygrad"] == [1] * len(SIZES)


def test_a_wrong_answer_is_found_and_counts_as_the_input():
    asked = line(vars={"i": [0, 1 << 40], "j": [0, 3]}, expr="(i*4 + j)//4")
    assert wrong(asked, ["i"]) is None
    assert wrong(asked, ["i + j//3"]) == "1 and not 0 at i=0, j=3"
    answer = judged(asked, "tvm", {"texts": ["i + j//3"], "us": 1, "convert_us": 1}, {})
    assert answer.wrong and counted(answer, 2.0) == 2.0


def test_points_lie_in_the_domain():
    asked = line(vars={"n": [1, 32], "i": [0, "n - 1"]}, step={"n": [4, 0]}, assume=["i >= 2"], expr="i%n")
    points = list(asked.points)
    assert len(points) == sum(n - 2 for n in range(4, 33, 4))
    assert all(p["n"] % 4 == 0 and 2 <= p["i"] < p["n"] for p in points)
    large = line(vars={"n": [1, 1 << 20], "i": [0, "n - 1"]}, expr="i%n")
    points = list(large.points)
    assert len(points) > 100 and all(0 <= p["i"] < p["n"] <= 1 << 20 for p in points)
    assert {"n": 1, "i": 0} in points and {"n": 1 << 20, "i": (1 << 20) - 1} in points


def test_a_system_that_ends_costs_one_line():
    asked, child = Line.parse("test", 1, json.dumps(question(5))), Child("quaff", 60)
    try:
        assert child.ask(asked)["texts"] == ["i*64 + j"]
        child.process.kill()
        assert child.ask(asked)["refused"] == "crash: signal 9"
        assert child.ask(asked)["texts"] == ["i*64 + j"] and child.spoiled == 1
    finally:
        child.end()


def test_what_cannot_be_asked_is_said_with_its_place(tmp_path):
    corpus = tmp_path / "broken.jsonl"
    texts = [json.dumps(question(4)), '{"vars": {"i": [0, 3]}, "expr": "i +"}', "{", '{"vars": {}, "expr": "k"}', '{"n": 3}']
    corpus.write_text("\n".join(texts))
    found = run(corpus, "--systems", "quaff")
    assert found.returncode == 1 and "| quaff, apart | " + quaff.__version__ + " | 1 | 0 | 0 |" in found.stdout
    said = found.stderr.splitlines()
    assert [s.removeprefix(f"{corpus}:").split(":")[0] for s in said] == ["2", "3", "4"]
    assert "the variable `k` has no range" in said[2]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["shapes.jsonl"], "no line has an expression"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file or directory"),
        (["shapes.jsonl", "--systems", "quaff,nobody"], "there is no system `nobody`"),
        (["shapes.jsonl", "--limit", "0"], "0 is no number of lines above 0"),
        (["digits.jsonl", "-o", "digits.jsonl"], "digits.jsonl: File exists"),
    ],
)
def test_absurd_arguments_are_refused_at_once(tmp_path, arguments, why):
    (tmp_path / "shapes.jsonl").write_text('{"shape": [2, 3]}\n')
    (tmp_path / "digits.jsonl").write_text(json.dumps(question(4)))
    found = run(*[tmp_path / a if a.endswith(".jsonl") else a for a in arguments])
    assert found.returncode == 2 and why in found.stderr and "Traceback" not in found.stderr
