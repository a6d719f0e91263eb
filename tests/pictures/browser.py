"""A headless Chromium, controlled through a pipe (the DevTools protocol), so that tests need only the browser and Python."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile

from xtfrun import Failure, skip

OPTIONS = ["--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--mute-audio", "--remote-debugging-pipe",
           "--allow-file-access-from-files=false"]
TIMEOUT = 180


def need_browser():
    """Returns the program; ends the script as skipped if there is none."""
    for name in "chromium", "chromium-browser", "google-chrome":
        if shutil.which(name):
            return name
    skip("no chromium here")


class Browser:
    """One page of a browser. The browser ends with its `with` statement."""

    def __init__(self):
        self.program = need_browser()

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="xtf-test-")
        to_child, self.out = os.pipe()
        self.back, from_child = os.pipe()
        # The browser only reads files of the tests. Root, a chroot, or a system without another package cannot use its sandbox.
        options = OPTIONS + [f"--user-data-dir={self.folder}", "--no-sandbox"]

        def connect():
            # The browser reads its file 3 and writes its file 4.
            kept = [os.dup(to_child), os.dup(from_child)]
            kept = [os.dup(fd) for fd in kept]  # now above 4
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([self.program, *options, "about:blank"], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, preexec_fn=connect, pass_fds=(3, 4), env={**os.environ, "TMPDIR": self.folder})
        os.close(to_child)
        os.close(from_child)
        self.unread, self.number, self.events, self.session = b"", 0, [], None
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)
        self.ask("Runtime.enable")
        return self

    def __exit__(self, *exception):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.back)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        """Reads the next message."""
        while b"\0" not in self.unread:
            if not select.select([self.back], [], [], TIMEOUT)[0]:
                raise Failure(f"{self.program} gives no answer in {TIMEOUT} s")
            part = os.read(self.back, 1 << 20)
            if not part:
                self.log.seek(0)
                raise Failure(f"{self.program} ended: {self.log.read()[-2000:].decode(errors='replace')}")
            self.unread += part
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event, fits=lambda parameters: True):
        """Returns the parameters of the next event with this name for which `fits` is true. Considers events since the begin of the last command."""
        while True:
            while self.events:
                seen = self.events.pop(0)
                if seen.get("method") == event and fits(seen["params"]):
                    return seen["params"]
            self.events.append(self.read())

    def wait_until_loaded(self, loader):
        """Waits for the load event of one navigation. On a busy machine the event of an earlier page may arrive late."""
        self.wait_for("Page.lifecycleEvent", lambda seen: seen["name"] == "load" and seen["loaderId"] == loader)

    def go(self, url):
        """Shows a page and waits until it is loaded."""
        self.events.clear()
        answer = self.ask("Page.navigate", url=url)
        if "errorText" in answer:
            raise Failure(f"{url}: {answer['errorText']}")
        self.wait_until_loaded(answer["loaderId"])

    def follow(self, action):
        """Performs an action and waits until the page that it leads to is loaded."""
        self.events.clear()
        action()
        shown = self.wait_for("Page.frameNavigated", lambda seen: "parentId" not in seen["frame"])
        if shown.get("type") != "BackForwardCacheRestore":
            self.wait_until_loaded(shown["frame"]["loaderId"])

    def go_back(self):
        """Goes back as the button does. A script that goes back might end with its page before it is answered."""
        history = self.ask("Page.getNavigationHistory")
        self.ask("Page.navigateToHistoryEntry", entryId=history["entries"][history["currentIndex"] - 1]["id"])

    def run(self, script):
        """Returns the value of an expression in the page. Awaits a promise."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{script[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def view(self, width, height, scale=1, dark=False):
        """Sets the size of the window, the number of pixels of the screen for one of the page, and the preferred colours."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, full_page=True):
        """Returns a PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=full_page)["data"])
