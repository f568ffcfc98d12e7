"""Reads the numbers of executed instructions from Nsight Compute. It needs `ncu` on the path, and a driver that lets this user read
counters."""

import csv
import shutil
import subprocess

# the instructions of warps, and the integer instructions of threads whose predicate holds
METRICS = ("smsp__inst_executed.sum", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum")


def parsed(text):
    """The metrics of the first launch of each kernel, from the CSV output of `ncu`."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return {}
    found, launches = {}, {}
    for row in csv.DictReader(lines[start:]):
        kernel = row["Kernel Name"].split("(")[0]
        if launches.setdefault(kernel, row["ID"]) == row["ID"]:
            found.setdefault(kernel, {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return {k: tuple(round(of[m]) for m in METRICS) for k, of in found.items() if all(m in of for m in METRICS)}


def reason(text):
    """The line in which `ncu` says why it has no counters."""
    lines = [line.removeprefix("==ERROR==").strip() for line in text.splitlines() if line.startswith("==ERROR==")]
    return lines[0].rstrip(".") if lines else "ncu printed no counters"


def executed(command, seconds=120):
    """The counters of each kernel that `command` launches, and the reason why there are none, or None."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return {}, "`ncu` of Nsight Compute is not on the path"
    call = [ncu, "--csv", "--target-processes", "all", "--metrics", ",".join(METRICS), *command]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {}, f"`ncu` took more than {seconds} s"
    found = parsed(done.stdout)
    return found, None if found else reason(done.stdout + done.stderr)
