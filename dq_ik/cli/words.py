# Copyright 2026 The dq_ik Authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""Words of a command line as people write them: lists with commas, angles in degrees, names."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
import json
import math
import re
import sys
from typing import Any, NoReturn

from dq_ik.errors import ChainError, DqIkError, nearest

NUMBER = r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?'
ANGLE = rf'[-+]?(?:(?:{NUMBER})?\s*\*?\s*(?:pi|π)(?:/\d+)?|(?:{NUMBER})(?:deg|°)?)'
LIST = re.compile(rf'[\[(]?\s*{ANGLE}(?:\s*[,;\s]\s*{ANGLE})*\s*,?\s*[\])]?,?')
TURN = re.compile(rf'([-+]?)\s*({NUMBER})?\s*\*?\s*(?:pi|π)(?:/(\d+))?')
ROS_NAME = re.compile(r'[/~]?[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*', re.ASCII)
LONGEST_WAIT = 86400.0  # [s]
WRONG_INPUT = 1  # exit code


class WordsError(DqIkError):
    """The words of a command line are not those of a command."""

    def __init__(self, program: str, message: str) -> None:
        """
        Keep what is wrong.

        :param program: the command that was called: ``dq_ik solve``
        """
        super().__init__(f'{message}; see {program} --help')
        self.program = program


class Parser(ArgumentParser):
    """Raises a mistake instead of ending with code 2, which says that a goal is not reached."""

    def error(self, message: str) -> NoReturn:
        """Raise it."""
        raise WordsError(self.prog, message)

    def refuse_rest(self, rest: Sequence[str]) -> None:
        """Refuse words that belong to no argument."""
        known = [name for action in self._actions for name in action.option_strings]
        for word in (word.strip() for word in rest):
            if word.startswith('--'):
                name = word.partition('=')[0]
                self.error(f"there is no option '{name}'{nearest(name, known)}")
            self.error(f"'{word}' is too much")


class Names(Action):
    """Several names, with spaces or commas between them."""

    def __call__(self, parser: ArgumentParser, args: Namespace, values: Any,
                 option: str | None = None) -> None:
        """Keep them as a list."""
        names = [name for word in values for name in word.split(',') if name]
        setattr(args, self.dest, names)


class Tool(Action):
    """The numbers of a tool: lengths, and angles if there are six."""

    def __call__(self, parser: ArgumentParser, args: Namespace, values: Any,
                 option: str | None = None) -> None:
        """Keep them as floats."""
        if len(values) not in (3, 6):
            raise ChainError('--tool is x y z, or x y z roll pitch yaw; got '
                             f'{" ".join(values).strip()}')
        try:
            numbers = [*map(length, values[:3]), *map(angle, values[3:])]
        except ArgumentTypeError as error:
            raise ChainError(f'--tool: {error}') from None
        if not all(map(math.isfinite, numbers)):
            raise ChainError(f'--tool is finite numbers; got {" ".join(values).strip()}')
        setattr(args, self.dest, numbers)


def separate_numbers(words: Iterable[str]) -> list[str]:
    """
    Return words in which each number of a list stands alone: ``[0.4, 0.2,0.5]``.

    A space in front of a negative one keeps argparse from reading an option. An option with its
    list, ``--xyz=0.4,0.2,0.5``, is two words.
    """
    separate: list[str] = []
    for given in words:
        option, equals, word = given.partition('=')
        if option.startswith('--') and equals and LIST.fullmatch(word):
            separate.append(option)
        else:
            word = given
        if LIST.fullmatch(word):
            numbers = re.findall(ANGLE, word)
            separate += [f' {number}' if number.startswith('-') else number for number in numbers]
        else:
            separate.append(word)
    return separate


def any_number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f'{text.strip()!r} is no number') from None


def whole_number(text: str) -> int:
    """Read a number without a fraction."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f'{text.strip()!r} is no whole number') from None


def length(text: str) -> float:
    """Read a length in metres."""
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f'{text.strip()!r} is no number of metres') from None


def angle(text: str) -> float:
    """Read an angle: radians, ``90deg``, ``90°``, ``pi/2``."""
    word = text.strip()
    if turn := TURN.fullmatch(word):
        sign, factor, divisor = turn.groups()
        return float(f'{sign}1') * float(factor or 1.0) * math.pi / float(divisor or 1.0)
    degrees = word.removesuffix('deg').removesuffix('°')
    try:
        return float(degrees) if degrees == word else math.radians(float(degrees))
    except ValueError:
        raise ArgumentTypeError(f'{text.strip()!r} is no angle; write radians, 90deg or '
                                'pi/2') from None


def one_of(what: str, known: Sequence[str]) -> Callable[[str], str]:
    """
    Return what reads one of some words; capitals, spaces and hyphens do not matter.

    :param what: the words are: ``mode``
    """
    def read(text: str) -> str:
        word = text.strip().lower().replace('-', '_').replace(' ', '_')
        if word not in known:
            raise ArgumentTypeError(f"there is no {what} '{text}'{nearest(word, known)}; there "
                                    f'are {", ".join(known)}')
        return word
    return read


def ros_name(text: str) -> str:
    """Read the name of a node, topic or service."""
    if not ROS_NAME.fullmatch(text):
        raise ArgumentTypeError(f'{text!r} is no name of ROS 2; it is letters, digits and _, with '
                                '/ between parts, as /dq_ik')
    return text


def wait(text: str) -> float:
    """Read the seconds of a wait."""
    return _seconds(text, 'time to wait')


def duration(text: str) -> float:
    """Read how long something goes on."""
    return _seconds(text, 'duration')


def _seconds(text: str, what: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.0 <= seconds <= LONGEST_WAIT:
        raise ArgumentTypeError(f'{text.strip()!r} is no {what}; it is a number of seconds '
                                f'from 0 to {LONGEST_WAIT:g}')
    return seconds


def named_value(text: str) -> tuple[str, float]:
    """Read ``joint=0.5``, or a number alone, which has no name."""
    name, equals, value = text.partition('=')
    if not equals:
        name, value = '', text
    try:
        return name.strip(), angle(value)
    except ArgumentTypeError:
        raise ArgumentTypeError(f'{text!r} is not of the form joint=0.5') from None


def is_terminal() -> bool:
    """Tell whether a person reads the output."""
    return sys.stdout.isatty()


def say_json(value: Any) -> None:
    """Print JSON; what is not finite is null there, for JSON has no word for it."""
    print(json.dumps(_finite(value), allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return list(map(_finite, value)) if isinstance(value, (list, tuple)) else value


def refuse(program: str, error: DqIkError, as_json: bool) -> int:
    """Say what is wrong in one line, with ``--json`` as ``{"error": ...}`` too."""
    print(f'{program}: {error}', file=sys.stderr)
    if as_json:
        say_json({'error': str(error)})
    return WRONG_INPUT


def say(lines: Sequence[str], good: bool | None = None) -> None:
    """
    Print lines for people; on a terminal the last one, the verdict, has a colour.

    :param good: whether the verdict is a good one; None: there is none
    """
    if good is None or not is_terminal():
        print('\n'.join(lines))
        return
    from rich.console import Console
    console = Console(highlight=False, soft_wrap=True)
    console.print('\n'.join(lines[:-1]), markup=False)
    console.print(lines[-1], style='bold green' if good else 'bold yellow', markup=False)
