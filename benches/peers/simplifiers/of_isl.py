"""The adapter of isl. It builds a piecewise quasi-affine expression, and reads the expression of isl's code generator."""

import islpy as isl
import quaff
from simplifiers.terms import Refused, System

OPS = isl.ast_expr_op_type
# The operators of isl. `zdiv_r` is only compared with 0, for which the kind of remainder does not matter. `div` is exact.
WRITTEN = {
    OPS.and_: "and", OPS.and_then: "and", OPS.or_: "or", OPS.or_else: "or", OPS.max: "max", OPS.min: "min", OPS.minus: "neg",
    OPS.add: "add", OPS.sub: "sub", OPS.mul: "mul", OPS.div: "floordiv", OPS.fdiv_q: "floordiv", OPS.pdiv_q: "floordiv",
    OPS.pdiv_r: "mod", OPS.zdiv_r: "mod", OPS.cond: "select", OPS.select: "select", OPS.eq: "eq", OPS.le: "le", OPS.lt: "lt",
    OPS.ge: "ge", OPS.gt: "gt",
}  # fmt: skip


class Isl(System):
    """isl. Numerators become piecewise while the expression is built, so the time of a call includes the building."""

    def __init__(self, ranges, line):
        super().__init__(ranges, line)
        box = " and ".join(f"{lower} <= {own} <= {upper}" for own, (lower, upper) in zip(self.names, ranges.values())) or "true"
        self.domain = isl.Set(f"[{', '.join(self.names)}] -> {{ : {box} }}")
        self.build, self.everywhere = isl.AstBuild.from_context(self.domain), isl.Set.universe(self.domain.space)
        self.zero = isl.PwAff.zero_on_domain(self.domain.space)
        self.operations = {
            "add": isl.PwAff.add, "sub": isl.PwAff.sub, "neg": isl.PwAff.neg, "mul": self.product, "floordiv": self.quotient,
            "mod": self.remainder, "min": isl.PwAff.min, "max": isl.PwAff.max,
            "select": lambda c, a, b: c.cond(a, b),
            "lt": lambda a, b: self.number(a.lt_set(b)), "le": lambda a, b: self.number(a.le_set(b)),
            "gt": lambda a, b: self.number(a.gt_set(b)), "ge": lambda a, b: self.number(a.ge_set(b)),
            "eq": lambda a, b: self.number(a.eq_set(b)), "ne": lambda a, b: self.number(a.ne_set(b)),
            "and": lambda a, b: self.number(a.non_zero_set().intersect(b.non_zero_set())),
            "or": lambda a, b: self.number(a.non_zero_set().union(b.non_zero_set())),
            "not": lambda a: self.number(a.zero_set()),
        }  # fmt: skip

    def number(self, points):
        return points.indicator_function()

    def constant(self, x):
        """The value of a constant expression. None for any other expression."""
        return int(x.max_val().to_str()) if x.n_piece() == 1 and x.is_cst() else None

    def divisor(self, x):
        c = self.constant(x)
        if c is None:
            raise Refused("a divisor that is no constant")
        return c

    def product(self, a, b):
        if self.constant(a) is None and self.constant(b) is None:
            raise Refused("a product of variables")
        return a.mul(b)

    def quotient(self, a, b):
        c = self.divisor(b)
        a = a if c > 0 else a.neg()
        return a.scale_down_val(isl.Val(abs(c))).floor()

    def remainder(self, a, b):
        return a.sub(self.quotient(a, b).scale_val(isl.Val(self.divisor(b)))) if self.divisor(b) < 0 else a.mod_val(isl.Val(self.divisor(b)))

    def variable(self, name):
        return isl.PwAff.param_on_domain_id(self.everywhere, isl.Id(self.own_name(name)))

    def read(self, text):
        return quaff.Expr(text)

    def simplify(self, expr):
        whole = self.built(expr, lambda c: self.zero.add_constant_val(isl.Val(c)), self.variable, self.operations)
        return self.build.expr_from_pw_aff(whole.intersect_params(self.domain).coalesce().gist_params(self.domain))

    def write(self, answer):
        return self.given(self.expr(answer))

    def expr(self, e):
        kind = e.get_type()
        if kind == isl.ast_expr_type.int:
            return quaff.Expr(int(e.get_val().to_str()))
        if kind == isl.ast_expr_type.id:
            return quaff.Expr.var(e.get_id().get_name())
        name = WRITTEN.get(e.op_get_type())
        if name is None:
            raise Refused(f"an answer with `{e.to_C_str()}`")
        first, *more = [self.expr(e.op_get_arg(i)) for i in range(e.op_get_n_arg())]
        if name == "neg":
            return -first
        if name == "select":
            return first.select(*more)
        for x in more:
            first = quaff.Expr.make(name, first, x)
        return first
