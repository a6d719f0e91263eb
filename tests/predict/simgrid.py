"""Runs SimGrid's SMPI: platforms, and simulated runs of programs and of exported traces."""

import re
import subprocess

from xtfrun import check

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
"""
TIMEOUT = 120  # seconds
ENVELOPE = 16  # bytes that SMPI sends with each message
SCALE = 100
# The model of a message: the latency, then its bytes at the bandwidth. Without these options, SimGrid has factors of measured clusters. With
# lazy updates, SimGrid 3.32 sometimes lets messages on a link have more than its bandwidth, until the next event of the link.
MODEL = ["network/optim:Full", "network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/weight-S:0",
         "network/latency-factor:1", "network/bandwidth-factor:1", "smpi/lat-factor:1", "smpi/bw-factor:1", "smpi/os:0:0:0:0:0", "smpi/or:0:0:0:0:0",
         "smpi/ois:0:0:0:0:0", "smpi/host-speed:1Gf"]
EVENTS = ["--log=smpi_replay.thres:verbose", "--log=root.fmt:%.12r|%a|%m%n", "--log=xbt_cfg.thres:critical"]
EVENT = re.compile(r"^([0-9.]+)\|(\d+)\|(\d+) ", re.M)


def cluster(n, bandwidth, latency):
    """Returns a platform of n hosts that share a switch. Units are SimGrid's: "1250MBps", "1us"."""
    return (f'{HEAD}<platform version="4.1"><cluster id="cluster" prefix="host" suffix="" radical="0-{n - 1}" speed="1Gf"'
            f' bw="{bandwidth}" lat="{latency}"/></platform>\n')


def zone(n, links, policy, route):
    """Returns a platform of n hosts. `links`: (name, latency, bandwidth). route(i, j): the names of links."""
    lines = [f'<host id="host{i}" speed="1Gf"/>' for i in range(n)]
    lines += [f'<link id="{name}" bandwidth="{bandwidth}Bps" latency="{latency}s" sharing_policy="{policy}"/>' for name, latency, bandwidth in links]
    for i in range(n):
        for j in range(n):
            if i != j:
                hops = "".join(f'<link_ctn id="{name}"/>' for name in route(i, j))
                lines.append(f'<route src="host{i}" dst="host{j}" symmetrical="NO">{hops}</route>')
    return f'{HEAD}<platform version="4.1"><zone id="zone" routing="Full">\n' + "\n".join(lines) + "\n</zone></platform>\n"


def mesh(n, latency, bandwidth):
    """Returns a platform without contention: each message has the bandwidth for itself. Units are seconds, and bytes a second."""
    links = [(f"link{i}-{j}", latency, bandwidth) for i in range(n) for j in range(n) if i != j]
    return zone(n, links, "FATPIPE", lambda i, j: [f"link{i}-{j}"])


def star(n, latency, bandwidth):
    """Returns a platform in which each host has a link to a switch and one from it. All its messages share them."""
    links = [(f"up{i}", latency, bandwidth) for i in range(n)] + [(f"down{i}", 0, bandwidth) for i in range(n)]
    return zone(n, links, "SHARED", lambda i, j: [f"up{i}", f"down{j}"])


def write_platform(folder, platform, n):
    (folder / "platform.xml").write_text(platform, encoding="utf-8")
    (folder / "hosts").write_text("".join(f"host{i}\n" for i in range(n)), encoding="utf-8")


def smpirun(folder, n, *arguments, cwd=None):
    """Runs smpirun with n ranks on the folder's platform, and returns its CompletedProcess."""
    command = ["smpirun", "-np", str(n), "-platform", str(folder / "platform.xml"), "-hostfile", str(folder / "hosts"), *arguments]
    return subprocess.run(command, cwd=cwd or folder, capture_output=True, text=True, timeout=TIMEOUT, check=False)


def scale_messages(exported):
    """Makes the messages of an exported trace SCALE times as long, so that the bytes that SMPI adds to each count little."""
    for path in exported.glob("rank-*.ti"):
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        for words in lines:
            if words[1] in ("send", "isend", "recv", "irecv"):
                words[4] = str(int(words[4]) * SCALE)
        path.write_text("".join(" ".join(words) + "\n" for words in lines), encoding="utf-8")


def replay(folder, exported, n, eager):
    """Replays an exported trace on the folder's platform. Returns the seconds at which each rank ends. Messages of fewer than `eager`
    bytes do not wait for their receives."""
    options = [f"--cfg={option}" for option in [*MODEL, f"smpi/async-small-thresh:{eager}", f"smpi/send-is-detached-thresh:{eager}"]]
    done = smpirun(folder, n, "-replay", "trace.ti", *options, *EVENTS, cwd=exported)
    said = done.stdout + done.stderr
    check(done.returncode == 0 and "eadlock" not in said, f"smpirun -replay: {done.returncode} {said[-2000:]}")
    ends = [0.0] * n
    for time, _, rank in EVENT.findall(said):
        ends[int(rank)] = float(time)
    return ends
