"""A headless Chromium, as far as the tests of pages need it.

The browser is spoken to by chromedriver, in the protocol WebDriver, with nothing but the standard library.
SCREENSHOTS names a directory for pictures.
"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.request

PATIENCE = 20.0
failures = []


def expect(condition, words):
    print(("ok      " if condition else "NOT OK  ") + words, flush=True)
    if not condition:
        failures.append(words)


class Browser:
    """One window, as far as this test needs it."""

    def __init__(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE,
            # What the browser tells there would fill a pipe that nothing reads yet.
            stderr=subprocess.DEVNULL, text=True)
        line = ""
        while "started successfully on port" not in line:
            line = self.driver.stdout.readline()
            if not line:
                raise SystemExit("chromedriver did not start")
        self.root = "http://127.0.0.1:" + re.search(r"port (\d+)", line).group(1)
        # Its later lines would fill the pipe.
        threading.Thread(target=self.driver.stdout.read, daemon=True).start()
        arguments = ["--headless=new", "--disable-gpu", "--window-size=1280,900"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        found = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }}})
        self.session = "/session/" + found["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.root + path, method=method, headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def go(self, address):
        self.call("POST", self.session + "/url", {"url": address})

    def run(self, script, *arguments):
        return self.call(
            "POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def keys(self, text):
        """Types where the focus is."""
        actions = []
        for key in text:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", self.session + "/actions",
                  {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def size(self, width, height):
        self.call("POST", self.session + "/window/rect", {"width": width, "height": height})

    def colours(self, scheme):
        self.call("POST", self.session + "/goog/cdp/execute", {
            "cmd": "Emulation.setEmulatedMedia",
            "params": {"features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def log(self, name):
        return self.call("POST", self.session + "/se/log", {"type": name})

    def until(self, script, *arguments):
        """Waits until a script returns something true, and returns it; None if it does not."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.run("return " + script, *arguments)
            if value:
                return value
            time.sleep(0.02)
        return None

    def picture(self, name):
        directory = os.environ.get("SCREENSHOTS")
        if directory:
            data = self.call("GET", self.session + "/screenshot")
            pathlib.Path(directory, name + ".png").write_bytes(base64.b64decode(data))

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            # Who runs the tests may have blocked milder signals, which processes inherit.
            self.driver.kill()
            self.driver.wait()


ROWS = "document.querySelectorAll('table.list tbody tr[aria-rowindex]')"
FOUND = "document.querySelector('.found')?.textContent"
NAMES = f"[...{ROWS}].map((row) => row.cells[0].textContent)"


def finish():
    """Ends with the exit code 1 if an expectation is not met."""
    print(f"{len(failures)} expectations are not met" if failures else "All expectations are met")
    sys.exit(1 if failures else 0)
