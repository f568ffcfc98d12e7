"""What an ``Analyzer`` knows: facts outside of all scopes, facts of scopes, and answers that are remembered.

Facts are held as a sequence. A thread keeps ``Facts`` with a level for each fact of a scope, and brings them up to date at a question.
Each sequence has a number, and an answer is remembered under the number of the sequence that it was given for.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Hashable, Iterable
from contextvars import ContextVar
from typing import Any

from quaff._quaff import Domain, Facts, Simplifier


class Scope:
    """A ``with`` statement of one analyzer: its facts hold until it ends."""

    def __init__(self, analyzer: object):
        # weakly: a thread remembers scopes, and must not keep their analyzer
        self.analyzer = weakref.ref(analyzer)
        self.has_ended = False


class Fact:
    """What is said, as the keywords of ``Domain.extended``.

    Args:
        said: the keywords.
        scope: until whose end it holds; None where it always holds.
        about: the variable and the kind of fact, where ``bind`` or ``update`` said it.
        replaces: whether facts before it that are about the same hold no longer.
    """

    def __init__(
        self, said: dict[str, Any], scope: Scope | None = None, about: tuple[str, str] | None = None, replaces: bool = False
    ):
        self.scope = scope
        self.about = about
        self.replaces = replaces
        self.said = said
        self.key = _key(said)
        self._last: tuple[Domain, Domain] | None = None

    def added_to(self, outer: Domain) -> Domain:
        """``outer`` with this fact. The last answer is kept: most questions in a scope are about one domain."""
        last = self._last
        if last is None or last[0] is not outer:
            self._last = last = outer, outer.extended(**self.said)
        return last[1]

    def alone(self) -> Domain:
        """This fact as a domain."""
        return Domain(**self.said)


def _key(said: Any) -> Hashable:
    """``said`` as something that is equal where what is said is equal."""
    if isinstance(said, dict):
        return tuple((name, _key(value)) for name, value in said.items())
    return tuple(_key(part) for part in said) if isinstance(said, (list, tuple)) else said


def that_hold(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """``facts`` without those that a later one replaces."""
    held: list[Fact] = []
    for fact in facts:
        if fact.replaces:
            held = [h for h in held if h.about is None or h.about != fact.about]
        held.append(fact)
    return tuple(held)


class Outside:
    """What is known outside of all scopes; it never changes, and an analyzer that learns more has another one."""

    def __init__(self, given: Domain, facts: tuple[Fact, ...] = ()):
        self.given = given
        self.facts = facts
        self.domain = given
        for fact in facts:
            self.domain = fact.added_to(self.domain)

    def plus(self, fact: Fact) -> Outside:
        """This and ``fact``."""
        return Outside(self.given, that_hold((*self.facts, fact)))


class Answers:
    """Answers that are remembered for each sequence of facts. Threads share it.

    A sequence has one number while it is remembered, and no other sequence has this number ever. Where more than ``limit`` answers
    would be held, all are forgotten.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._answers: dict[tuple[int, str, Hashable], Any] = {}
        self._next = itertools.count(1)

    def number(self, before: int, fact: Fact) -> int:
        """The number of the sequence ``before`` with ``fact`` behind it; 0 is the empty one."""
        key = before, fact.key
        found = self._numbers.get(key)
        return self._numbers.setdefault(key, next(self._next)) if found is None else found

    def remembered(self, number: int, kind: str, question: Hashable, ask: Callable[[], Any]) -> Any:
        """The answer to a question, by ``ask`` where it is not remembered. An answer is never None."""
        key = number, kind, question
        answer = self._answers.get(key)
        if answer is None:
            answer = ask()
            if len(self._answers) + len(self._numbers) >= self.limit:
                # two steps: a number that another thread looks up in between is one that it already has
                self._answers, self._numbers = {}, {}
            self._answers[key] = answer
        return answer


class Known:
    """What is known in one analyzer, as it was at the last question of one thread."""

    def __init__(self, analyzer: object, answers: Answers, outside: Outside, simplifier: Simplifier):
        self.analyzer = weakref.ref(analyzer)
        self.answers = answers
        self.outside = Outside(outside.given)
        self.facts: Facts = simplifier.facts(outside.given)
        self.within: tuple[Fact, ...] = ()
        self._numbers = [0]

    def continues(self, outside: Outside) -> bool:
        """Whether ``outside`` is what was known and more."""
        old = self.outside
        return old is outside or (old.given is outside.given and old.facts == outside.facts[: len(old.facts)])

    def update(self, outside: Outside, within: tuple[Fact, ...]) -> None:
        """Brings the facts up to date. Levels that still hold are kept."""
        kept = 0
        if outside is self.outside:
            while kept < min(len(within), len(self.within)) and within[kept] is self.within[kept]:
                kept += 1
        for _ in self.within[kept:]:
            self.facts.pop()
            self._numbers.pop()
        self.within = self.within[:kept]
        number = self._numbers[0]
        for fact in outside.facts[len(self.outside.facts) :]:
            self.facts.add(fact.alone())
            number = self.answers.number(number, fact)
        self.outside, self._numbers[0] = outside, number
        for fact in within[kept:]:
            self.facts.push()
            try:
                self.facts.add(fact.alone())
            except BaseException:
                self.facts.pop()
                raise
            self._numbers.append(self.answers.number(self._numbers[-1], fact))
            self.within += (fact,)

    def remembered(self, kind: str, question: Any, ask: Callable[[], Any]) -> Any:
        """The answer to a question about what is known now."""
        return self.answers.remembered(self._numbers[-1], kind, question, ask)


class _Own(threading.local):
    """What the current thread knows, by the `id` of the analyzer. ``Facts`` end in the thread that made them, so that no analyzer holds them."""

    def __init__(self) -> None:
        self.known: dict[int, Known] = {}


_own = _Own()

# The facts of the scopes around the current thread or task, those of inner scopes last. The tuple is never changed, so that a scope of one
# thread or task is seen by no other, and scopes may end in any order. There is one variable for all analyzers: a variable of each would
# live as long as the contexts that it was set in.
_around: ContextVar[tuple[Fact, ...]] = ContextVar("quaff.analyzer.facts", default=())


def facts_around(analyzer: object) -> list[Fact]:
    """The facts of the scopes of ``analyzer`` that the current thread or task is in."""
    return [f for f in _around.get() if f.scope is not None and f.scope.analyzer() is analyzer and not f.scope.has_ended]


def say(fact: Fact) -> None:
    """Adds a fact of a scope, in the current thread or task."""
    _around.set((*_around.get(), fact))


def end(scope: Scope) -> None:
    """Ends a scope, also for contexts that were copied within it."""
    scope.has_ended = True
    _around.set(tuple(f for f in _around.get() if f.scope is None or not f.scope.has_ended))


def known_to(analyzer: object, answers: Answers, outside: Outside, simplifier: Simplifier) -> Known:
    """What is known in ``analyzer`` to the current thread or task."""
    own, within = _own.known, tuple(facts_around(analyzer))
    for ended in [key for key, known in own.items() if known.analyzer() is None]:
        del own[ended]
    if any(fact.replaces for fact in within):
        # what is replaced within a scope holds again behind it
        held = that_hold((*outside.facts, *within))
        outside = Outside(outside.given, tuple(f for f in held if f.scope is None))
        within = tuple(f for f in held if f.scope is not None)
    known = own.get(id(analyzer))
    if known is None or not known.continues(outside):
        known = own[id(analyzer)] = Known(analyzer, answers, outside, simplifier)
    known.update(outside, within)
    return known
