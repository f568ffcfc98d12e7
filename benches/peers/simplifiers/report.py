"""Writes tables in Markdown, files with a row for each answer, and a picture."""

import collections
import csv
import json
import statistics

from simplifiers import SYSTEMS

HEAD = ["system", "version", "answers", "refused", "wrong", "cost", "of input", "cheapest", "median us", "p99 us", "total s", "conversion, median us"]
NOTE = """\
Cost is quaff's model of a GPU, of the texts as they are written. A line that a system refuses, and one whose answer is wrong, counts at the
cost of the input. Cheapest: lines on which no other system's answer costs less. Times are processor time of the call; that of `quaff batch`
is the time on the clock that it states itself. Total has the time of refused lines, too."""


def counted(answer, input_cost):
    """The cost that an answer counts with: the cost of the input, if the answer is missing or wrong."""
    return input_cost if answer.refused or answer.wrong else answer.cost


def summary(answers, with_sass):
    """The figures of each system by its key, and the cost of all inputs."""
    by_line = collections.defaultdict(dict)
    for a in answers:
        by_line[a.line.corpus, a.line.number][a.system] = a
    inputs = {key: next(iter(of.values())).line for key, of in by_line.items()}
    costs = {key: line.input_cost for key, line in inputs.items()}
    least = {key: min([costs[key], *[counted(a, costs[key]) for a in of.values()]]) for key, of in by_line.items()}
    out = {}
    for system in dict.fromkeys(a.system for a in answers):
        own = {key: of[system] for key, of in by_line.items()}
        good = [a for a in own.values() if not a.refused]
        out[system] = {
            "answers": len(good),
            "refused": len(own) - len(good),
            "wrong": sum(a.wrong is not None for a in good),
            "cost": sum(counted(a, costs[key]) for key, a in own.items()),
            "cheapest": sum(counted(a, costs[key]) <= least[key] + 1e-9 for key, a in own.items()),
            "us": sorted(a.us for a in good),
            "total_s": sum(a.us for a in own.values()) / 1e6,
            "convert": [a.convert_us for a in good if a.convert_us is not None],
            "sass": sum(a.sass for a in own.values() if a.sass is not None) if with_sass else None,
        }
    return out, sum(costs.values())


def table(answers, children, sass_of_input=None):
    """The rows of all systems, including systems that are not installed."""
    found, input_cost = summary(answers, sass_of_input is not None)
    head = HEAD[:7] + (["SASS"] if sass_of_input is not None else []) + HEAD[7:]
    rows = [["input", "", "", "", "", f"{input_cost:.0f}", "1.000", *([str(sass_of_input)] if sass_of_input is not None else []), "", "", "", "", ""]]
    for child in children:
        if child.missing:
            rows.append([child.title, f"not installed: {child.missing}" if "is not installed" not in child.missing else "not installed"])
            rows[-1] += [""] * (len(head) - 2)
            continue
        r = found[child.key]
        us = [f"{statistics.median(r['us']):.0f}", f"{r['us'][int(0.99 * (len(r['us']) - 1))]:.0f}"] if r["us"] else ["", ""]
        convert = f"{statistics.median(r['convert']):.0f}" if r["convert"] else ""
        counts = [str(r[k]) for k in ("answers", "refused", "wrong")]
        sass = [str(r["sass"])] if sass_of_input is not None else []
        share = f"{r['cost'] / input_cost:.3f}" if input_cost else ""
        version = ", ".join(child.versions.values())
        rows.append([child.title, version, *counts, f"{r['cost']:.0f}", share, *sass, str(r["cheapest"]), *us, f"{r['total_s']:.2f}", convert])
    return markdown(head, rows)


def markdown(head, rows):
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *escaped])


def reasons(answers):
    """The reasons of refusals, with the number of lines for each reason."""
    counts = collections.Counter((SYSTEMS[a.system][2], a.refused) for a in answers if a.refused)
    order = [title for _, _, title, _ in SYSTEMS.values()]
    rows = [[system, why, str(n)] for (system, why), n in sorted(counts.items(), key=lambda x: (order.index(x[0][0]), -x[1], x[0][1]))]
    return markdown(["system", "why a line is refused", "lines"], rows) if rows else "No line is refused."


def differences(answers):
    rows = [[SYSTEMS[a.system][2], f"{a.line.corpus}:{a.line.number}", a.wrong] for a in answers if a.wrong]
    return markdown(["system", "line", "value"], rows) if rows else "No value differs."


def write(folder, answers, text):
    """Writes `tables.md`, and `answers.jsonl` and `answers.csv` with a row for each answer."""
    folder.joinpath("tables.md").write_text(text + "\n", encoding="utf-8")
    rows = []
    for a in answers:
        own = {"corpus": a.line.corpus, "line": a.line.number, "id": a.line.id, "system": a.system}
        own |= {"input_cost": a.line.input_cost, "cost": a.cost, "sass": a.sass, "us": round(a.us, 3)}
        own |= {"convert_us": a.convert_us and round(a.convert_us, 3), "refused": a.refused, "wrong": a.wrong}
        rows.append(own | {"answers": None if a.refused else a.texts})
    with folder.joinpath("answers.jsonl").open("w", encoding="utf-8") as f:
        f.writelines(json.dumps(row) + "\n" for row in rows)
    with folder.joinpath("answers.csv").open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows({**row, "answers": "; ".join(row["answers"] or [])} for row in rows)


def placed(points, pixels):
    """The points of the picture, each with the height of its label above its dot. At this height, the label covers no other label and no
    dot."""
    taken = [(x - 4, x + 4, y) for x, y in (pixels(p[1:]) for p in points)]
    for title, us, share in sorted(points, key=lambda p: p[1:]):
        x, y = pixels((us, share))
        left, right = x + 8, x + 12 + 8 * len(title)
        # the figure has 100 pixels an inch, and an inch has 72 points
        shift = next(s for s in sorted(range(-90, 91, 3), key=abs) if not any(a < right and left < b and abs(y + s / 0.72 - h) < 17 for a, b, h in taken))
        taken.append((left, right, y + shift / 0.72))
        yield title, us, share, shift


def picture(folder, answers):
    """Draws the cost against the time, with a dot for each system, as `systems.svg` and `systems.pdf`. Raises ImportError without
    matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # this gray is readable on white and on black. The fixed salt makes equal files in each run
    gray = "#7a7a7a"
    matplotlib.rcParams.update({"svg.hashsalt": "quaff", "svg.fonttype": "none", "font.size": 11})
    found, input_cost = summary(answers, False)
    points = [(SYSTEMS[k][2], statistics.median(r["us"]), r["cost"] / input_cost) for k, r in found.items() if r["us"] and input_cost]
    figure, axes = plt.subplots(figsize=(7.5, 4.5))
    colors = {title: "#1f9e89" if title.startswith("quaff") else "#d9782d" for title, _, _ in points}
    for title, us, share in points:
        axes.plot(us, share, "o", color=colors[title], markersize=7)
    axes.axhline(1, color=gray, linewidth=0.8, linestyle="--")
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 4)
    axes.margins(y=0.15)
    for title, us, share, shift in placed(points, axes.transData.transform):
        axes.annotate(title, (us, share), (8, shift), textcoords="offset points", color=colors[title], va="center", fontsize=10)
    axes.set_xlabel("median microseconds of a call", color=gray)
    axes.set_ylabel("cost of all answers, of the input", color=gray)
    axes.tick_params(colors=gray, which="both")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(gray)
    figure.tight_layout()
    figure.savefig(folder / "systems.svg", transparent=True, metadata={"Date": None})
    figure.savefig(folder / "systems.pdf", transparent=True, metadata={"CreationDate": None})
    plt.close(figure)
