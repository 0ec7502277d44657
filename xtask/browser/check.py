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
        # Without the hostile document, which has checks of its own.
        "library": f"/?filter={quote('电网')}",
        "reader": f"/r/angui_2024/p/24?t={base['table']}",
        "search": f"/search?q={quote('母线失压')}",
        "table": f"/r/angui_2024/t/{base['table']}",
        "ask": f"/ask?q={quote('110kV 母线失压怎么处理？')}",
        "compare": "/compare?old=angui_2023&new=angui_2024",
        "impact": f"/impact?q={quote('锦苏直流')}",
        "quality": "/r/angui_2024/quality",
        "edit": "/r/angui_2024/edit",
    }


AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations
  .filter((found) => found.impact === 'serious' || found.impact === 'critical')
  .map((found) => found.id + ' ' + found.nodes.slice(0, 2).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0] ? node.any[0].message : '')).join(' || '))),
  (error) => done(['axe: ' + error]));
"""

# The button shows when the scripts have run; a key that is pressed before is lost.
KEYS_HEARD = "document.readyState === 'complete' && !document.querySelector('#keys-button').hidden"
PICTURES_LOADED = "Array.from(document.images).every((picture) => picture.complete) && document.readyState === 'complete'"


# Which views are saved as pictures, and under what name they stand in the documents.
PICTURED = {("zh", "desktop"): None, ("zh", "phone"): ("reader", "search"), ("en", "desktop"): ("reader",), ("dark", "desktop"): ("reader",)}


def look_at_every_screen(url, addresses, axe, checks, pictures):
    """Every screen in both languages at both sizes, and in dark colours."""
    for language, tag, sizes in [("zh", "zh-CN", SIZES), ("en", "en", SIZES), ("dark", "zh-CN", {"desktop": SIZES["desktop"]})]:
        driver = Driver(language="en-GB" if language == "en" else "zh-CN")
        off_host = []
        try:
            if language == "dark":
                driver.open(url + "/prefs?theme=dark&to=/")
            for size, (width, height) in sizes.items():
                driver.size(width, height)
                for name, path in addresses.items():
                    wanted = PICTURED.get((language, size), ())
                    saved = pictures / f"{name}-{language}-{size}.png" if pictures and (wanted is None or name in wanted) else None
                    checks.attempt(f"{name} {language} {size}", lambda: look(driver, url, path, tag, axe, off_host, saved))
        finally:
            driver.close()
        checks.check(f"no request leaves the host ({language})", not off_host, str(off_host[:3]))


def look(driver, url, path, tag, axe, off_host, saved):
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
    host = urllib.parse.urlsplit(url).netloc
    own = ("data:", "chrome", "devtools", "about:")
    off_host.extend(address for address in driver.requests() if urllib.parse.urlsplit(address).netloc not in ("", host) and not address.startswith(own))
    if saved:
        driver.picture(saved)
    return "; ".join(problems)


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
        problems = []
        for name in ("library", "reader", "search", "table", "ask", "compare", "impact", "quality", "edit"):
            driver.open(url + addresses[name])
            driver.wait(PICTURES_LOADED, "pictures")
            seen = set()
            for _ in range(14):
                driver.keys("tab")
                style = driver.run("const e = document.activeElement, s = getComputedStyle(e); return [e.tagName, s.outlineStyle, parseFloat(s.outlineWidth), e.outerHTML.slice(0, 80)]")
                # A file field that is out of sight shows its focus on its label.
                if style[1] == "none" or style[2] < 2:
                    problems.append(f"{name}: focus is not visible on {style[3]}")
                    break
                seen.add(style[3])
            if len(seen) < 8:
                problems.append(f"{name}: the focus goes round in {len(seen)} places")
        return "; ".join(problems)

    def cells():
        driver.open(url + addresses["reader"])
        driver.wait(PICTURES_LOADED, "pictures")
        driver.run("const cell = document.querySelector('.block td[data-col=\"2\"]'); cell.click()")
        link = driver.run("return document.querySelector('td.chosen').closest('.block').querySelector('.permalink').getAttribute('href')")
        if "row=" not in link or "col=2" not in link:
            return f"the permalink leads to {link}"
        driver.open(url + link)
        driver.wait(PICTURES_LOADED, "pictures")
        marked = driver.run("const m = document.querySelectorAll('rect.marked'); const s = document.querySelector('.boxes').getBoundingClientRect(); return [m.length, m.length && m[0].getBoundingClientRect().width / s.width]")
        return "" if marked[0] == 1 and 0.05 < marked[1] < 0.4 else f"marked: {marked}"

    def editions():
        driver.open(url + "/r/angui_2024/p/24?t=6-2&row=2")
        driver.click(".editions a")
        driver.wait("location.pathname.startsWith('/r/angui_2023/')", "the other edition")
        driver.wait(PICTURES_LOADED, "pictures")
        if not driver.run("return document.querySelectorAll('rect.marked').length"):
            return "the row is not marked there"
        return "" if driver.run("return document.querySelector('.reader-title .status').classList.contains('superseded')") else "no status"

    def help_and_peek():
        driver.open(url + "/r/angui_2024/p/24")
        driver.wait(KEYS_HEARD, "the page to hear keys")
        # Walking with the tab key may have left the focus in the browser's own bar, where a page gets no keys.
        driver.click("h1")
        driver.keys("?")
        driver.wait("document.querySelector('#keys').open", "the keys")
        driver.keys("escape")
        driver.wait("!document.querySelector('#keys').open", "the keys to close")
        page = driver.run("return location.href")
        driver.open(url + addresses["with_reference"])
        driver.wait(KEYS_HEARD, "the page to hear keys")
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
        checks.attempt("a cell has a permalink that marks it", cells)
        checks.attempt("another edition opens at the same row, with its status", editions)
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


def compare_editions(url, checks):
    driver = Driver()
    driver.size(*SIZES["desktop"])

    def work():
        driver.open(url + "/compare")
        driver.run("document.querySelector('.watch').open = true")
        driver.type("#watch", "天中直流")
        driver.run("document.querySelector('form.filters').requestSubmit()")
        driver.wait("document.querySelectorAll('.change').length", "changes")
        named = driver.run("return Array.from(document.querySelectorAll('.change')).length")
        if driver.run("return document.querySelectorAll('#beside .cutting').length") != 2:
            return "both editions are not shown beside the list"
        if named > 1:
            first = driver.run("return document.querySelector('#beside').textContent + document.querySelector('#beside image').getAttribute('href')")
            driver.keys("down")
            driver.wait("document.querySelectorAll('.change')[1].classList.contains('selected')", "the second change")
            driver.wait(f"(document.querySelector('#beside').textContent + document.querySelector('#beside image').getAttribute('href')) !== {first!r} || document.querySelectorAll('#beside .marked').length", "the places of the second change")
        for link in driver.run("return Array.from(document.querySelectorAll('.documents a')).map((a) => a.getAttribute('href'))"):
            status = driver.run_async("const done = arguments[arguments.length - 1]; fetch(arguments[0]).then((a) => a.blob().then((b) => done([a.status, b.size])))", link)
            if status[0] != 200 or status[1] < 500:
                return f"{link}: {status}"
        driver.open(url + "/compare")
        kept = driver.run("return document.querySelector('#watch').value")
        return "" if kept == "天中直流" else f"the watch list is forgotten: {kept}"

    try:
        checks.attempt("a watch list narrows the changes, both places are shown, documents come", work)
    finally:
        driver.close()


def print_pages(url, addresses, checks):
    """On paper: no controls, everything of the page, and which regulation, edition, status and page it is."""
    driver = Driver()
    driver.size(*SIZES["desktop"])
    try:
        for name, must in [("reader", ".print-head, rect.marked"), ("table", ".print-head, table.whole tbody tr"), ("ask", ".answer .verdict"), ("compare", ".change")]:
            def work():
                driver.open(url + addresses[name])
                driver.wait(PICTURES_LOADED, "pictures")
                driver.media("print")
                problems = [f"{part} is printed" for part in (".top", ".toolbar", ".filters", "#ask-form", ".block-tools", ".column-filters") if driver.displayed(part)]
                problems += [f"{part} is missing" for part in must.split(", ") if not driver.displayed(part)]
                if name == "reader":
                    head = driver.run("return document.querySelector('.print-head').innerText")
                    problems += [f"{word} is missing" for word in ("安全自动装置", "第二版", "现行", "24") if word not in head]
                    cut = driver.run("return Array.from(document.querySelectorAll('.text-pane, .picture-pane')).some((e) => getComputedStyle(e).overflowY === 'auto')")
                    problems += ["a pane is cut"] if cut else []
                made = driver.cdp("Page.printToPDF", {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69})
                driver.media("")
                return "; ".join(problems) or ("" if len(made["data"]) > 5000 else "nothing is printed")

            checks.attempt(f"{name} on paper", work)
    finally:
        driver.close()


def edit_and_upload(url, upload, checks):
    """What editors do. On loopback without tokens everybody is one."""
    driver = Driver()
    driver.size(*SIZES["desktop"])

    def details():
        driver.open(url + "/r/wengui_2024/edit")
        driver.run("document.querySelector('[name=description]').value = '限额 <b>与</b> 控制'; document.querySelector('[name=title]').form.requestSubmit()")
        driver.wait("location.search.includes('saved')", "the form to be saved")
        driver.open(url + "/")
        if "限额 <b>与</b> 控制" not in driver.run("return document.querySelector('.series-list').innerText"):
            return "the description is not shown as it was typed"
        driver.open(url + "/r/wengui_2024/edit")
        driver.run("document.querySelector('[name=event_kind]').value = 'abolished'; document.querySelector('[name=event_date]').value = '2024-06-01'; document.querySelector('[name=event_note]').value = '通知'; document.querySelector('[name=event_kind]').form.requestSubmit()")
        driver.wait("location.search.includes('saved')", "the event to be recorded")
        status = driver.run("return document.querySelector('.status').className")
        driver.run("document.querySelector('[name=forget]').form.requestSubmit()")
        driver.wait("!document.querySelector('[name=forget]')", "the event to be taken back")
        return "" if "superseded" in status else f"the status does not follow the event: {status}"

    def signing():
        driver.open(url + "/r/angui_2024/quality")
        driver.run("const form = document.querySelector('.finding form'); form.name.value = '张'; form.closest('details').open = true")
        driver.run("const form = document.querySelector('.finding form'); form.elements.name.value = '张'; form.requestSubmit(form.querySelector('[value=accepted]'))")
        driver.wait("document.querySelector('.finding.accepted')", "the finding to be accepted")
        driver.run("const form = document.querySelector('.sign-off form'); form.elements.name.value = '张'; form.requestSubmit(form.querySelector('[value=signed_off]'))")
        driver.wait("document.querySelector('.sign-off li') && document.querySelector('.sign-off li').textContent.includes('张')", "the signature")
        driver.open(url + "/")
        return "" if driver.run("return !!document.querySelector('.chip.good')") else "the library does not show it"

    def dropped():
        driver.open(url + "/")
        driver.run("document.querySelector('.upload').open = true")
        driver.type("#file", str(upload))
        driver.wait("location.pathname.endsWith('/quality')", "the quality report of the upload", 90)
        return ""

    try:
        checks.attempt("details are edited, events decide the status", details)
        checks.attempt("findings are accepted and the reading is signed off", signing)
        if upload:
            checks.attempt("a file is uploaded and its report shown", dropped)
    finally:
        driver.close()


def sign_in(url, token, checks):
    """A server that asks for tokens."""
    driver = Driver()

    def work():
        driver.open(url + "/r/angui_2024/p/24")
        if "母线失压" in driver.source():
            return "the page is open to everybody"
        driver.type("[name=token]", "wrong" + KEYS["enter"])
        driver.wait("document.querySelector('.warning, [role=alert]')", "the refusal")
        driver.open(url + "/r/angui_2024/p/24")
        driver.type("[name=token]", token + KEYS["enter"])
        driver.wait("location.pathname === '/r/angui_2024/p/24' && document.querySelector('.page-text')", "the page")
        driver.wait(PICTURES_LOADED, "pictures")
        if driver.run("return document.cookie.includes('session')"):
            return "scripts can read the cookie"
        if driver.run("return !document.querySelector('.sheet-picture').naturalWidth"):
            return "the picture is refused"
        if driver.run("return !!document.querySelector('a[href$=\"/edit\"]')"):
            return "a reader is offered to edit"
        driver.run("document.querySelector('form[action=\"/logout\"]').requestSubmit()")
        driver.wait("location.pathname === '/login'", "the way out")
        driver.open(url + "/r/angui_2024/p/24")
        return "" if "母线失压" not in driver.source() else "the session goes on"

    try:
        checks.attempt("a token is exchanged for a cookie; readers read; signing out ends it", work)
    finally:
        driver.close()


def without_scripts(url, addresses, checks):
    driver = Driver(scripts=False)
    wanted = {"library": "安全自动装置", "reader": 'class="marked"', "search": 'class="marked"', "table": "row-0", "compare": "<del>", "impact": "锦苏直流", "ask": "核实", "quality": "签核"}
    try:
        for name, words in wanted.items():
            def work():
                driver.open(url + addresses[name])
                return "" if driver.settle(lambda: words in driver.source()) else f"{words} is missing"

            checks.attempt(f"{name} without JavaScript", work)

        def turn():
            driver.open(url + "/r/angui_2024/p/5")
            driver.click('a[rel="next"]')
            if not driver.settle(lambda: driver.address().endswith("/p/6")):
                return driver.address()
            driver.type(".jump input", "9" + KEYS["enter"])
            return "" if driver.settle(lambda: driver.address().endswith("/p/9")) else driver.address()

        def table():
            driver.open(url + addresses["table"])
            driver.type('[name="c0"]', "220" + KEYS["enter"])
            if not driver.settle(lambda: "双母线全停" in driver.source() and 'id="row-0"' not in driver.source()):
                return "the filter of a column does nothing"
            driver.open(url + addresses["table"])
            driver.type('[name="find"]', "电压等级 = 500" + KEYS["enter"])
            return "" if driver.settle(lambda: "is-marked" in driver.source()) else "no row is found"

        def search():
            driver.open(url + "/")
            driver.type("#q", "母线失压" + KEYS["enter"])
            driver.click(".hit:nth-child(2) .cut")
            chosen = driver.settle(lambda: "sel=1" in driver.address() and 'class="marked"' in driver.source())
            return "" if chosen else driver.address()

        checks.attempt("pages turn without JavaScript", turn)
        checks.attempt("tables filter and find without JavaScript", table)
        checks.attempt("hits are chosen without JavaScript", search)
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
    parser.add_argument("--upload", type=pathlib.Path, help="a file to upload")
    parser.add_argument("--guarded", default="", help="address of a server over the same library that asks for a token")
    parser.add_argument("--token", default="", help="a reader's token for it")
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
    compare_editions(url, checks)
    print_pages(url, addresses, checks)
    without_scripts(url, addresses, checks)
    if arguments.guarded:
        sign_in(arguments.guarded.rstrip("/"), arguments.token, checks)
    edit_and_upload(url, arguments.upload, checks)
    hostile(url, arguments.hostile, checks)
    print(f"browser: {checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
