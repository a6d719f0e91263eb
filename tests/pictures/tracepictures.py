"""A trace with its pictures."""

import pathlib

import svg
from asking import Asker
from xtfrun import check


class Trace:
    def __init__(self, xtf, ask_tree, path):
        self.path = path
        self.asker = Asker(xtf, ask_tree, path)
        self.colours = {}
        if "colours" in self.names("definitions"):  # a trace without regions has none
            self.colours = {line.get("name", "").rstrip(): line["colour"] for line in self.table("definitions", "colours")}
        self.colours["(unmatched LEAVE)"] = svg.UNMEASURED

    def bytes(self, path):
        return self.asker.ask(f"cat {path}")

    def names(self, path):
        return self.asker.ask(f"ls {path}").decode().splitlines()

    def text(self, path):
        return self.bytes(path).decode()

    def table(self, path, name):
        return svg.table(self.bytes(f"{path}/{name}".lstrip("/")))

    def profile(self, path):
        return self.table(path, "profile")

    def picture(self, path, name="timeline.svg"):
        text = self.bytes(f"{path}/{name}".lstrip("/"))
        check(text == self.bytes(f"{path}/{name}".lstrip("/")), f"{path}: two readings differ")
        check(len(text) % 4096 == 0, f"{path}: {len(text)} bytes are no whole number of pages")
        if len(self.names("proc")) <= 256 and pathlib.Path(self.path).stat().st_size <= 8 << 20 and int(self.bytes(f"{path}/count".lstrip("/"))) <= 65536:
            check(len(text) - len(text[:-len("</svg>\n")].rstrip()) <= 4096 + len("</svg>\n"), f"{path}: more than 4 KiB of blanks")
        picture = svg.Picture(text)
        check(picture.root.get("width") == "100%" and picture.root.get("height") is None and picture.root.get("viewBox"),
              f"{path}: the picture does not fit a window")
        title = picture.root.findtext(svg.SVG + "title")
        check(title.startswith(f"{pathlib.Path(self.path).stem}: "), f"{path}: the title {title} does not name the trace")
        return picture
