#!/usr/bin/env python3
"""Attacks on the program at full size: `cargo xtask bench damage`, or this file with --binary.

index      damaged index files and flipped bits: noticed, nothing wrong shown, no panic, mended by `doctor --repair`
reindex    searches on a server while `reindex` runs in a loop: none empty, none failing
calls      calls with large arguments: size of the answers, memory before and after
documents  crafted documents beside a good one: the good one is stored; memory and CPU time of each
load       many clients for a while: errors, memory, times

Python's standard library alone. Prints one line per bar and fails when one is missed.
"""

import argparse
import concurrent.futures
import http.client
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

QUERIES = ["母线失压如何处理", "天中直流线路N-1方式限额", "故障处置", "调度员 职责"]
missed = []


def bar(name, ok, text):
    print(f"{'ok  ' if ok else 'MISS'} {name}: {text}", flush=True)
    if not ok:
        missed.append(name)


def plain(text):
    """Letters and digits alone: snippets drop white space and Markdown."""
    return "".join(c for c in text if c.isalnum())


class Program:
    def __init__(self, binary, data):
        self.binary, self.data = str(binary), str(data)

    def run(self, *arguments, timeout=300):
        command = [self.binary, "--data-dir", self.data, *arguments]
        return subprocess.run(command, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL)

    def json(self, *arguments):
        done = self.run("--json", *arguments)
        try:
            return done, json.loads(done.stdout or b"null")
        except ValueError:
            return done, None


class Server:
    def __init__(self, program):
        serve = ["serve", "--transport", "http", "--port", "0", "--set", "mcp_rate_limit=0"]
        self.child = subprocess.Popen(
            [program.binary, "--data-dir", program.data, *serve],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        self.said = []
        for line in self.child.stderr:
            found = re.search(rb"listening on http://([^/]+)/", line)
            if found:
                self.address = found.group(1).decode()
                break
        threading.Thread(target=lambda: self.said.extend(self.child.stderr), daemon=True).start()

    def rss(self):
        text = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024

    def stop(self):
        self.child.terminate()
        self.child.wait(timeout=30)


class Client:
    """One connection with one session."""

    def __init__(self, server):
        self.server, self.number = server, 0
        self.open()

    def open(self):
        self.http = http.client.HTTPConnection(self.server.address, timeout=120)
        self.session = None
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.post("initialize", hello)
        self.post("notifications/initialized", {}, notify=True)

    def post(self, method, params, notify=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if not notify:
            self.number += 1
            message["id"] = self.number
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self.session:
            headers["mcp-session-id"] = self.session
        self.http.request("POST", "/mcp", json.dumps(message), headers)
        answer = self.http.getresponse()
        self.session = answer.getheader("mcp-session-id") or self.session
        body = answer.read()
        return answer.status, body

    def call(self, tool, arguments):
        try:
            status, body = self.post("tools/call", {"name": tool, "arguments": arguments})
        except (BrokenPipeError, ConnectionResetError, http.client.HTTPException):
            # A body past the limit is refused before it was sent to its end.
            self.open()
            return 413, None, 0
        lines = [line[5:] for line in body.splitlines() if line.startswith(b"data:") and len(line) > 6]
        text = lines[-1] if lines else body
        try:
            result = json.loads(text).get("result")
        except ValueError:
            result = None
        return status, result, len(body)


# --- index -----------------------------------------------------------------------------------------------------------


def truth_of(program):
    """Everything that stands on a page or in a table, letters and digits alone."""
    _, listed = program.json("list")
    text = []
    for info in listed["regulations"]:
        for first in range(1, info["total_pages"] + 1, 10):
            last = min(first + 9, info["total_pages"])
            _, pages = program.json("read-pages", info["reg_id"], str(first), str(last), "--include-pages")
            text.append(json.dumps(pages, ensure_ascii=False).replace("\\n", "").replace("\\\\", ""))
        folder = Path(program.data) / "regulations" / info["reg_id"]
        for name in [folder / "tables.json", *sorted((folder / "pages").iterdir())]:
            for string in strings(json.loads(name.read_text())):
                text.append(string)
    return plain("".join(text))


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)


def wrong_texts(hits, truth):
    for hit in hits:
        for piece in re.split(r"[\n|…]", hit["snippet"].replace("**", "")):
            if plain(piece) not in truth:
                yield piece


def damage(rng, path, kind):
    content = bytearray(path.read_bytes())
    if kind == "flip":
        at = rng.randrange(len(content))
        content[at] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
    elif kind == "cut":
        path.write_bytes(content[: rng.randrange(len(content))])
    elif kind == "zero":
        path.write_bytes(bytes(len(content)))
    elif kind == "noise":
        path.write_bytes(rng.randbytes(len(content)))
    elif kind == "gone":
        path.unlink()


def attack_index(program, flips, files):
    for query in QUERIES:
        program.run("search", query)
    program.run("search-tables", QUERIES[1])
    truth = truth_of(program)
    index = Path(program.data) / "index"
    kept = index.with_name("index-kept")
    shutil.copytree(index, kept)
    targets = [p.relative_to(index) for p in sorted(index.rglob("*")) if p.is_file() and p.stat().st_size]
    rng = random.Random(1)
    counts = dict.fromkeys(["tried", "unnoticed", "wrong", "panics", "failed", "unmended"], 0)
    for number in range(flips + files):
        kind = "flip" if number < flips else ["cut", "zero", "noise", "gone"][number % 4]
        shutil.rmtree(index)
        shutil.copytree(kept, index)
        target = rng.choice(targets)
        damage(rng, index / target, kind)
        what = f"{kind} {target}"
        counts["tried"] += 1
        doctor, health = program.json("doctor")
        state = (health or {}).get("index") or {}
        noticed = doctor.returncode != 0 or any(state.get(k) for k in ("damaged", "stale", "surplus"))
        query = QUERIES[number % len(QUERIES)]
        searched, found = program.json("search", query)
        noticed |= b"\xe7\xb4\xa2\xe5\xbc\x95" in searched.stderr  # 索引 … is said on stderr
        tables, found_tables = program.json("search-tables", QUERIES[1])
        for done in (doctor, searched, tables):
            counts["panics"] += b"panicked at" in done.stderr or done.returncode in (101, -6, -11, -7)
        counts["failed"] += searched.returncode not in (0, 1) or tables.returncode not in (0, 1)
        hits = ((found or {}).get("hits") or []) + ((found_tables or {}).get("tables") or [])
        wrong = list(wrong_texts(hits, truth))
        if wrong:
            print("  wrong:", what, wrong[:2])
        counts["wrong"] += bool(wrong)
        if not noticed:
            print("  unnoticed:", what)
            counts["unnoticed"] += 1
        program.run("doctor", "--repair")
        again, health = program.json("doctor")
        if again.returncode or ((health or {}).get("index") or {"damaged": True})["damaged"]:
            print("  unmended:", what)
            counts["unmended"] += 1
    shutil.rmtree(kept)
    bad = {name: count for name, count in counts.items() if count and name != "tried"}
    bar("index", not bad, json.dumps(counts))


# --- reindex ---------------------------------------------------------------------------------------------------------


def attack_reindex(program, searches, clients=4):
    server = Server(program)
    done, reindexes = threading.Event(), [0, 0]

    def loop():
        while not done.is_set():
            ended = program.run("reindex")
            reindexes[0] += 1
            reindexes[1] += ended.returncode != 0

    def search(share):
        client, empty, errors = Client(server), 0, 0
        for number in range(share):
            status, result, _ = client.call("smart_search", {"query": QUERIES[number % 2]})
            content = (result or {}).get("structuredContent") or {}
            errors += status != 200 or result is None or bool(result.get("isError"))
            empty += not content.get("hits")
        return empty, errors

    looping = threading.Thread(target=loop)
    looping.start()
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        results = list(pool.map(search, [searches // clients] * clients))
    done.set()
    looping.join()
    server.stop()
    empty, errors = (sum(one[at] for one in results) for at in (0, 1))
    text = f"{searches} searches during {reindexes[0]} reindexes: {empty} empty, {errors} errors, {reindexes[1]} reindexes failed"
    bar("reindex", not (empty or errors or reindexes[1]), text)


# --- calls -----------------------------------------------------------------------------------------------------------


def attack_calls(program, calls):
    server = Server(program)
    client = Client(server)
    for query in QUERIES * 10:
        client.call("smart_search", {"query": query})
        client.call("search_tables", {"query": query})
    condition = {"column": "台数", "value": "3"}
    long = "字" * 100_000
    floods = [
        ("search_tables", {"query": QUERIES[1], "conditions": [condition] * 8_000}),
        ("search_tables", {"query": QUERIES[1], "conditions": [condition] * 200, "limit": 50}),
        ("search_tables", {"query": QUERIES[1], "chapter_scope": long}),
        ("smart_search", {"query": long}),
        ("smart_search", {"query": "母线" * 9_000, "limit": 4_000_000_000}),
        ("smart_search", {"query": "母线", "chapter_scope": "x" * 400_000}),
        ("smart_search", {"query": "母线", "reg_id": ["wengui_2024"] * 10_000}),
        ("read_page_range", {"reg_id": "wengui_2024", "start_page": 1, "end_page": 10, "include_pages": True}),
        ("read_chapter_content", {"reg_id": "wengui_2024", "section_number": long}),
        ("get_table_by_id", {"reg_id": "wengui_2024", "table_id": long}),
        ("search_annotations", {"reg_id": "wengui_2024", "pattern": long}),
        ("resolve_reference", {"reg_id": "wengui_2024", "reference_text": "见表" * 50_000}),
        ("find_similar_content", {"reg_id": "all", "query_text": "限额" * 9_000, "limit": 1_000_000}),
        ("verify_citation", {"reg_id": "wengui_2024", "page_num": 1, "statement": "限额 60 万千瓦。" * 1_500}),
        ("compare_sections", {"reg_id": "wengui_2024", "section_a": long, "section_b": long}),
        ("search_context", {"keywords": ["k" * 1_000] * 5_000, "task_type": long}),
    ]
    # Some rounds first: readers, notes, pages and word lists are loaded by the first calls that need them, on every
    # thread of the server, and kept.
    for number in range(calls // 2):
        client.call(*floods[number % len(floods)])
    before = server.rss()
    largest, slowest = 0, 0.0
    for number in range(calls):
        tool, arguments = floods[number % len(floods)]
        began = time.monotonic()
        _, _, size = client.call(tool, arguments)
        slowest = max(slowest, time.monotonic() - began)
        largest = max(largest, size)
    time.sleep(1)
    after = server.rss()
    server.stop()
    growth = (after - before) / before
    text = f"{calls} calls: largest answer {largest / 1e6:.2f} MB, slowest {slowest:.2f} s, memory {before:.0f} → {after:.0f} MiB ({growth:+.0%})"
    bar("calls", largest <= 2e6 and growth <= 0.10, text)


# --- documents -------------------------------------------------------------------------------------------------------


def workbook(cells, text, sheets=1, distinct=1):
    """An Excel file whose cells all name one of a few long shared strings."""
    out = io.BytesIO()
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'spreadsheetml.sheet.main+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{rel}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        names = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r{n}"/>' for n in range(1, sheets + 1))
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets>{names}</sheets></workbook>'
        )
        links = "".join(
            f'<Relationship Id="r{n}" Type="{rel}/worksheet" Target="worksheets/s{n}.xml"/>'
            for n in range(1, sheets + 1)
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">{links}<Relationship Id="rs" '
            f'Type="{rel}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        )
        items = "".join(f"<si><t>{n}{text}</t></si>" for n in range(distinct))
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{main}">{items}</sst>')
        width = 50
        for n in range(1, sheets + 1):
            rows = []
            for row in range(cells // width):
                inner = "".join(f'<c t="s"><v>{(row + col) % distinct}</v></c>' for col in range(width))
                rows.append(f"<row>{inner}</row>")
            archive.writestr(
                f"xl/worksheets/s{n}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{"".join(rows)}</sheetData></worksheet>',
            )
    return out.getvalue()


def notes_and_tables(pairs):
    lines = ["# 1 限额", ""]
    for number in range(pairs):
        lines += [f"表{number} 限额", "", "| 台数 | 限额 |", "| --- | --- |", f"| {number} | 100 |", "", f"注：见表{number}。", ""]
    return "\n".join(lines).encode()


def crafted(number):
    kind, size = number % 10, number // 10 + 1
    if kind == 0:
        return "xlsx", workbook(20_000 * size, "限额" * 8_000)
    if kind == 1:
        return "xlsx", workbook(40_000 * size, "x" * 30_000, distinct=2)
    if kind == 2:
        return "xlsx", workbook(10_000, "长" * 5_000, sheets=10 * size)
    if kind == 3:
        return "md", notes_and_tables(5_000 * size)
    if kind == 4:
        return "html", b"<html><body>" + b"<table><tr><td>" * (2_000 * size) + b"x"
    if kind == 5:
        rows = "".join(f"<tr><td rowspan={size * 900} colspan={size * 900}>x</td></tr>" for _ in range(300))
        return "html", f"<html><body><table>{rows}</table></body></html>".encode()
    if kind == 6:
        return "md", ("注1：" + "甲；2.乙；" * (20_000 * size)).encode()
    if kind == 7:
        return "txt", ("见表1、表2和第3条。" * 20_000 * size).encode()
    if kind == 8:
        return "md", "\n".join(f"{'#' * (n % 6 + 1)} {n}.{n % 9} 标题" for n in range(8_000 * size)).encode()
    return "html", ("<p>" + "&lt;script&gt;" * 30_000 * size + "</p>").encode()


def peak(command):
    """Runs a command; its exit code, peak memory in MiB and CPU seconds, its children counted."""
    with open(os.devnull, "w") as nothing:
        child = subprocess.Popen(command, stdout=nothing, stderr=nothing, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def attack_documents(binary, folder, count):
    inbox = folder / "inbox"
    inbox.mkdir()
    good = "# 1 总则\n\n长南I线北送稳定限额为 480 万千瓦。\n"
    (inbox / "zz_good.md").write_text(good)
    worst = (0, 0, "")
    for number in range(count):
        ending, content = crafted(number)
        path = inbox / f"crafted_{number:03}.{ending}"
        path.write_bytes(content)
        # Without a process of its own, so that what is measured is the reading itself.
        command = [str(binary), "--data-dir", str(folder / "alone"), "ingest", str(path), "--set", "max_document_mib=0"]
        code, memory, seconds = peak(command)
        if memory > 600 or seconds > 30 or code not in (0, 3):
            print(f"  over: {path.name} ({len(content) / 1e3:.0f} KB): {memory:.0f} MiB, {seconds:.1f} s, exit {code}")
        worst = max(worst[0], memory), max(worst[1], seconds), path.name
    shutil.rmtree(folder / "alone", ignore_errors=True)
    program = Program(binary, folder / "batch")
    program.run("ingest", str(inbox), timeout=3600)
    _, listed = program.json("list")
    stored = {info["reg_id"] for info in (listed or {"regulations": []})["regulations"]}
    found = program.json("search", "长南I线北送稳定限额")[1] or {}
    is_found = any("480" in plain(hit["snippet"]) for hit in found.get("hits", []))
    text = f"{count} crafted: the good one {'stored' if 'zz_good' in stored else 'LOST'}, {len(stored)} stored in all; most memory {worst[0]:.0f} MiB, most CPU {worst[1]:.1f} s"
    bar("documents", "zz_good" in stored and is_found and worst[0] <= 600 and worst[1] <= 30, text)


# --- load ------------------------------------------------------------------------------------------------------------


def attack_load(program, clients, seconds):
    server = Server(program)
    calls = [
        ("smart_search", {"query": QUERIES[0]}),
        ("read_page_range", {"reg_id": "angui_2024", "start_page": 1, "end_page": 3}),
        ("get_toc", {"reg_id": "angui_2024"}),
        ("search_tables", {"query": QUERIES[1]}),
    ]
    end = time.monotonic() + seconds
    samples = []

    def work(seed):
        client, times, errors = Client(server), [], 0
        while time.monotonic() < end:
            tool, arguments = calls[(len(times) + seed) % len(calls)]
            began = time.monotonic()
            status, result, _ = client.call(tool, arguments)
            times.append(time.monotonic() - began)
            errors += status != 200 or result is None or bool(result.get("isError"))
        return times, errors

    def watch():
        while time.monotonic() < end:
            samples.append(server.rss())
            time.sleep(1)

    threading.Thread(target=watch, daemon=True).start()
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        results = list(pool.map(work, range(clients)))
    server.stop()
    times = sorted(one for result in results for one in result[0])
    errors = sum(result[1] for result in results)
    early, late = samples[len(samples) // 3], samples[-1]
    quantile = lambda share: times[int(len(times) * share)] * 1e3
    text = (
        f"{clients} clients × {seconds} s: {len(times)} calls, {errors} errors, p50 {quantile(0.5):.1f} ms, "
        f"p99 {quantile(0.99):.1f} ms (the clients share the machine), memory {early:.0f} → {late:.0f} MiB"
    )
    bar(f"load {clients}", not errors and late <= early * 1.1 + 5, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path, help="the program to attack")
    parser.add_argument("--only", action="append", choices=["index", "reindex", "calls", "documents", "load"])
    parser.add_argument("--flips", type=int, default=400)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--searches", type=int, default=2000)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    wanted = options.only or ["index", "reindex", "calls", "documents", "load"]
    binary = options.binary.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program = Program(binary, folder / "data")
        made = subprocess.run([str(binary), "demo", "--quiet", "--keep", program.data], capture_output=True)
        if made.returncode:
            sys.exit(made.stderr.decode())
        if "index" in wanted:
            attack_index(program, options.flips, options.files)
        if "reindex" in wanted:
            attack_reindex(program, options.searches)
        if "calls" in wanted:
            attack_calls(program, options.calls)
        if "documents" in wanted:
            attack_documents(binary, folder, options.documents)
        if "load" in wanted:
            attack_load(program, 64, options.seconds)
            attack_load(program, 200, options.seconds)
    sys.exit(f"missed: {', '.join(missed)}" if missed else None)


if __name__ == "__main__":
    main()
