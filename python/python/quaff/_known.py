"""The facts of an ``Analyzer``, with its scopes, and a memo of answers.

Facts are stored as a sequence. Each thread has its own ``Facts`` object. It has a level for each fact of a scope, and
is updated at each question. Each sequence of facts has a number. An answer is memoised under the number of its
sequence.
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
    """A scope of one analyzer, which is a ``with`` statement. Facts of the scope hold until the statement ends."""

    def __init__(self, analyzer: object):
        # a weak reference, because a thread keeps scopes and must not keep their analyzer alive
        self.analyzer = weakref.ref(analyzer)
        self.has_ended = False


class Fact:
    """A fact, as keywords of ``Domain.extended``.

    Args:
        said: the keywords.
        scope: the scope with which the fact ends. None if the fact always holds.
        about: the variable and the kind of the fact, if it comes from ``bind`` or ``update``.
        replaces: whether the fact replaces earlier facts of the same kind about the same variable.
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
        """The domain ``outer`` with this fact. The last result is stored, because most questions in a scope use the
        same domain."""
        last = self._last
        if last is None or last[0] is not outer:
            self._last = last = outer, outer.extended(**self.said)
        return last[1]

    def alone(self) -> Domain:
        """A domain with only this fact."""
        return Domain(**self.said)


def _key(said: Any) -> Hashable:
    """The keywords ``said`` as a hashable value. Equal facts give equal values."""
    if isinstance(said, dict):
        return tuple((name, _key(value)) for name, value in said.items())
    return tuple(_key(part) for part in said) if isinstance(said, (list, tuple)) else said


def that_hold(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """``facts`` without the facts that a later fact replaces."""
    held: list[Fact] = []
    for fact in facts:
        if fact.replaces:
            held = [h for h in held if h.about is None or h.about != fact.about]
        held.append(fact)
    return tuple(held)


class Outside:
    """The facts outside of all scopes. The object never changes: an analyzer with an additional fact gets another
    object."""

    def __init__(self, given: Domain, facts: tuple[Fact, ...] = ()):
        self.given = given
        self.facts = facts
        self.domain = given
        for fact in facts:
            self.domain = fact.added_to(self.domain)

    def plus(self, fact: Fact) -> Outside:
        """A new object with these facts and ``fact``."""
        return Outside(self.given, that_hold((*self.facts, fact)))


class Answers:
    """A memo of answers for each sequence of facts, shared by threads.

    A sequence keeps its number while it is in the memo, and the number is never reused. Before the memo would exceed
    ``limit`` answers, it is emptied.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._answers: dict[tuple[int, str, Hashable], Any] = {}
        self._next = itertools.count(1)

    def number(self, before: int, fact: Fact) -> int:
        """The number of the sequence ``before`` extended by ``fact``. 0 is the empty sequence."""
        key = before, fact.key
        found = self._numbers.get(key)
        return self._numbers.setdefault(key, next(self._next)) if found is None else found

    def remembered(self, number: int, kind: str, question: Hashable, ask: Callable[[], Any]) -> Any:
        """The answer to a question from the memo, or else from ``ask``. An answer is never None."""
        key = number, kind, question
        answer = self._answers.get(key)
        if answer is None:
            answer = ask()
            if len(self._answers) + len(self._numbers) >= self.limit:
                # the dicts are replaced one after the other. In between, another thread finds only old numbers, which
                # are never reused
                self._answers, self._numbers = {}, {}
            self._answers[key] = answer
        return answer


class Known:
    """The ``Facts`` object of one thread for one analyzer, as of the last question of the thread."""

    def __init__(self, analyzer: object, answers: Answers, outside: Outside, simplifier: Simplifier):
        self.analyzer = weakref.ref(analyzer)
        self.answers = answers
        self.outside = Outside(outside.given)
        self.facts: Facts = simplifier.facts(outside.given)
        self.within: tuple[Fact, ...] = ()
        self._numbers = [0]

    def continues(self, outside: Outside) -> bool:
        """Whether ``outside`` begins with the facts that this thread already has."""
        old = self.outside
        return old is outside or (old.given is outside.given and old.facts == outside.facts[: len(old.facts)])

    def update(self, outside: Outside, within: tuple[Fact, ...]) -> None:
        """Updates the ``Facts`` object to the current facts. Levels whose facts still hold are kept."""
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
        """The answer to a question under the current facts, from the memo if possible."""
        return self.answers.remembered(self._numbers[-1], kind, question, ask)


class _Own(threading.local):
    """The facts of the current thread, by the `id` of the analyzer. The analyzer has no reference to them, so that
    ``Facts`` are destroyed in the thread that made them."""

    def __init__(self) -> None:
        self.known: dict[int, Known] = {}


_own = _Own()

# The facts of the open scopes of the current thread or task. Facts of inner scopes come last. The tuple is never
# modified, so other threads and tasks do not see a scope, and scopes may end in any order. All analyzers share this
# variable. A separate context variable for each analyzer would live as long as the contexts in which it was set.
_around: ContextVar[tuple[Fact, ...]] = ContextVar("quaff.analyzer.facts", default=())


def facts_around(analyzer: object) -> list[Fact]:
    """The facts of the scopes of ``analyzer`` that are open in the current thread or task."""
    return [f for f in _around.get() if f.scope is not None and f.scope.analyzer() is analyzer and not f.scope.has_ended]


def say(fact: Fact) -> None:
    """Adds a fact of a scope, in the current thread or task."""
    _around.set((*_around.get(), fact))


def end(scope: Scope) -> None:
    """Ends a scope, including its facts in contexts that were copied within it."""
    scope.has_ended = True
    _around.set(tuple(f for f in _around.get() if f.scope is None or not f.scope.has_ended))


def known_to(analyzer: object, answers: Answers, outside: Outside, simplifier: Simplifier) -> Known:
    """The facts in ``analyzer`` that hold in the current thread or task."""
    own, within = _own.known, tuple(facts_around(analyzer))
    for ended in [key for key, known in own.items() if known.analyzer() is None]:
        del own[ended]
    if any(fact.replaces for fact in within):
        # if a fact is replaced within a scope, the earlier fact holds again after the scope
        held = that_hold((*outside.facts, *within))
        outside = Outside(outside.given, tuple(f for f in held if f.scope is None))
        within = tuple(f for f in held if f.scope is not None)
    known = own.get(id(analyzer))
    if known is None or not known.continues(outside):
        known = own[id(analyzer)] = Known(analyzer, answers, outside, simplifier)
    known.update(outside, within)
    return known
