"""A Chromium that WebDriver drives, with the few commands that the checks use. Standard library only."""

import base64
import json
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from picture import shrink

SIZES = {"desktop": (1366, 768), "phone": (390, 844)}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"right": "\ue014", "left": "\ue012", "down": "\ue015", "up": "\ue013", "escape": "\ue00c", "tab": "\ue004", "enter": "\ue007"}


class Driver:
    """A chromedriver and one session in it."""

    def __init__(self, scripts=True, language="zh-CN"):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        preferences = {"intl.accept_languages": language}
        if not scripts:
            preferences["profile.managed_default_content_settings.javascript"] = 2
        options = {
            "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--hide-scrollbars", f"--lang={language}", f"--user-data-dir={self.profile.name}"],
            "prefs": preferences,
        }
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        deadline = time.monotonic() + 60
        while True:
            try:
                made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}}, session=False)
                break
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        self.session = made["sessionId"]
        self.call("POST", "/timeouts", {"script": 60000, "pageLoad": 60000, "implicit": 0 if scripts else 10000})

    def call(self, method, path, body=None, session=True):
        prefix = f"/session/{self.session}" if session else ""
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + prefix + path, data=data, method=method, headers={"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def address(self):
        return self.call("GET", "/url")

    def source(self):
        return self.call("GET", "/source")

    def size(self, width, height):
        # Headless windows are never narrower than 500; the emulated screen is.
        self.cdp("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def cdp(self, command, arguments):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": arguments})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def keys(self, *names):
        actions = []
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def wait(self, script, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not self.run(f"return !!({script})"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited in vain for {what}")
            time.sleep(0.05)

    def settle(self, holds, seconds=15):
        """Waits until something holds. Without scripts the driver does not wait for the next page by itself."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if holds():
                    return True
            except RuntimeError:
                pass  # the page is being exchanged
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def requests(self):
        """Addresses that were asked for since the last call."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def picture(self, path):
        path.write_bytes(shrink(base64.b64decode(self.call("GET", "/screenshot"))))

    def media(self, name):
        """Shows the page as on paper (`print`), or on the screen again."""
        self.cdp("Emulation.setEmulatedMedia", {"media": name})

    def displayed(self, selector):
        """How many elements of a selector are to be seen."""
        return self.run("return Array.from(document.querySelectorAll(arguments[0])).filter((e) => e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden').length", selector)

    def close(self):
        try:
            self.call("DELETE", "")
        except Exception:  # noqa: BLE001 - it is going away in any case
            pass
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()
