"""Trails with one thing changed: what would the last call have done, had somebody done something else before?"""

from __future__ import annotations

from collections.abc import Sequence

from solexp.fuzzing.drawing import Step
from solexp.fuzzing.trails import Trail, part

_PARTIES = 3


def variants(trail: Trail, ways: Sequence[Trail], senders: Sequence[str]) -> list[Trail]:
    """Before the last call that of another trail (of each of ``ways``), which what it takes precedes from the start;
    the same about somebody else, who then makes the last call, or with a flag the other way; the same function about
    what the last call is about; without each of the calls; the last call once more, or by somebody else; two calls the
    other way around.
    """
    before, last = trail[:-1], trail[-1]
    found = []
    named = {each.sender for each in trail} | {
        value for each in trail for value in each.values if isinstance(value, str)
    }
    new = next((who for who in senders if who not in named), None)
    at_once = last._replace(blocks=0, seconds=0)
    for way in ways:
        others = [step._replace(blocks=0, seconds=0) for step in way[:-1]]
        also = way[-1]._replace(blocks=last.blocks, seconds=last.seconds)
        found.append((*others, *before, also, at_once))
        places = [at for at, kind in enumerate(also.entry.types) if kind == "address"]
        if new is not None and places:
            values = tuple(
                new if at == places[0] else value for at, value in enumerate(also.values)
            )
            given = also._replace(values=values)
            found.append((*others, *before, given, at_once._replace(sender=new)))
        found += [(*others, *before, each, at_once) for each in _flags(also)]
        about = _about(also, trail)
        if about:
            # Those that fail change nothing, so that all may try in one go.
            found.append((*before, *about, at_once))
    every = range(len(trail))
    found += [part(trail, [at for at in every if at != gone]) for gone in every[:-1]]
    found += [(*before, last._replace(sender=who)) for who in senders if who != last.sender]
    found.append((*trail, at_once))
    if len(trail) > 1:
        swapped = before[-1]._replace(blocks=0, seconds=0)
        first = last._replace(
            blocks=before[-1].blocks + last.blocks, seconds=before[-1].seconds + last.seconds
        )
        found.append((*before[:-1], first, swapped))
    return found


def _flags(step: Step) -> list[Step]:
    """A call with each of its flags the other way."""
    values = step.values
    return [
        step._replace(values=(*values[:at], not values[at], *values[at + 1 :]))
        for at, kind in enumerate(step.entry.types)
        if kind == "bool"
    ]


def _about(step: Step, trail: Trail) -> list[Step]:
    """A call about what the last of a trail is about: with its arguments of the same types, by each who takes part."""
    last = trail[-1]
    given: dict[str, list[object]] = {}
    for kind, value in zip(last.entry.types, last.values, strict=True):
        given.setdefault(kind, []).append(value)
    if given.keys().isdisjoint(step.entry.types):
        return []
    values = tuple(
        given[kind].pop(0) if given.get(kind) else value
        for kind, value in zip(step.entry.types, step.values, strict=True)
    )
    parties = dict.fromkeys((last.sender, step.sender, *(each.sender for each in trail)))
    return [step._replace(values=values, sender=who) for who in list(parties)[:_PARTIES]]


def everybody(trail: Trail, senders: Sequence[str]) -> Trail:
    """The trail with its last call made by everybody else, too, until there may be no more to be had."""
    last = trail[-1]
    others = [who for who in senders if who != last.sender]
    return (*trail, *(last._replace(sender=who, blocks=0, seconds=0) for who in others))
