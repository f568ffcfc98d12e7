"""Runs all forms of the kernels on the processor, and compares their outputs. It needs a C++ compiler."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from cases import ROOT, Buffer

MAIN = """
#include "device.hpp"
#include <string>

// A pattern of small integers: sums of them are exact.
static std::vector<float> pattern(long long n) {
  std::vector<float> values(n);
  for (long long i = 0; i < n; ++i) values[i] = (float)((unsigned)((unsigned long long)i * 2654435761u >> 7) % 17u) - 8;
  return values;
}

static int wrong = 0;
static std::vector<std::vector<float>> first;

// Compares the outputs with those of the first form, and whether anything was written at all.
static void compare(const char* kernel, const char* form, bool is_first, std::vector<std::vector<float>> outputs) {
  long long written = 0;
  for (auto& output : outputs)
    for (float value : output) written += value != -77777.0f;
  if (is_first) first = outputs;
  bool equal = written > 0;
  for (size_t i = 0; i < outputs.size(); ++i)
    equal &= memcmp(outputs[i].data(), first[i].data(), outputs[i].size() * sizeof(float)) == 0;
  wrong += !equal;
  printf("%s, %s: %lld elements written, %s\\n", kernel, form, written, equal ? "equal" : "DIFFERENT");
}
"""


def _call(case, label, form, is_first):
    """The block of C++ that runs one form."""
    lines, arguments = ["{"], []
    for a in case.arguments:
        if not isinstance(a, Buffer):
            arguments.append(str(a))
            continue
        count = a.elements * a.copies
        lines.append(f"std::vector<float> {a.name}" + (f"({count}, -77777.0f);" if a.is_output else f" = pattern({count});"))
        arguments.append(f"{a.name}.data()")
        arguments += [f"{a.step}"] if a.takes_step else []
    arguments += [f"{form.symbol}_text::quaff_divisor({d})" for d in form.divisors]
    grid, block = (f"dim3({', '.join(map(str, dims))})" for dims in (case.grid, case.block))
    outputs = ", ".join(a.name for a in case.arrays if a.is_output)
    lines.append(f"launch({grid}, {block}, [&] {{ {form.symbol}_text::{form.symbol}({', '.join(arguments)}); }});")
    lines.append(f'compare("{case.name}, buffers: {case.buffers}", "{label}", {str(is_first).lower()}, {{{outputs}}});')
    return "\n".join([*lines, "}"])


def text_of(cases):
    """The C++ program that runs all forms of all cases."""
    parts, calls, seen = [MAIN], [], set()
    for case in cases:
        for label, form in case.forms.items():
            if form.symbol not in seen:
                seen.add(form.symbol)
                own = form.text.replace('extern "C" ', "")
                parts.append(f"#undef QUAFF_DIVISOR\nnamespace {form.symbol}_text {{\n{own}\n}}")
            calls.append(_call(case, label, form, label == next(iter(case.forms))))
    return "\n".join([*parts, "int main() {", *calls, "return wrong != 0;", "}"])


def compare(cases):
    """Whether all forms write equal values. None if there is no compiler."""
    compiler = os.environ.get("CXX") or next(filter(shutil.which, ("c++", "g++", "clang++")), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "kernels.cpp"), Path(folder, "kernels")
        source.write_text(text_of(cases))
        flags = ["-std=c++17", "-O1", "-w", f"-I{ROOT / 'tests' / 'support'}"]
        subprocess.run([compiler, *flags, source, "-o", program], check=True)
        return subprocess.run([program]).returncode == 0
