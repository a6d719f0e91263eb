"""Reads the pictures that XTF draws with an XML parser."""

import posixpath
import re
import urllib.parse
import xml.etree.ElementTree

from xtfrun import Failure

SVG = "{http://www.w3.org/2000/svg}"
LEFT, WIDTH = 104, 1480
OTHERS = "#bcc0c5"
UNMEASURED = "#dedede"


class Picture:
    """An SVG with its elements by class."""

    def __init__(self, text):
        if not text.endswith(b"</svg>\n"):
            raise Failure(f"the picture ends in {text[-20:]!r}")
        self.root = xml.etree.ElementTree.fromstring(text)

    def of_class(self, name):
        return [element for element in self.root.iter() if name in element.get("class", "").split()]

    def links(self):
        return [element.get("href") for element in self.root.iter(SVG + "a") if element.get("href")]

    def tiles(self):
        """Returns (link, title, rectangle) of all tool tips over rows."""
        for link in self.root.iter(SVG + "a"):
            if link.get("href") is None:
                continue
            for rectangle in link.findall(SVG + "rect"):
                yield link.get("href"), rectangle.findtext(SVG + "title"), rectangle

    def texts(self):
        return ["".join(text.itertext()) for text in self.root.iter(SVG + "text")]

    def stacks(self):
        """Returns for each row the areas of its colours in square pixels, and the height of the row."""
        return [areas_of(stack) for stack in self.of_class("xt-stack")]


def area_below(path, bottom):
    """Returns the area of a polygon `M x y` followed by H and V down to `bottom`, and its number of columns."""
    x = y = area = columns = 0
    for command, numbers in re.findall(r"([MHVz])([-0-9. ]*)", path):
        if command == "M":
            x, y = map(float, numbers.split())
        elif command == "V":
            y = float(numbers)
        elif command == "H":
            area += (float(numbers) - x) * (bottom - y)
            x = float(numbers)
            columns += 1
    return area, columns


def areas_of(stack):
    """Returns the visible area of each layer from the top one to the lowest. It is the part of the polygon that the layer above does not cover."""
    layers = []
    for path in stack.findall(SVG + "path"):
        shape = path.get("d")
        bottom = float(re.match(r"M[0-9.]+ ([0-9.]+)", shape).group(1))
        colour = "row" if path.get("class") == "xt-row" else path.get("fill")
        layers.append((colour, *area_below(shape, bottom)))
    areas, columns = {}, 1
    for i, (colour, area, n) in enumerate(layers):
        below = layers[i + 1][1] if i + 1 < len(layers) else 0
        areas[colour] = areas.get(colour, 0) + area - below
        columns = max(columns, n)
    return areas, columns


def follow(directory, link):
    """Returns the path from the root of the trace for a link in a picture of a directory. Asserts that it stays in the trace."""
    path = posixpath.normpath(posixpath.join("/root", directory.strip("/"), urllib.parse.unquote(link)))
    if not (path + "/").startswith("/root/"):
        raise Failure(f"{directory}: {link} leads out of the trace")
    return path[len("/root/"):]


def table(text):
    """Returns lines of a table of the tree as dictionaries: words by the names of columns. The last column may have blanks."""
    head, *lines = text.decode().splitlines()
    names = head.lstrip("# ").split()
    return [dict(zip(names, line.split(None, len(names) - 1))) for line in lines]
