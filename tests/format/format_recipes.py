"""Recipes: how to make the test files that are not stored. README.md describes them."""
import re

# Runs of bytes that differ; up to seven that agree do not end a run.
DIFFERENT = re.compile(rb"\x01(?:\x00{0,7}\x01)*")
# Offset and length of a superblock that was removed.
NO_SUPERBLOCK = (4096, 256)


def begin_file(size, copies, zeros):
    """Returns a file before its bytes are written; `copies` are (bytes, offset)."""
    data = bytearray(size)
    for copied, at in copies:
        part = copied[:max(size - at, 0)]
        data[at:at + len(part)] = part
    for at, length in zeros:
        data[at:at + length] = bytes(length)
    return data


def make_recipe(wanted, copies):
    """Returns the recipe of a file; `copies` are (name, bytes, offset)."""
    at, length = NO_SUPERBLOCK
    recipe = {"size": len(wanted), "copies": [[name, at] for name, _, at in copies]}
    zeros = [[at, length]] if copies and not any(wanted[at:at + length]) else []
    recipe |= {"zeros": zeros} if zeros else {}
    data = begin_file(len(wanted), [(copied, at) for _, copied, at in copies], zeros)
    differs = bytes(a != b for a, b in zip(data, wanted))
    return recipe | {"bytes": {str(match.start()): wanted[match.start():match.end()].hex() for match in DIFFERENT.finditer(differs)}}


def follow_recipe(recipe, folder):
    """Returns the file that a recipe makes. The folder has the files that it copies."""
    data = begin_file(recipe["size"], [((folder / name).read_bytes(), at) for name, at in recipe["copies"]], recipe.get("zeros", []))
    for at, digits in recipe["bytes"].items():
        run = bytes.fromhex(digits)
        data[int(at):int(at) + len(run)] = run
    return bytes(data)
