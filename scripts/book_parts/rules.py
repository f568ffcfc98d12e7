"""Makes the reference of the rules: a page for each file of `rules`, with the text, the cases and the proof of each rule.

The names, places, laws and texts come from the program. The conditions and proofs come from `rules/proofs.json`.
"""

import json
import re
import subprocess

from shared import ROOT, block, code, comment_above, contents, plain

PROOFS = json.loads((ROOT / "rules/proofs.json").read_text())
BECAUSE = re.compile(r'\(because\s+"([^"]*)"\)')
# the results of trying to prove a rule without its guard, with a text for each
WITHOUT = {
    "wrong": "needed: an example is wrong without it", "proved": "not needed for the truth", "open": "not decided",
    "proved-for": "not needed for the truth, for choices of constants", "unasked": "not decided, for no solver was asked"}


HEAD = """# Rules, one by one

The laws of the shipped rules, by the file that has them. [Rules](../rules/README.md) explains their language.
[Trust](../docs/trust.md#rules-for-all-integers) explains the proofs. A condition that is not needed for the truth makes a rule useful.
"""


class Rule:
    """A rule, as `rules list` prints it."""

    def __init__(self, line, program):
        self.name, place, self.law = line.split("\t")
        self.file, number, _ = place.split(":")
        self.line = int(number)
        shown = subprocess.run([program, "rules", "show", self.name], capture_output=True, text=True, check=True).stdout
        self.text = re.sub(r"\A;[^\n]*\n", "", shown).strip()
        self.record = PROOFS["rules"][self.name]


def cases():
    """For each rule: the other rules in its cases, its firings, and the expressions that it refuses."""
    found, case = {}, None
    for line in (ROOT / "tests/data/rules/cases.txt").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if name := re.fullmatch(r"\[(.+)\]", line):
            case = found.setdefault(name[1], {"with": [], "fires": [], "refuses": []})
        elif case is not None and word in case:
            case[word].append(rest)
    return found


def example(case):
    """A firing and a refused expression of a rule."""
    # a firing that changes its expression is the better example
    parts = [re.fullmatch(r"(.*?); *(.*) -> (.*)", text) or re.fullmatch(r"(.*?)() -> (.*)", text) for text in case["fires"]]
    question, ranges, answer = next((part for part in parts if part[1] != part[3]), parts[0]).groups()
    beside = f" With {', '.join(f'`{name}`' for text in case['with'] for name in text.split())} beside it." if case["with"] else ""
    left = [text.partition("; ") for text in case["refuses"][:1]]
    fires = f"{code(question)} becomes {code(answer)}{of(ranges)}.{beside}"
    return [fires] + [f"It does not fire on {code(refused)}{of(where)}." for refused, _, where in left]


def of(ranges):
    """The text with the ranges of a case, which follows its expression."""
    return f", where {', '.join(code(text.strip()) for text in ranges.split(';'))}" if ranges else ""


def proof(record):
    """The text about the proof of a rule, and about the instances that were tried."""
    found = record.get("proof", {"is": "unasked"})
    tried = f"It was tried on {record['instances']} instances, and none was wrong."
    if found["is"] == "proved":
        return f"Proved for all integers by {found['solver']}. {tried}"
    if found["is"] == "proved-for":
        return f"Proved by {found['solver']} for {found['choices']} choices of constants and all values of the variables. {tried}"
    reason = found.get("why", "no solver was asked")
    return f"Not proved: {reason}. {tried}"


def described(rule, lines, case):
    """The section of a rule."""
    comment = comment_above(lines, rule.line - 1, ";")
    because = BECAUSE.search(rule.text)
    good_for = [text for text in (comment, because and " ".join(because[1].split())) if text]
    guards = [f"{code(guard)}: {WITHOUT[found['is']]}." for guard, found in rule.record["guards"].items()]
    parts = [("Conditions", guards or ["None."]), ("Cases", example(case))]
    parts += [("Proof", [proof(rule.record)])] + ([("Good for", map(plain, good_for))] if good_for else [])
    text = [f"## {code(rule.name)}\n", plain(rule.law) + "\n", block(rule.text, "lisp")]
    return "\n".join(text + [f"{title}\n" + "\n".join(f": {line}\n" for line in entries) for title, entries in parts])


def page_of_file(file, rules, all_cases):
    """The page of a file of rules."""
    lines = (ROOT / "rules" / file).read_text().splitlines()
    # the comment lines at the top describe the whole file
    head = next(at for at, line in enumerate(lines) if not line.startswith(";"))
    about = plain(comment_above(lines, head, ";")) + "\n" if not lines[head] else ""
    sections = [described(rule, lines, all_cases[rule.name]) for rule in rules]
    return "\n".join([f"# {file}\n", about, *sections])


def write(folder, program):
    """Writes `rules.md` and the pages below it."""
    listed = subprocess.run([program, "rules", "list"], capture_output=True, text=True, check=True).stdout
    files, all_cases = {}, cases()
    for line in listed.splitlines():
        rule = Rule(line, program)
        files.setdefault(rule.file, []).append(rule)
    (folder / "rules").mkdir(parents=True)
    text = [HEAD]
    names = []
    for file, rules in files.items():
        name = f"rules/{file.removesuffix('.rules')}"
        names.append(name)
        (folder / f"{name}.md").write_text(page_of_file(file, rules, all_cases))
        text.append(f"\n## [{file}]({name}.md)\n\n| rule | law |\n|---|---|")
        text += [f"| [{code(rule.name)}]({name}.md#{rule.name}) | {plain(rule.law)} |" for rule in rules]
    text.append("\n## Laws of the normal forms\n\n| name | law | proof |\n|---|---|---|")
    text += [f"| {code(name)} | {plain(form['law'])} | {form['proof']['is']} |" for name, form in PROOFS["normal-forms"].items()]
    (folder / "rules.md").write_text("\n".join([*text, "", contents(names)]))
