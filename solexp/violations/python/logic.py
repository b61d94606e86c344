"""Booleans over terms: conjunctions and the like, simplified while they are built."""

from __future__ import annotations

from solexp.violations.python.terms import POOL, Bool, Pool, Term, by_birth

WIDE = 24
"""Disjunctions of more parts are taken as they are: simplifying them costs more than it saves."""


def not_(a: Bool) -> Bool:
    if isinstance(a, bool):
        return not a
    if a.negation is None:
        a.negation = _negated(a)
        if isinstance(a.negation, Term):
            a.negation.negation = a
    return a.negation


def _negated(a: Term) -> Bool:
    if a.op == "not":
        return a.args[0]  # type: ignore[no-any-return]
    if a.op == "and":
        return or_(*map(not_, a.args))
    if a.op == "or":
        return and_(*map(not_, a.args))
    pool = POOL.get()
    if a.op == "pick" and pool.groups[a.args[0]] == 2:
        return pool.term("pick", (a.args[0], 1 - a.args[1]))
    return pool.term("not", (a,))


def and_(*parts: Bool) -> Bool:  # noqa: PLR0911, PLR0912  (every way out is a simplification)
    """The conjunction, without what the other parts imply; False where two of them exclude each other."""
    flat: dict[Term, None] = {}
    for part in parts:
        if part is False:
            return False
        if part is True:
            continue
        assert isinstance(part, Term)
        if part.op == "and":
            flat.update(dict.fromkeys(part.args))
        else:
            flat[part] = None
    if len(flat) < 2:
        return next(iter(flat), True)
    pool = POOL.get()
    chosen: dict[str, int] = {}
    negated: set[Term] = set()
    denied: dict[str, set[int]] = {}
    for part in flat:
        if part.op == "pick":
            group, member = part.args
            if chosen.setdefault(group, member) != member:
                return False
        elif part.op == "not":
            inner = part.args[0]
            negated.add(inner)
            if inner.op == "pick":
                denied.setdefault(inner.args[0], set()).add(inner.args[1])
    if any(part in negated for part in flat):
        return False
    if denied:
        flat, narrowed = _without_denials(pool, flat, chosen, denied)
        if narrowed is False:
            return False
        if narrowed:
            return and_(*flat)
    if any(part.op == "or" for part in flat):
        resolved = _resolved(flat, negated, chosen)
        if resolved is not None:
            return and_(*resolved)
    if len(flat) == 1:
        return next(iter(flat))
    return pool.term("and", tuple(sorted(flat, key=by_birth)))


def _without_denials(
    pool: Pool, flat: dict[Term, None], chosen: dict[str, int], denied: dict[str, set[int]]
) -> tuple[dict[Term, None], bool | None]:
    """Drop "not b" beside "a" of the same group, and say "a" where all others are denied."""
    kept: dict[Term, None] = {}
    for part in flat:
        if part.op == "not" and part.args[0].op == "pick":
            group, member = part.args[0].args
            if group in chosen:
                if chosen[group] == member:
                    return flat, False
                continue
        kept[part] = None
    added = False
    for group, members in denied.items():
        if group in chosen:
            continue
        left = [each for each in range(pool.groups[group]) if each not in members]
        if not left:
            return flat, False
        if len(left) == 1:
            kept[pool.term("pick", (group, left[0]))] = None
            added = True
    return kept, True if added else None


def _resolved(
    flat: dict[Term, None],
    negated: set[Term],
    chosen: dict[str, int],
) -> list[Bool] | None:
    """The parts, disjunctions cut down to what the other parts leave of them; None where that changes nothing."""
    changed = False
    parts: list[Bool] = []
    for part in flat:
        if part.op != "or" or len(part.args) > WIDE:
            parts.append(part)
            continue
        left: list[Term] = []
        for each in part.args:
            if each in flat:
                break
            if each in negated or (each.op == "not" and each.args[0] in flat):
                continue
            if each.op == "pick":
                group, member = each.args
                if group in chosen and chosen[group] != member:
                    continue
            elif each.op == "not" and each.args[0].op == "pick":
                group, member = each.args[0].args
                if group in chosen and chosen[group] != member:
                    break
            left.append(each)
        else:
            if len(left) == len(part.args):
                parts.append(part)
            else:
                changed = True
                parts.append(or_(*left))
            continue
        changed = True
    return parts if changed else None


def or_(*parts: Bool) -> Bool:
    flat: dict[Term, None] = {}
    for part in parts:
        if part is True:
            return True
        if part is False:
            continue
        assert isinstance(part, Term)
        if part.op == "or" and len(part.args) <= WIDE:
            flat.update(dict.fromkeys(part.args))
        else:
            flat[part] = None
    if len(flat) < 2:
        return next(iter(flat), False)
    pool = POOL.get()
    groups: dict[str, int] = {}
    for part in flat:
        if part.op == "not" and part.args[0] in flat:
            return True
        if part.op == "pick":
            group = part.args[0]
            groups[group] = groups.get(group, 0) + 1
            if groups[group] == pool.groups[group]:
                return True
    if len(flat) <= 2 * WIDE:
        flat = _absorbed(flat)
    if len(flat) == 1:
        return next(iter(flat))
    return pool.term("or", tuple(sorted(flat, key=by_birth)))


def _absorbed(flat: dict[Term, None]) -> dict[Term, None]:
    """Without conjunctions that another part covers; "a or not b" of one group is "not b"."""
    kept: dict[Term, None] = {}
    denied = {part.args[0] for part in flat if part.op == "not" and part.args[0].op == "pick"}
    groups_denied = {each.args[0] for each in denied}
    for part in flat:
        if part.op == "and" and any(each in flat for each in part.args):
            continue
        if part.op == "pick" and part.args[0] in groups_denied and part not in denied:
            continue
        kept[part] = None
    return kept


def implies(a: Bool, b: Bool) -> Bool:
    return or_(not_(a), b)


def choose(condition: Bool, a: Bool, b: Bool) -> Bool:
    """``a`` where the condition holds, else ``b``: booleans."""
    if isinstance(condition, bool):
        return a if condition else b
    if a is b:
        return a
    return or_(and_(condition, a), and_(not_(condition), b))


def same_bool(a: Bool, b: Bool) -> Bool:
    if isinstance(a, bool):
        return b if a else not_(b)
    if isinstance(b, bool):
        return a if b else not_(a)
    return or_(and_(a, b), and_(not_(a), not_(b)))
