"""Runs TVM's own tests of its analysis. Each question of the tests goes to TVM and to `quaff.tvm`.

    python benches/peers/tvm_tests.py CHECKOUT/tests/python/arith [--show MEMBER]

Nothing of TVM is copied, because the test files are run in their place. Classes and functions that ask both systems replace those of TVM.
"""

import argparse
import collections
import contextlib
import functools
import inspect
import itertools
import operator
import pathlib
import random
import sys
import types

import pytest
import tvm
from tvm import ir, sym, tirx

import quaff
import quaff.tvm
from quaff import Expr
from table import Counts, compared

FILES = (
    "analyzer_object", "canonical_simplify", "const_int_bound", "deduce_bound", "detect_clip_bound", "detect_linear_equation", "intset",
    "iter_affine_map", "modular_set", "rewrite_simplify", "simplify",
)
counts = Counts()
shown = collections.defaultdict(list)
scales = quaff.Simplifier(rounds=0)
rng = random.Random(5)


def say(member, verdict, *what):
    counts.add(member, verdict)
    if verdict in ("below", "refused", "wrong"):
        shown[member].append(f"{verdict}: " + "   |   ".join(str(w) for w in what))


def price(expr, domain):
    """The cost of an expression as it is written, and its size."""
    try:
        return scales.simplify(expr, domain).input_cost, expr.tree_size
    except quaff.Error:
        return float("inf"), expr.tree_size


def points(domain, names, count=40):
    """Random points of a domain with small numbers. The list may be empty."""
    found = []
    everything = functools.reduce(operator.add, [Expr.var(n) for n in domain.vars], Expr(0))
    for size in itertools.islice(itertools.cycle([3, 12, 40, 200]), count * 6):
        at = {}
        for name in domain.vars:
            lower, upper = domain.bounds(name)
            lower, upper = -(10**9) if lower is None else lower, 10**9 if upper is None else upper
            at[name] = min(max(rng.choice([rng.randint(-size, size), lower, upper] if upper - lower < 99 else [rng.randint(-size, size)]), lower), upper)
        with contextlib.suppress(quaff.Error):
            # raises an error if the point violates a range or a condition
            quaff.bounds(everything, domain.extended(at))
            if all(a.eval(at) for a in domain.assumptions):
                found.append({name: at[name] for name in names})
        if len(found) >= count:
            break
    return found


def value(expr, at):
    """The value of an expression at a point. None if it has no value, for example because a divisor is 0."""
    try:
        return expr.eval(at)
    except (quaff.Error, ZeroDivisionError):
        return None


def difference(a, b, domain):
    """A point where `a` has a value, and `b` has another value or none. None if no such point is found."""
    names = {*a.variables, *b.variables}
    for at in points(domain, names):
        wanted = value(a, at)
        if wanted is not None and value(b, at) != wanted:
            return at
    return None


def tried(own, *args):
    """The answer of quaff, or the reason why there is none."""
    try:
        return own(*args), None
    except (quaff.Error, NotImplementedError) as e:
        return None, str(e).splitlines()[0]


def answers(value):
    return value.asobject() if isinstance(value, (tirx.expr.EqualOp, tirx.expr.NotEqualOp)) else value


class Analyzer:
    """An analyzer that asks both TVM and quaff."""

    def __init__(self):
        self.theirs, self.ours, self.refuses = sym.Analyzer(), quaff.tvm.Analyzer(), None

    def _simplified(self, member, expr, *steps):
        expr = answers(expr)
        found = getattr(self.theirs, member)(expr, *steps)
        self._compare_forms("simplify", expr, found, lambda: getattr(self.ours, member)(expr, *steps))
        return found

    def _compare_forms(self, member, expr, found, ask):
        own, why = tried(ask)
        if why or self.refuses:
            return say(member, "refused", expr, why or self.refuses)
        try:
            read = [Expr(self.ours._read(answers(e))) for e in (expr, found, own)]
        except quaff.Error as e:
            return say(member, "refused", expr, e)
        domain = self.ours.domain
        at = difference(read[0], read[2], domain)
        if at is not None:
            return say(member, "wrong", expr, own, at)
        verdict = "equal" if read[1] == read[2] else compared(price(read[1], domain)[0], price(read[2], domain)[0])
        if verdict == "below" and difference(read[0], read[1], domain) is not None:
            # TVM's answer is wrong at some point
            verdict = "above"
        say(member, verdict, expr, f"TVM {found}", f"quaff {own}", domain.assumptions)

    def simplify(self, expr, steps=2):
        return self._simplified("simplify", expr, steps)

    def rewrite_simplify(self, expr):
        return self._simplified("rewrite_simplify", expr)

    def canonical_simplify(self, expr):
        return self._simplified("canonical_simplify", expr)

    def _proved(self, member, theirs, ours, question, truth):
        own, why = tried(ours)
        if why or self.refuses:
            say(member, "refused", question, why or self.refuses)
        elif own and not truth():
            say(member, "wrong", question)
        else:
            say(member, compared(bool(own), bool(theirs)), question, self.ours.domain.assumptions)
        return theirs

    def can_prove(self, expr, *strength):
        expr = answers(expr)
        return self._proved("can_prove", self.theirs.can_prove(expr, *strength), lambda: self.ours.can_prove(expr), expr, lambda: self._holds(expr))

    def _holds(self, expr):
        read = Expr(self.ours._read(expr))
        return difference(read, Expr(1), self.ours.domain) is None

    def can_prove_equal(self, a, b):
        a, b = answers(a), answers(b)

        def truth():
            return difference(Expr(self.ours._read(a)), Expr(self.ours._read(b)), self.ours.domain) is None

        found = self.theirs.can_prove_equal(a, b)
        return self._proved("can_prove_equal", found, lambda: self.ours.can_prove_equal(a, b), f"{a} == {b}", truth)

    def const_int_bound(self, expr):
        found = self.theirs.const_int_bound(expr)
        own, why = tried(self.ours.const_int_bound, expr)
        if why or self.refuses:
            say("const_int_bound", "refused", expr, why or self.refuses)
            return found
        ends = [compared(own.min_value, found.min_value), compared(found.max_value, own.max_value)]
        verdict = "below" if "below" in ends else "above" if "above" in ends else "equal"
        all_ = self._values(expr)
        if not all(own.min_value <= value <= own.max_value for value in all_):
            verdict = "wrong"
        elif not all(found.min_value <= value <= found.max_value for value in all_):
            # TVM's answer is wrong at some point
            verdict = "above"
        say("const_int_bound", verdict, expr, found, own, self.ours.domain)
        return found

    def _values(self, expr):
        """The values of an expression at points."""
        read = Expr(self.ours._read(expr))
        found = (value(read, at) for at in points(self.ours.domain, read.variables))
        return [v for v in found if v is not None]

    def modular_set(self, expr):
        found = self.theirs.modular_set(expr)
        own, why = tried(self.ours.modular_set, expr)
        infinite = 1 << 62
        if why or self.refuses:
            say("modular_set", "refused", expr, why or self.refuses)
        else:
            verdict, all_ = compared(own.coeff or infinite, found.coeff or infinite), self._values(expr)
            if any(not within(own, value) for value in all_):
                verdict = "wrong"
            elif any(not within(found, value) for value in all_):
                # TVM's answer is wrong at some point
                verdict = "above"
            say("modular_set", verdict, expr, found, own, self.ours.domain)
        return found

    def try_compare(self, *args, **named):
        found = self.theirs.try_compare(*args, **named)
        own, why = tried(lambda: self.ours.try_compare(*args, **named))
        is_less = own == sym.CompareResult.UNKNOWN and found != own
        say("try_compare", "refused" if why else "below" if is_less else "equal" if own == found else "above", args, found, own)
        return found

    def int_set(self, expr, dom_map=None):
        found = self.theirs.int_set(expr, dom_map)
        own, why = tried(self.ours.int_set, expr, dom_map)
        compare_sets("int_set", self.ours, expr, found, own, why or self.refuses)
        return found

    def _told(self, member, *args, **named):
        getattr(self.theirs, member)(*args, **named)
        try:
            getattr(self.ours, member)(*args, **named)
        except (quaff.Error, ValueError) as e:
            self.refuses = str(e)

    def bind(self, *args, **named):
        self._told("bind", *args, **named)

    def update(self, *args, **named):
        self._told("update", *args, **named)

    @contextlib.contextmanager
    def constraint_scope(self, condition):
        before = self.refuses
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.theirs.constraint_scope(condition))
            try:
                stack.enter_context(self.ours.constraint_scope(condition))
            except quaff.Error as e:
                self.refuses = str(e).splitlines()[0]
            yield
        self.refuses = before

    def clone(self):
        other = Analyzer()
        other.theirs, other.ours, other.refuses = self.theirs.clone(), self.ours.clone(), self.refuses
        return other

    @property
    def enabled_extensions(self):
        return self.theirs.enabled_extensions

    @enabled_extensions.setter
    def enabled_extensions(self, value):
        self.theirs.enabled_extensions = self.ours.enabled_extensions = value

    def set_maximum_rewrite_steps(self, maximum):
        # only TVM gets this limit, because the two systems count different steps
        self.theirs.set_maximum_rewrite_steps(maximum)

    def __getattr__(self, name):
        return getattr(self.theirs, name)


def within(modular, value):
    return (value - modular.base) % modular.coeff == 0 if modular.coeff else value == modular.base


def compare_sets(member, analyzer, question, found, own, why):
    """Two intervals of one question."""
    if why:
        return say(member, "refused", question, why)
    if found is None or own is None:
        return say(member, compared(own is not None, found is not None), question, found, own)
    if own.is_nothing() or found.is_nothing():
        return say(member, "equal" if own.is_nothing() and found.is_nothing() else compared(found.is_nothing(), own.is_nothing()), question, found, own)
    verdicts = []
    for end, sign, infinite in (("min_value", 1, sym.int_set.neg_inf()), ("max_value", -1, sym.int_set.pos_inf())):
        a, b = getattr(own, end), getattr(found, end)
        if a.same_as(infinite) or b.same_as(infinite):
            verdicts.append(compared(not a.same_as(infinite), not b.same_as(infinite)))
            continue
        how = analyzer.try_compare(a, b)
        names = sym.CompareResult
        tighter = {names.EQ: "equal", names.GE: "above", names.GT: "above", names.LE: "below", names.LT: "below"}
        looser = {"equal": "equal", "above": "below", "below": "above"}
        verdict = tighter.get(how, "unlike")
        verdicts.append(verdict if sign > 0 else looser.get(verdict, "unlike"))
    verdict = next((v for v in ("below", "unlike", "above") if v in verdicts), "equal")
    say(member, "equal" if verdict == "unlike" else verdict, question, found, own)


def _own_analyzer(analyzer):
    return (analyzer.theirs, analyzer.ours) if isinstance(analyzer, Analyzer) else (analyzer, analyzer)


def both(member, judge):
    theirs, ours = getattr(sym, member), getattr(quaff.tvm, member)

    def asked(*args, **named):
        bound = inspect.signature(theirs).bind(*args, **named).arguments
        other = dict(bound)
        if bound.get("analyzer") is not None:
            bound["analyzer"], other["analyzer"] = _own_analyzer(bound["analyzer"])
        found = theirs(**bound)
        own, why = tried(lambda: ours(**other))
        judge(member, other, found, own, why)
        return found

    return asked


def found_or_not(member, asked, found, own, why):
    def has(answer):
        return bool(len(answer.indices) if hasattr(answer, "indices") else len(answer))

    question = {k: v for k, v in asked.items() if k != "analyzer"}
    if why:
        return say(member, "refused", question, why)
    say(member, compared(has(own), has(found)), question, getattr(own, "errors", ""))


def a_form(member, asked, found, own, why):
    analyzer = Analyzer()
    pairs = [(found, own)] if not isinstance(own, list) else list(zip(found, own))
    if why:
        return say(member, "refused", asked, why)
    for theirs, ours in pairs:
        own_forms = [Expr(analyzer.ours._read(answers(e))) for e in (theirs, ours)]
        costs = [price(e, analyzer.ours.domain)[0] for e in own_forms]
        say(member, "equal" if own_forms[0] == own_forms[1] else compared(*costs), theirs, ours)


def of_iter_map(member, asked, found, own, why):
    """Compares simplified indices under the ranges and the predicate of the question. Variables in extents are sizes, which are at least
    1."""
    if why:
        return [say("simplify", "refused", e, why) for e in asked["indices"]]
    analyzer = Analyzer()
    if asked.get("analyzer") is not None:
        analyzer.ours = asked["analyzer"].clone()
    known = [asked.get("predicate", True)]
    for var, range_ in asked["input_iters"].items():
        known += [size >= 1 for size in tirx.analysis.undefined_vars(range_.extent)]
        analyzer.ours.bind(var, range_)
    with contextlib.ExitStack() as scopes:
        for condition in known:
            scopes.enter_context(analyzer.ours.constraint_scope(condition))
        for index, theirs, ours in zip(asked["indices"], found, own):
            analyzer._compare_forms("simplify", answers(index), theirs, lambda own=ours: own)


def one_set(member, asked, found, own, why):
    compare_sets(member, quaff.tvm.Analyzer(), asked, found, own, why)


def sets(member, asked, found, own, why):
    if why or found is None or own is None:
        if why or found is not own:
            return say(member, "refused" if why else compared(own is not None, found is not None), asked, found, own, why)
        return say(member, "equal")
    for theirs, ours in zip(found, own):
        compare_sets(member, quaff.tvm.Analyzer(), asked, theirs, ours, None)


def inverse(member, asked, found, own, why):
    say(member, "refused" if why else compared(len(own), len(found)), asked["outputs"], why)


JUDGES = {
    "detect_iter_map": found_or_not, "subspace_divide": found_or_not, "detect_linear_equation": found_or_not, "detect_clip_bound": found_or_not,
    "normalize_to_iter_sum": None, "normalize_iter_map_to_expr": a_form, "iter_map_simplify": of_iter_map, "deduce_bound": one_set,
    "estimate_region_lower_bound": sets, "estimate_region_strict_bound": sets, "estimate_region_upper_bound": sets,
    "inverse_affine_iter_map": inverse,
}


def normalized(member, asked, found, own, why):
    if why:
        return say(member, "refused", asked, why)
    inputs = {v.name for v in asked["input_iters"]}

    def left(sum_):
        return len([v for v in Expr(quaff.tvm.Analyzer()._read(sum_.base)).variables if v in inputs])

    say(member, compared(left(found), left(own)), asked, found.base, own.base)


JUDGES["normalize_to_iter_sum"] = normalized


original = tirx.call_intrin


def intrinsic(dtype, name, *args, **named):
    try:
        return original(dtype, name, *args, **named)
    except AttributeError:
        consts = [tirx.const(a, dtype) if isinstance(a, int) else a for a in args]
        return getattr(tirx, name.rpartition(".")[2])(*consts)


def install():
    """Replaces `tvm.arith`, which the tests use, by a module that asks both systems."""
    module = types.ModuleType("tvm.arith")
    module.__dict__.update({k: v for k, v in vars(sym).items() if not k.startswith("__")})
    module.Analyzer = Analyzer
    for member, judge in JUDGES.items():
        setattr(module, member, both(member, judge))
    analyzer = types.ModuleType("tvm.arith.analyzer")
    analyzer.__dict__.update({k: v for k, v in vars(sym.analyzer).items() if not k.startswith("__")})
    analyzer.Analyzer = Analyzer
    module.analyzer, tvm.arith = analyzer, module
    # some operations have other names in these tests
    tirx.call_intrin = tirx.op.call_intrin = intrinsic
    sys.modules.update({"tvm.arith": module, "tvm.arith.analyzer": analyzer, "tvm.arith.int_set": sym.int_set})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--show", nargs="*", default=[], help="members whose weaker answers are printed")
    args = parser.parse_args()
    install()
    files = [str(args.folder / f"test_arith_{name}.py") for name in FILES]
    pytest.main([*files, "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line", "-W", "ignore", "-o", "addopts="])
    print(counts.table())
    for member in args.show:
        print(f"\n{member}", *shown[member], sep="\n  ")
    return 0 if counts.are_sound() else 1


if __name__ == "__main__":
    sys.exit(main())
