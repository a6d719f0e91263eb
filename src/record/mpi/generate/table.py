"""Reads functions.tbl, whose first comment describes its columns."""

import dataclasses
import re

GROUPS = ("init", "p2p", "req", "coll", "comm", "rma", "io", "type", "local")
COLUMNS = 6  # before the arguments
RESERVED = {"ring", "result", "entered", "left", "region", "function", "operation", "flags"}  # of the wrappers
ARGUMENT = re.compile(r"(?P<type>.*?[\s*])(?P<name>[a-z_][a-z0-9_]*)(?P<array>(?:\[\d*\])*)$")


class TableError(Exception):
    """A line of the table cannot be used. The message says where and why."""


@dataclasses.dataclass(frozen=True)
class Argument:
    type: str  # "const void *", "MPI_Comm", "int"; of an array, of an element
    name: str  # which is its role
    array: str  # "", "[]", "[][3]"

    @property
    def declaration(self):
        return f"{self.type}{'' if self.type.endswith('*') else ' '}{self.name}{self.array}"

    @property
    def base(self):
        """Returns the type without const and stars."""
        return self.type.replace("const", "").replace("*", "").strip()

    @property
    def stars(self):
        return self.type.count("*")

    @property
    def constant(self):
        return self.type.startswith("const")


@dataclasses.dataclass(frozen=True)
class Function:
    number: int  # of its region
    name: str  # "MPI_Send"
    group: str
    kind: str  # "": none
    what: tuple  # of words
    since: str
    recorded: str  # "on", "off", "never"
    arguments: tuple  # of Arguments
    variadic: bool
    result: str  # "int"

    @property
    def short(self):
        return self.name[4:]

    @property
    def operation(self):
        """Returns the collective operation, as in xtf_collective_operations; "": none."""
        return next((word for word in self.what if word.isupper()), "")

    @property
    def flags(self):
        return tuple(word for word in self.what if not word.isupper())

    @property
    def parameters(self):
        """Returns the text between the parentheses of the declaration."""
        return ", ".join([argument.declaration for argument in self.arguments] + ["..."] * self.variadic) or "void"

    @property
    def passed(self):
        """Returns the arguments of a call, separated by commas."""
        return ", ".join(argument.name for argument in self.arguments)

    def argument(self, name):
        return next((argument for argument in self.arguments if argument.name == name), None)


def parse_arguments(text):
    """Returns the arguments, and whether the function is variadic."""
    arguments = []
    variadic = False
    for part in [] if text == "void" else text.split(","):
        part = part.strip()
        if part == "...":
            variadic = True
            continue
        match = ARGUMENT.match(part)
        if not match:
            raise TableError(f'"{part}" is no argument')
        arguments.append(Argument(re.sub(r"\s+", " ", match["type"]).strip(), match["name"], match["array"]))
    reserved = RESERVED & {argument.name for argument in arguments}
    if reserved:
        raise TableError(f"no argument may be called {', '.join(reserved)}")
    if len({argument.name for argument in arguments}) < len(arguments):
        raise TableError("two arguments have one name")
    return tuple(arguments), variadic


def parse_line(line, number):
    columns = line.split(None, COLUMNS)
    if len(columns) <= COLUMNS:
        raise TableError(f"{len(columns)} columns, not {COLUMNS + 1}")
    name, group, kind, what, since, recorded, text = columns
    if not re.fullmatch(r"MPI_[A-Z][a-z0-9_]*[A-Za-z0-9_]*", name):
        raise TableError(f'"{name}" is no name of a function')
    if group not in GROUPS:
        raise TableError(f'no group is called "{group}"')
    if recorded not in ("on", "off", "never"):
        raise TableError(f'"{recorded}" is not on, off or never')
    if not re.fullmatch(r"\d\.\d", since):
        raise TableError(f'"{since}" is no version')
    text, _, result = text.partition("->")
    arguments, variadic = parse_arguments(text.strip())
    return Function(number, name, group, "" if kind == "-" else kind, () if what == "-" else tuple(what.split(",")), since, recorded, arguments, variadic,
                    result.strip() or "int")


def read(path):
    """Returns the functions of the table, in its order."""
    functions = []
    names = set()
    with open(path, encoding="utf-8") as file:
        for place, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                function = parse_line(line.rstrip("\n"), len(functions) + 1)
                if function.name in names:
                    raise TableError(f"{function.name} was there before")
            except TableError as error:
                raise TableError(f"{path}:{place}: {error}") from None
            functions.append(function)
            names.add(function.name)
    return functions
