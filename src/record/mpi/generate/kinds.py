"""Reads the snippets of the kinds of functions, and replaces the roles in them.

A module kinds_*.py has a dictionary KINDS: {key: (before, after)}. Both are C statements in one scope: `before` runs between the
record ENTER and the call, `after` between the call and LEAVE. A longer tuple is (before, after, condition) or
(before, after, condition, missed): the wrapper evaluates the C expression `condition` after the call. It records the
call, with its ENTER, if the condition is true, the call failed, or all calls are recorded. Else it counts the call and runs `missed`.

A key is a kind, or kind:what with the table's column `what`, which is looked up first: "collective", "collective:ALLTOALL,neighbor".

In a snippet {role} is replaced by a C expression (roles.py), {a|b} by the first of the roles that the function has, and
{a|b|=text} by the text if it has none of them. A role that a function lacks is an error, so that no snippet is used for a
function that it does not fit. Braces of C are followed by a space or the end of the line, and stay unchanged.
"""

import dataclasses
import re

PLACEHOLDER = re.compile(r"\{([A-Za-z_][^{}\s]*)\}")


class KindError(Exception):
    """A snippet does not fit a function. The message names both."""


@dataclasses.dataclass(frozen=True)
class Snippets:
    before: str = ""
    after: str = ""
    condition: str = ""
    missed: str = ""

    def mentions(self, *roles):
        """True if a snippet uses one of the roles."""
        text = " ".join(dataclasses.astuple(self))
        return any(role in match.split("|") for match in PLACEHOLDER.findall(text) for role in roles)


def collect(*dictionaries):
    """Merges dictionaries, whose keys must differ."""
    kinds = {}
    for dictionary in dictionaries:
        for key, snippets in dictionary.items():
            if key in kinds:
                raise KindError(f'"{key}" is defined twice')
            kinds[key] = Snippets(*(" ".join(text.split()) for text in snippets))
    return kinds


def snippets_of(kinds, function):
    """Returns a function's snippets from the dictionary; empty ones if its kind has none."""
    return kinds.get(f"{function.kind}:{','.join(function.what)}") or kinds.get(function.kind) or Snippets()


def substitute(text, roles, function):
    """Replaces the roles of a text by C expressions."""

    def expression(match):
        alternatives = match[1].split("|")
        for role in alternatives:
            if role.startswith("="):
                return role[1:]
            if role in roles:
                return roles[role]
        raise KindError(f"{function.name} (kind {function.kind}) has no {' nor '.join(alternatives)}: {text}")

    return PLACEHOLDER.sub(expression, text)


def fill(snippets, roles, function):
    """Replaces the roles of snippets by C expressions."""
    return Snippets(*(substitute(text, roles, function) for text in dataclasses.astuple(snippets)))


def unused(kinds, functions):
    """Returns the keys that no function of the table has, which are mistakes."""
    used = {function.kind for function in functions} | {f"{function.kind}:{','.join(function.what)}" for function in functions}
    return sorted(set(kinds) - used)
