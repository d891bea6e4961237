"""What ``--help`` of a command prints: what people need first on one screen, and the names of the rest.

Options in a panel (``rich_help_panel``) are the rest; ``--help-all`` explains them, too.
"""

from __future__ import annotations

import inspect
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["ALL", "Command", "Group", "examples", "metavar", "paragraphs", "print_all"]

ALL = "help_all"
"""The parameter of those commands that have an option for it."""

_EXAMPLES = "Examples:"
_WIDEST, _COLUMN = 80, 24
"""Characters of a line, and of the names of options beside what they do."""


def paragraphs(text: str | None) -> Iterator[str]:
    """What a docstring says, but for its examples."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        if not paragraph.startswith(_EXAMPLES):
            yield " ".join(paragraph.split())


def examples(text: str | None) -> list[str]:
    """The command lines of a docstring."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        if paragraph.startswith(_EXAMPLES):
            return [line.strip() for line in paragraph.splitlines()[1:]]
    return []


class _AsGiven:
    """Takes values that are what a parameter wants already, and leaves all others to typer.

    Typer builds a validator for each parameter, also of those that were not given, which takes longer than to score a
    small run.
    """

    def __init__(self, parameter: Any) -> None:
        self._parameter = parameter

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as Python gets it."""
        kind = param.type_descriptor.annotation
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if (kind is str and type(value) is str) or (get_origin(kind) is Literal and value in get_args(kind)):
            return value
        if kind == list[str] and type(value) in (list, tuple) and all(type(one) is str for one in value):
            return list(value)
        if kind in (int, float, bool) and type(value) is kind and value == param.default:
            return value
        if get_origin(kind) is tuple and value is param.default and set(get_args(kind)) <= {int, float, str}:
            return tuple(one(part) for one, part in zip(get_args(kind), value, strict=True))
        self._parameter._runtime_param = None
        return self._parameter.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _taken_as_given(parameters: list[Any]) -> list[Any]:
    for one in parameters:
        if getattr(one, "_runtime_param", one) is None:  # older versions of typer have no such thing
            one._runtime_param = _AsGiven(one)
    return parameters


class Group(TyperGroup):
    """All commands, or the one that was called."""

    def get_params(self, ctx: Any) -> Any:
        """Its own options."""
        return _taken_as_given(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is typed, whose name may be two words, such as ``history add``."""
        both = " ".join(args[:2])
        if len(args) > 1 and both in self.commands:
            return super().resolve_command(ctx, [both, *args[2:]])
        with_word = [name for name in self.commands if name.startswith(f"{args[0]} ")] if args else []
        if with_word:
            ctx.fail(f"{args[0]} takes one more word: {', '.join(with_word)}")
        return super().resolve_command(ctx, args)


class Command(TyperCommand):
    """A command whose help fits on a screen."""

    def get_params(self, ctx: Any) -> Any:
        """Its options."""
        return _taken_as_given(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help on one screen."""
        formatter.write(self.help_text(ctx, every=ALL not in (one.name for one in self.params)))

    def help_text(self, ctx: Any, *, every: bool = False) -> str:
        """What the command is for, how to call it, and its options: those that people need first, or *every* one."""
        width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
        shown = [one for one in self.get_params(ctx) if not getattr(one, "hidden", False)]
        arguments = [one for one in shown if one.param_type_name == "argument"]
        panels: dict[str, list[Any]] = {}
        for option in shown:
            if option.param_type_name == "option":
                panels.setdefault(getattr(option, "rich_help_panel", None) or "Options", []).append(option)
        first = panels.pop("Options", [])
        usage = " ".join(["Usage:", ctx.command_path, "[OPTIONS]", *map(metavar, arguments)])
        parts = [usage, *(textwrap.fill(one, width) for one in paragraphs(self.help))]
        if given := examples(self.help):
            parts.append("\n".join([_EXAMPLES, *(_command_line(line, width) for line in given)]))
        if arguments:
            parts.append(_explained("Arguments", ((metavar(one), _words(one, ctx)) for one in arguments), width))
        parts.append(_explained("Options", ((_spelling(one, ctx), _words(one, ctx)) for one in first), width))
        if every:
            parts += [
                _explained(panel, ((_spelling(one, ctx), _words(one, ctx)) for one in options), width)
                for panel, options in panels.items()
            ]
        elif panels:
            parts.append(_named(panels, width))
        return "\n\n".join(parts) + "\n"


def print_all(ctx: typer.Context, wanted: bool) -> None:
    """Explain all options of a command, and end."""
    if wanted and isinstance(ctx.command, Command):
        print(ctx.command.help_text(ctx, every=True), end="")
        raise typer.Exit


def _command_line(line: str, width: int) -> str:
    """A command line, continued where it is too long as a shell takes it."""
    return " \\\n".join(
        textwrap.wrap(line, width - 2, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    )


def _named(panels: dict[str, list[Any]], width: int) -> str:
    """The names of options that are not explained."""
    lines = ["More, which --help-all explains:"]
    for panel, options in panels.items():
        names = ", ".join(max(one.opts, key=len) for one in options)
        lines.append(
            textwrap.fill(
                f"{panel}: {names}", width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )
        )
    return "\n".join(lines)


def _explained(title: str, rows: Iterable[tuple[str, str]], width: int) -> str:
    """Names to the left, what they are to the right; a long name has a line of its own."""
    lines = [f"{title}:"]
    for left, right in rows:
        words = textwrap.wrap(right, width - _COLUMN - 2, break_on_hyphens=False)
        beside = len(left) <= _COLUMN - 2
        if not beside:
            lines.append(f"  {left}")
        for i, line in enumerate(words):
            lines.append(f"  {left if beside and i == 0 else '':<{_COLUMN - 1}} {line}".rstrip())
    return "\n".join(lines)


def metavar(argument: Any) -> str:
    """What stands for an argument, in brackets where it may be left out."""
    name = argument.metavar or argument.name.upper()
    name += "..." if argument.nargs == -1 and not name.endswith("...") else ""
    return str(name) if argument.required or name.startswith("[") else f"[{name}]"


def _spelling(option: Any, ctx: Any) -> str:
    """``-m, --measure NAME``; a flag has no value."""
    names = ", ".join(sorted(option.opts, key=len))
    return names if option.is_flag else f"{names} {option.metavar or _value(option, ctx)}"


def _value(option: Any, ctx: Any) -> str:
    """What is to be given: one of some words, a number, or text."""
    kind = _kind(option, ctx)
    if "|" in kind:
        return kind if len(kind) <= _COLUMN else "NAME"
    return "N" if "int" in kind.lower() else "X" if "float" in kind.lower() else "TEXT"


def _kind(option: Any, ctx: Any) -> str:
    shown = getattr(option, "display_type_rich", None) or option.makemetavar  # as versions of typer call it
    return str(shown(ctx=ctx)).strip("<>[]")


def _words(option: Any, ctx: Any) -> str:
    """What an option does, the names that it takes where they are many, and what is done without it."""
    words = _about(option)
    if option.param_type_name == "argument" or option.is_flag or option.metavar or _value(option, ctx) != "NAME":
        return words
    return f"{words} One of: {_kind(option, ctx).replace('|', ', ')}."


def _about(option: Any) -> str:
    shown = getattr(option, "show_default", None)
    default = option.default
    if isinstance(shown, str):
        default = shown
    elif shown is False or getattr(option, "is_flag", False) or default is None or callable(default) or default == ():
        return str(option.help or "")
    if type(default).__name__ == "Sentinel":
        return str(option.help or "")
    text = " ".join(map(str, default)) if isinstance(default, tuple | list) else str(getattr(default, "value", default))
    return f"{option.help or ''} [{text}]"
