"""The row of pages: what a browser does with the pages and pictures of a trace whose names are markup and scripts.

Names must be text only. Also, each page has a policy (Content-Security-Policy) that stops all foreign scripts and requests. So the
harness puts markup into a page, which must not act. Without the policy it must act, or the harness would see nothing.
"""
import html
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parents[2]
PATHS = ("", "time/10%-50%", "proc/0", "region/#1", "region/#3/time/20%-60%", "proc/1/region/#2,#5")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 20  # until markup without a policy must have acted
POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy"[^>]*/>')

# Names that would act if one layer of escaping were missing. URL is the address of a server that must get no request.
NAMES = ("</title><script>hit=1</script>", "<img src='URL' onerror='hit=1'>", "\"><script src='URL'></script>", "]]></script><script>hit=1</script>",
         "<style>@import 'URL';</style>", "' onload='hit=1", "\" onmouseover=\"hit=1\" style=\"background:url(URL)", "--><svg onload=hit=1>",
         "javascript:hit=1", "&lt;script&gt;hit=1&lt;/script&gt;", "</text><foreignObject><iframe src='URL'/></foreignObject>", "\\u003cscript>hit=1")
# Markup inside a page. All of it acts in a page without a policy.
MARKUP = ("<script>hit=1</script>", "<script src='URL'></script>", "<img src='URL'/>", "<img src='x:' onerror='hit=1'/>", "<link rel='stylesheet' href='URL'/>",
          "<style>@import 'URL';</style>", "<iframe src='URL'></iframe>", "<object data='URL'></object>", "<embed src='URL'/>", "<video src='URL' autoplay=''></video>",
          "<svg onload='hit=1'></svg>", "<div style=\"background:url('URL');width:9px;height:9px\"></div>", "<iframe srcdoc='&lt;script&gt;parent.hit=1&lt;/script&gt;'></iframe>",
          "<script>try{var r=new XMLHttpRequest();r.open('GET','URL',false);r.send()}catch(e){}</script>", "<svg><image href='URL'/></svg>")

WATCH = "var violations=[];document.addEventListener('securitypolicyviolation',function(e){violations.push(e.violatedDirective+' '+e.blockedURI)});"
# Attributes that act, and links that leave the directory's tree.
ACTING = """[...document.querySelectorAll('*')].flatMap(e => [...e.attributes].filter(a => /^on/i.test(a.name) ||
    /^(href|src|srcset|action|data|formaction|xlink:href)$/i.test(a.name) && !/^(data:image\\/png;base64,[^:]*|[^:\\/][^:]*)$/.test(a.value)).map(a => e.tagName + ' ' + a.name + '=' + a.value))"""
SCRIPTS = "[...document.querySelectorAll('script')].filter(s => s.type != 'application/json').length"


LEAST = 30  # pages and pictures


def text_of(name):
    """Returns a name as XML text, in which pictures escape quotes, too."""
    return html.escape(name).replace("&#x27;", "&#39;")


class Server:
    """A server of this machine that counts requests."""

    def __enter__(self):
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                self.requests.append(handler.path)
                handler.send_response(404)
                handler.end_headers()

            def log_message(handler, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def fill(self, text):
        return text.replace("URL", f"http://127.0.0.1:{self.server.server_port}/x")


class Pages:
    """Pages of one hostile trace, copied out of its tree and shown in a browser."""

    def __init__(self, torture, folder, server, browser):
        self.torture, self.folder, self.server, self.browser, self.number = torture, folder, server, browser, 0
        self.xtf = torture.program("src/cli/xtf")
        self.traces = [folder / f"<img src=x onerror=hit=1>'\"{name}.xtf" for name in ("markup", "control characters")]

    def check(self, condition, *words):
        self.torture.count()
        self.number += 1
        return self.torture.check(condition, "browser", self.number, *words)

    def make_traces(self):
        """Makes a trace of calls in regions with hostile names, and messages, with an analysis. Makes one in which all texts have control
        characters."""
        regions = [self.server.fill(name) for name in NAMES]
        lines = [f"{proc} {100 * i + d} {event} {i}" for proc in range(3) for i in range(len(regions)) for d, event in ((0, "enter"), (90 - 20 * proc, "leave"))]
        messages = ["0 5 send 1 10", "1 6 recv 0 10"]
        lines[1:1] = messages[:1]
        lines[2 * len(regions) + 2:2 * len(regions) + 2] = messages[1:]
        subprocess.run([self.torture.program("tests/pictures/make-run"), self.traces[0], "3", *regions], input="\n".join(lines) + "\n", text=True, check=True)
        subprocess.run([self.xtf, "analyze", "-q", self.traces[0]], check=True)
        subprocess.run([self.torture.program("tests/fuzz/write-names"), self.traces[1], "nasty"], check=True)

    def copies(self, trace):
        """Yields the path in the tree of each page and picture, and its copy."""
        for path in PATHS:
            # Some paths exist in one trace only.
            names = subprocess.run([self.xtf, "ls", trace, f"/{path}"], capture_output=True, text=True, check=False).stdout.split()
            for name in {*names, "index.html", "timeline.html"}:
                if name.endswith((".html", ".svg")):
                    copy = self.folder / f"copy-{len(list(self.folder.iterdir()))}{pathlib.Path(name).suffix}"
                    done = subprocess.run([self.xtf, "cat", trace, f"{path}/{name}".lstrip("/")], capture_output=True, check=False)
                    if done.returncode == 0:
                        copy.write_bytes(done.stdout)
                        yield f"{path}/{name}", copy

    def show(self, copy):
        """Shows a page. Returns the addresses that the browser asked for, apart from the page."""
        self.browser.go(copy.as_uri())
        urls = [event["params"]["request"]["url"] for event in self.seen if event.get("method") == "Network.requestWillBeSent"]
        self.seen.clear()
        return [url for url in urls if url != copy.as_uri() and not url.startswith("data:image/png;")]

    def watch(self):
        """Keeps all events of the browser, which waits for some of them alone."""
        self.seen, read = [], self.browser.read

        def keep():
            message = read()
            self.seen.append(message)
            return message

        self.browser.read = keep
        self.browser.ask("Network.enable")
        self.browser.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def check_copy(self, path, copy):
        urls = self.show(copy)
        self.check(not urls, f"{path} asks for {urls[:3]}")
        self.check(not self.browser.run("window.hit"), f"{path}: a name has run as a script")
        self.check(not self.browser.run(ACTING), f"{path}: attributes act, or lead elsewhere: {self.browser.run(ACTING)[:3]}")
        violations = self.browser.run("violations")
        self.check(not violations, f"{path}: the policy stops {violations[:3]}")
        page = path.endswith(".html")
        self.check(self.browser.run(SCRIPTS) <= page, f"{path} has {self.browser.run(SCRIPTS)} scripts")
        if page:
            self.check(len(POLICY.findall(copy.read_bytes())) == 1, f"{path} has no policy")
            drags = self.browser.run(f"{SCRIPTS} == 0 || document.querySelector('svg.xt').classList.contains('xt-dragged')")
            self.check(drags, f"{path}: the page's own script did not run")

    def has_acted(self):
        return bool(self.server.requests) or bool(self.browser.run("window.hit"))

    def check_policy(self, path, copy):
        """Puts markup into a page, with the policy and without."""
        text, acts = copy.read_bytes(), self.folder / "acts.html"
        for markup in MARKUP:
            for with_policy in True, False:
                body = text.replace(b"<body>", b"<body>" + self.server.fill(markup).encode(), 1)
                acts.write_bytes(body if with_policy else POLICY.sub(b"", body))
                self.server.requests.clear()
                self.show(acts)
                acted = self.has_acted()
                end = time.monotonic() + SECONDS
                while not acted and not with_policy and time.monotonic() < end:
                    acted = self.has_acted()
                self.check(acted != with_policy, f"{path}: {markup} {'acts in spite of the policy' if acted else 'does not act without a policy'}")


def try_pages(torture, folder):
    if not any(map(shutil.which, BROWSERS)):
        print("browser: left out, since there is no chromium here")
        return
    sys.path[:0] = [str(TESTS / "pictures"), str(TESTS / "roundtrip")]
    from browser import Browser
    with Server() as server, Browser() as browser:
        pages = Pages(torture, folder, server, browser)
        pages.make_traces()
        pages.watch()
        copies = [copy for trace in pages.traces for copy in pages.copies(trace)]
        pages.check(len(copies) > LEAST, f"only {len(copies)} pages and pictures")
        shown = b"".join(copy.read_bytes() for _, copy in copies)
        for name in NAMES:
            pages.check(shown.count(text_of(server.fill(name))[:20].encode()) > 1, f"no page shows {name}")
        for path, copy in copies:
            pages.check_copy(path, copy)
        for wanted in "/index.html", "/timeline.html":
            pages.check_policy(wanted, next(copy for path, copy in copies if path == wanted))
