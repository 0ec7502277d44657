#!/usr/bin/env python3
"""Drives Debian's Chromium over WebDriver against a running `regreader web`. Standard library only.

`cargo xtask browser` starts the server over the sample library and a hostile document, then runs this. Every check prints
`ok:` or `FAILED:`; the exit code is 1 when one failed. With `--pictures DIR` the main screens are saved there.
"""

import argparse
import pathlib
import sys
import time
import urllib.parse

from driver import KEYS, SIZES, Driver


class Checks:
    def __init__(self):
        self.failed = 0
        self.passed = 0

    def check(self, name, holds, why=""):
        if holds:
            self.passed += 1
            print(f"ok: {name}")
        else:
            self.failed += 1
            print(f"FAILED: {name}: {why}")

    def attempt(self, name, work):
        try:
            why = work()
            self.check(name, not why, why)
        except Exception as error:  # noqa: BLE001 - a check that breaks has failed
            self.check(name, False, f"{type(error).__name__}: {error}")


def screens(base):
    quote = urllib.parse.quote
    return {
        "library": "/",
        "reader": f"/r/angui_2024/p/24?t={base['table']}",
        "search": f"/search?q={quote('母线失压')}",
        "table": f"/r/angui_2024/t/{base['table']}",
        "ask": f"/ask?q={quote('110kV 母线失压怎么处理？')}",
        "compare": "/compare?old=angui_2023&new=angui_2024",
        "impact": f"/impact?q={quote('锦苏直流')}",
        "quality": "/r/angui_2024/quality",
    }


AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations
  .filter((found) => found.impact === 'serious' || found.impact === 'critical')
  .map((found) => found.id + ' ' + found.nodes.slice(0, 2).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0] ? node.any[0].message : '')).join(' || '))),
  (error) => done(['axe: ' + error]));
"""

PICTURES_LOADED = "Array.from(document.images).every((picture) => picture.complete) && document.readyState === 'complete'"


def look_at_every_screen(url, addresses, axe, checks, pictures):
    host = urllib.parse.urlsplit(url).netloc
    for language, tag in [("zh", "zh-CN"), ("en", "en")]:
        driver = Driver(language="zh-CN" if language == "zh" else "en-GB")
        off_host = []
        try:
            for size, (width, height) in SIZES.items():
                driver.size(width, height)
                for name, path in addresses.items():
                    title = f"{name} {language} {size}"

                    def work():
                        driver.open(url + path)
                        driver.wait(PICTURES_LOADED, "pictures")
                        problems = []
                        if driver.run("return document.documentElement.lang") != tag:
                            problems.append("wrong language")
                        wide = driver.run("return document.documentElement.scrollWidth - window.innerWidth")
                        if wide > 0:
                            problems.append(f"{wide} px wider than the screen")
                        broken = driver.run("return Array.from(document.images).filter((i) => !i.naturalWidth).map((i) => i.src)")
                        if broken:
                            problems.append(f"pictures missing: {broken}")
                        severe = [entry["message"] for entry in driver.log("browser") if entry["level"] == "SEVERE"]
                        if severe:
                            problems.append(f"console: {severe[:2]}")
                        if axe:
                            driver.run(axe)
                            problems += driver.run_async(AXE)
                        off_host.extend(address for address in driver.requests()
                                        if urllib.parse.urlsplit(address).netloc not in ("", host) and not address.startswith(("data:", "chrome", "devtools")))
                        if pictures and (language, size) == ("zh", "desktop") or pictures and name in ("reader", "search") and (language, size) in (("zh", "phone"), ("en", "desktop")):
                            driver.picture(pictures / f"{name}-{language}-{size}.png")
                        return "; ".join(problems)

                    checks.attempt(title, work)
        finally:
            driver.close()
        checks.check(f"no request leaves the host ({language})", not off_host, str(off_host[:3]))


def use_the_keyboard(url, addresses, checks):
    driver = Driver()
    driver.size(*SIZES["desktop"])

    def pages():
        driver.open(url + "/r/angui_2024/p/5")
        driver.keys("right")
        driver.wait("location.pathname.endsWith('/p/6')", "the next page")
        driver.keys("left")
        driver.wait("location.pathname.endsWith('/p/5')", "the page before")
        driver.call("POST", "/back")
        driver.wait("location.pathname.endsWith('/p/6')", "the back button")

    def search():
        driver.open(url + "/")
        driver.keys("/")
        driver.wait("document.activeElement.id === 'q'", "focus in the search field")
        driver.type("#q", "母线失压" + KEYS["enter"])
        driver.wait("document.querySelectorAll('.hit').length > 1", "hits")
        first = driver.run("return document.querySelector('#beside').innerHTML")
        driver.run("document.activeElement.blur()")
        driver.keys("down")
        driver.wait("document.querySelectorAll('.hit')[1].classList.contains('selected')", "the second hit")
        deadline = time.monotonic() + 20
        while driver.run("return document.querySelector('#beside').innerHTML") == first:
            if time.monotonic() > deadline:
                raise RuntimeError("the page beside the list does not follow")
            time.sleep(0.05)
        if not driver.run("return !!document.querySelector('#beside .marked')"):
            return "nothing is marked beside the list"
        driver.keys("enter")
        driver.wait("location.pathname.startsWith('/r/')", "the page of the hit")
        return ""

    def blocks():
        driver.open(url + "/r/angui_2024/p/24")
        driver.wait(PICTURES_LOADED, "pictures")
        driver.keys("j")
        driver.wait("document.activeElement.classList.contains('block')", "a block with focus")
        if not driver.run("const id = document.activeElement.dataset.block; return !!document.querySelector(`rect.box.lit[data-block=\"${id}\"]`)"):
            return "the box of the focused block is not lit"
        return ""

    def focus():
        driver.open(url + "/")
        seen = set()
        for _ in range(12):
            driver.keys("tab")
            style = driver.run("const s = getComputedStyle(document.activeElement); return [document.activeElement.tagName, s.outlineStyle, parseFloat(s.outlineWidth)]")
            if style[1] == "none" or style[2] < 2:
                return f"focus is not visible on {style}"
            seen.add(driver.run("return document.activeElement.outerHTML.slice(0, 80)"))
        return "" if len(seen) > 8 else f"the focus goes round in {len(seen)} places"

    def help_and_peek():
        driver.open(url + "/r/angui_2024/p/24")
        driver.keys("?")
        driver.wait("document.querySelector('#keys').open", "the keys")
        driver.keys("escape")
        driver.wait("!document.querySelector('#keys').open", "the keys to close")
        page = driver.run("return location.href")
        driver.open(url + addresses["with_reference"])
        driver.run("document.querySelector('a.ref[data-peek]').focus()")
        driver.keys("enter")
        driver.wait("!document.querySelector('#peek').hidden && document.querySelector('#peek .peek-body').textContent.trim()", "the peek")
        driver.keys("escape")
        driver.wait("document.querySelector('#peek').hidden", "the peek to close")
        return "" if page else "no page"

    try:
        checks.attempt("keys turn pages and back goes back", pages)
        checks.attempt("keys walk through hits, and the page follows, marked", search)
        checks.attempt("block and box light up together", blocks)
        checks.attempt("focus is visible everywhere", focus)
        checks.attempt("help and peek open and close with keys", help_and_peek)
    finally:
        driver.close()


def ask_a_question(url, checks, pictures):
    driver = Driver()
    driver.size(*SIZES["desktop"])

    def streamed():
        driver.open(url + "/ask")
        driver.type("#question", "天中直流的稳定限额和安控措施" + KEYS["enter"])
        driver.wait("document.querySelector('.answer .verdict')", "an answer with verdicts", 60)
        driver.wait("document.querySelector('#beside .sheet, #beside .page-text')", "the page of the first statement")
        if not driver.run("return location.pathname.startsWith('/ask/')"):
            return "the answer has no address"
        driver.run("document.querySelectorAll('.statement a.citation[data-sheet]')[document.querySelectorAll('.statement a.citation[data-sheet]').length - 1].click()")
        driver.wait("document.querySelector('.statement.active')", "a chosen statement")
        driver.wait(PICTURES_LOADED, "pictures")
        if pictures:
            driver.picture(pictures / "ask-zh-desktop.png")
        address = driver.address()
        driver.open(address)
        driver.wait("document.querySelector('.answer .verdict')", "the same answer at its address")
        for file in ("answer.md", "answer.docx"):
            status = driver.run_async("const done = arguments[arguments.length - 1]; fetch(arguments[0]).then((a) => a.blob().then((b) => done([a.status, b.size])))", f"{address}/{file}")
            if status[0] != 200 or status[1] < 100:
                return f"{file}: {status}"
        return ""

    try:
        checks.attempt("a question is streamed, judged, opened and exported", streamed)
    finally:
        driver.close()


def without_scripts(url, addresses, checks):
    driver = Driver(scripts=False)
    try:
        for name in ("library", "reader", "search", "table"):
            def work():
                driver.open(url + addresses[name])
                source = driver.source()
                wanted = {"library": "angui_2024", "reader": 'class="marked"', "search": 'class="marked"', "table": "row-0"}[name]
                return "" if wanted in source else f"{wanted} is missing"

            checks.attempt(f"{name} without JavaScript", work)

        def turn():
            driver.open(url + "/r/angui_2024/p/5")
            driver.click('a[rel="next"]')
            return "" if driver.address().endswith("/p/6") else driver.address()

        checks.attempt("pages turn without JavaScript", turn)
    finally:
        driver.close()


def hostile(url, reg_id, checks):
    if not reg_id:
        return
    driver = Driver()
    try:
        def work():
            problems = []
            paths = [f"/r/{reg_id}/p/1", f"/r/{reg_id}/t", f"/r/{reg_id}/quality", "/", "/search?q=alert&reg=all",
                     "/search?q=%3Cimg%20src%3Dx%20onerror%3D%22window.pwned%3D1%22%3E", f"/r/{reg_id}/p/1?q=%22%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E",
                     "/ask?q=%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E"]
            for path in paths:
                driver.open(url + path)
                if driver.run("return window.pwned"):
                    problems.append(path)
                if driver.run("return Array.from(document.scripts).some((s) => !s.src)"):
                    problems.append(f"inline script in {path}")
            return "; ".join(problems)

        checks.attempt("hostile text executes nothing", work)
    finally:
        driver.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--table", default="6-2")
    parser.add_argument("--with-reference", default="/r/angui_2024/p/24")
    parser.add_argument("--hostile", default="")
    arguments = parser.parse_args()
    url = arguments.url.rstrip("/")
    addresses = screens({"table": arguments.table})
    axe = arguments.axe.read_text() if arguments.axe else None
    if not axe:
        print("skipped: accessibility: axe-core is not there")
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    look_at_every_screen(url, addresses, axe, checks, arguments.pictures)
    use_the_keyboard(url, {**addresses, "with_reference": arguments.with_reference}, checks)
    ask_a_question(url, checks, arguments.pictures)
    without_scripts(url, addresses, checks)
    hostile(url, arguments.hostile, checks)
    print(f"browser: {checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
