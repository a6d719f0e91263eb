#!/usr/bin/env python3
"""Files with random faults: a generated trace with changed, dropped, repeated and shuffled bytes. An import ends with an error or makes a
whole trace in which `xtf check` finds nothing. It never crashes or hangs.

usage: fuzz.py XTF [ROUNDS [SEED]]
"""

import pathlib
import random
import sys
import tempfile

import opents_gen
import oracle

PIECES = [b"<rank num='0'>", b"</rank>", b"<slice num='1' time='1'>", b"</slice>", b"<task type='X' count='1'>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x",
          b"&#0;", b"&#xFFFFFFFF;", b"&lt;", b"\"", b">", b"<", b"\0", b"\xff\xfe", b"18446744073709551615", b"1e400", b"-0", b"0." + b"9" * 40,
          b"<detail to='3' count='1'/>", b"<trace ranks='4'>", b"</trace>", b"9" * 400, b"<extra type=''/>", b" num='3'"]  # fmt: skip


def mutated(source, randomly):
    text = bytearray(source)
    for _ in range(randomly.randrange(1, 8)):
        a = randomly.randrange(len(text))
        b = min(len(text), a + randomly.choice((1, 2, 10, 200)))
        match randomly.randrange(6):
            case 0:
                text[a] = randomly.randrange(256)
            case 1:
                del text[a:b]
            case 2:
                text[a:a] = text[a:b]
            case 3:
                text[a:a] = randomly.choice(PIECES)
            case 4:
                text[a:b] = randomly.choice(PIECES)
            case 5:
                del text[a + randomly.randrange(5000):]
    return bytes(text)


def main():
    xtf = sys.argv[1]
    rounds, seed = (int(sys.argv[i]) if len(sys.argv) > i else n for i, n in ((2, 200), (3, 1)))
    randomly = random.Random(seed)
    problems, ends = [], {0: 0, 1: 0}
    with tempfile.TemporaryDirectory(prefix="xtf-fuzz-") as folder:
        xml, trace = pathlib.Path(folder, "run.xml"), pathlib.Path(folder, "run.xtf")
        opents_gen.write(xml, 4, 6)
        source = xml.read_bytes()
        for number in range(rounds):
            xml.write_bytes(mutated(source, randomly))
            for options in ("--keep-going",), ():
                trace.unlink(missing_ok=True)
                done = oracle.run(xtf, "import", "-q", "-o", trace, *options, xml, errors="replace")
                if done.returncode not in ends or "crashed" in done.stderr or trace.exists() != (done.returncode == 0):
                    problems.append(f"round {number} of seed {seed}, {options}: {done.returncode}, {done.stderr}")
                    continue
                ends[done.returncode] += 1
                if done.returncode == 0 and (checked := oracle.run(xtf, "check", trace)).returncode:
                    problems.append(f"round {number} of seed {seed}: {checked.stdout}")
    if not all(ends.values()):
        problems.append(f"all imports ended alike: {ends}")
    print("\n".join(problems) or f"{ends[0]} imports, {ends[1]} errors")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
