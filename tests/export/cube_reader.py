"""A reader of Cube 4 profiles (.cubex), written from the format alone, for profiles by Score-P, Scalasca and XTF.

A profile is a tar file of anchor.xml, which names metrics, regions, call paths and locations. Metric N has N.index, its rows, and
N.data, their values: for each row one a location. Row k is not call path k. For an EXCLUSIVE metric it is the k-th path depth first. For
an INCLUSIVE one it is the k-th in the order root, all its children, all children of the first child, and so on."""

import gzip
import struct
import tarfile
import xml.etree.ElementTree
import zlib

TYPES = {"INTEGER": "q", "UINT64": "Q", "INT64": "q", "DOUBLE": "d", "MINDOUBLE": "d", "MAXDOUBLE": "d", "UINT32": "I", "FLOAT": "d"}
INDEX, DATA, PACKED = b"CUBEX.INDEX", b"CUBEX.DATA", b"ZCUBEX.DATA"


class Cube:
    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
        anchor = self.files["anchor.xml"]
        self.anchor = xml.etree.ElementTree.fromstring(gzip.decompress(anchor) if anchor[:2] == b"\x1f\x8b" else anchor)
        self.regions = {region.get("id"): region.findtext("name") for region in self.anchor.iter("region")}
        self.parents, self.names = {}, {}
        roots = [self.read_path(node, None) for node in self.anchor.findall("program/cnode")]
        self.children = {}
        for path_id, parent in self.parents.items():
            self.children.setdefault(parent, []).append(path_id)
        self.deep = [p for root in roots for p in self.go_deep(root)]
        self.wide = [p for root in roots for p in [root, *self.go_wide(root)]]
        self.locations = self.read_locations()
        self.metrics = {metric.findtext("uniq_name"): metric for metric in self.anchor.iter("metric")}

    def read_path(self, node, parent):
        number = int(node.get("id"))
        self.parents[number] = parent
        self.names[number] = self.regions[node.get("calleeId")]
        for child in node.findall("cnode"):
            self.read_path(child, number)
        return number

    def go_deep(self, path):
        yield path
        for child in self.children.get(path, []):
            yield from self.go_deep(child)

    def go_wide(self, path):
        yield from self.children.get(path, [])
        for child in self.children.get(path, []):
            yield from self.go_wide(child)

    def read_locations(self):
        """Returns [(rank of the process, number of the thread)] in the order of values."""
        found = {}
        for group in self.anchor.iter("locationgroup"):
            for location in group.iter("location"):
                found[int(location.get("Id"))] = (int(group.findtext("rank")), int(location.findtext("rank")))
        return [found[number] for number in sorted(found)]

    def name(self, path):
        """Returns a call path as text: /main/MPI_Send."""
        return ("" if path is None else self.name(self.parents[path]) + "/" + self.names[path])

    def rows(self, number):
        index = self.files[f"{number}.index"]
        magic, order, _, kind, n = struct.unpack_from("<11sIHBI", index)
        assert magic == INDEX and order == 1 and kind in (0, 1), "no index of this byte order"
        return struct.unpack_from(f"<{n}I", index, 22) if kind == 1 else range(n)

    def data(self, number):
        data = self.files[f"{number}.data"]
        if data.startswith(DATA):
            return data[len(DATA):]
        assert data.startswith(PACKED), "no data"
        n, = struct.unpack_from("<I", data, len(PACKED))
        begin = len(PACKED) + 4 + 24 * n
        parts = [struct.unpack_from("<3Q", data, len(PACKED) + 4 + 24 * i) for i in range(n)]
        return b"".join(zlib.decompress(data[begin + at:begin + at + size]) for _, at, size in parts)

    def values(self, unique):
        """Returns {(call path, location): value}, as stored, without zeros. The call path is a number."""
        metric = self.metrics[unique]
        order = self.wide if metric.get("type") == "INCLUSIVE" else self.deep
        rows, n = self.rows(metric.get("id")), len(self.locations)
        cells = struct.unpack_from(f"<{len(rows) * n}{TYPES[metric.findtext('dtype')]}", self.data(metric.get("id")))
        return {(order[row], self.locations[k]): cells[i * n + k]
                for i, row in enumerate(rows) for k in range(n) if cells[i * n + k]}

    def by_name(self, unique):
        """Returns the same by the call path's name, with blanks as _, and the rank. Adds up values of one name."""
        found = {}
        for (path, (rank, _)), value in self.values(unique).items():
            key = self.name(path).replace(" ", "_"), rank
            found[key] = found.get(key, 0) + value
        return found

    def exclusive(self, unique):
        """Returns {(call path, location): value} without the values of inner calls."""
        values = self.values(unique)
        if self.metrics[unique].get("type") != "INCLUSIVE":
            return values
        return {(path, location): value - sum(values.get((child, location), 0) for child in self.children.get(path, []))
                for (path, location), value in values.items()}
