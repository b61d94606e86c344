"""What has been said so far, as much of it as the model's window holds."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from solexp.core import Completion, Message, ToolCall
from solexp.core.nesting import refuse_depth
from solexp.llm.tokens import count
from solexp.strategies.agent.actions import Action, Protocol

_LONG = 400
"""Characters of a text that is left standing when older turns are shortened."""
_ROOM = 0.75
"""How full the window is after it was cleared."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A reply, and what it was told."""

    reply: Message
    told: tuple[Message, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        return (self.reply, *self.told)

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return sum(map(message_tokens, self.messages))

    def shortened(self) -> Turn:
        """The same with long texts left out."""
        reply = msgspec.structs.replace(
            self.reply,
            content=_short(self.reply.content),
            calls=tuple(map(_short_call, self.reply.calls)) if self.reply.calls else msgspec.UNSET,
        )
        told = tuple(
            msgspec.structs.replace(each, content=_short(each.content)) for each in self.told
        )
        return Turn(reply=reply, told=told)


def message_tokens(message: Message) -> int:
    """About how many tokens a message takes."""
    calls = message.calls or ()
    return 4 + count(message.content) + sum(count(call.arguments) + 8 for call in calls)


class Conversation:
    """Grows by a turn at a time. When it is too long for its window, the oldest turns lose their long texts first, and
    are then left out; the beginning stays."""

    def __init__(self, opening: tuple[Message, ...], window: int) -> None:
        """``window`` is the most tokens that are shown."""
        self._opening = opening
        self._window = window
        self._turns: list[Turn] = []

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is sent."""
        return (*self._opening, *(message for turn in self._turns for message in turn.messages))

    def add(self, turn: Turn) -> None:
        self._turns.append(turn)
        if self._tokens() > self._window:
            self._clear(int(self._window * _ROOM))

    def halve(self) -> bool:
        """Show half as much from now on; False when there is no more to be left out."""
        before = self._tokens()
        self._window = before // 2
        self._clear(self._window)
        return self._tokens() < before

    def _clear(self, most: int) -> None:
        # In one go, so that what is sent begins alike for many turns: servers charge less for that.
        for place, turn in enumerate(self._turns[:-1]):
            if self._tokens() <= most:
                return
            self._turns[place] = turn.shortened()
        while self._tokens() > most and len(self._turns) > 1:
            self._turns.pop(0)

    def _tokens(self) -> int:
        return sum(map(message_tokens, self._opening)) + sum(turn.tokens for turn in self._turns)


def turn_of(
    reply: Completion, protocol: Protocol, done: tuple[tuple[Action, str], ...], said: str
) -> Turn:
    """The turn of a reply: what came of its actions, or ``said`` where it has none."""
    # Servers refuse messages that hold nothing.
    text = reply.text or ("" if reply.calls and protocol == "native" else "(nothing)")
    if protocol == "native" and done:
        return Turn(
            reply=Message("assistant", text, reply.calls),
            told=tuple(Message("tool", told, answers=action.call or "") for action, told in done),
        )
    told = "\n\n".join(f"{action.tool}:\n{told}" for action, told in done) or said
    return Turn(reply=Message("assistant", text), told=(Message("user", told),))


def _short(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return f"{text[: _LONG // 2]}\n({len(text) - _LONG // 2} characters are left out here)"


def _short_call(call: ToolCall) -> ToolCall:
    if len(call.arguments) <= _LONG:
        return call
    try:
        refuse_depth(call.arguments)
        said = json.loads(call.arguments, strict=False)
    except ValueError:
        said = {}
    kept: dict[str, Any] = said if isinstance(said, dict) else {}
    short = {key: _short(value) if isinstance(value, str) else value for key, value in kept.items()}
    return msgspec.structs.replace(call, arguments=json.dumps(short))
