#!/usr/bin/env python3
"""Measures a running `regreader web`: time of views, of cold and warm pictures and of searches, weight of the first view, and
readers at the same time. Standard library only. `marks.py` beside it checks where citations lead.

    regreader demo --quiet --keep DIR && regreader --data-dir DIR web --no-open --port 8090 &
    python3 xtask/browser/measure.py http://127.0.0.1:8090 --pid $!
"""

import argparse
import gzip
import pathlib
import re
import statistics
import threading
import time
import urllib.parse
import urllib.request


def get(url, path, data=None):
    """Body and seconds of one request."""
    request = urllib.request.Request(url + path, data=data, headers={"origin": url, "accept-language": "zh-CN"})
    begun = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as answer:
        body = answer.read()
    return body, time.perf_counter() - begun


def spread(seconds):
    ordered = sorted(seconds)
    at = lambda share: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return f"median {1000 * statistics.median(ordered):.1f} ms, p95 {at(0.95):.1f} ms (n={len(ordered)})"


def speed(url, pages, pid):
    get(url, "/search?q=1")  # opens the library and its indexes
    before = cpu(pid)
    views = [get(url, path)[1] for _ in range(10) for path in ("/", *(f"/r/{reg}/p/{page}" for reg, page in pages[::6]))]
    print("first view:", spread(views), f"processor time {1000 * (cpu(pid) - before) / len(views):.1f} ms each" if pid else "")
    cold = [get(url, f"/r/{reg}/p/{page}/picture?w=1240") for reg, page in pages]
    print("cold picture, 1240 px:", spread([seconds for _, seconds in cold]), f"mean {sum(len(b) for b, _ in cold) / len(cold) / 1000:.0f} kB")
    print("warm picture:", spread([get(url, f"/r/{reg}/p/{page}/picture?w=1240")[1] for reg, page in pages]))
    words = ["母线失压", "特高压稳定限额", "天中直流安控", "锦苏直流", "切机", "检修", "通道故障", "低频减载", "压板投退", "解列"]
    before = cpu(pid)
    searches = [get(url, "/search?q=" + urllib.parse.quote(word))[1] for _ in range(3) for word in words]
    print("search:", spread(searches), f"processor time {1000 * (cpu(pid) - before) / len(searches):.1f} ms each" if pid else "")


def weight(url):
    total = 0
    body, _ = get(url, "/r/angui_2024/p/24")
    files = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', body.decode()))
    files |= {path.rsplit("/", 1)[0] + "/common.js" for path in files if path.endswith(".js")}
    for content in [body, *(get(url, path)[0] for path in files if not path.endswith(".svg"))]:
        total += len(gzip.compress(content))
    print(f"first view, HTML + CSS + JS, compressed: {total / 1000:.1f} kB")


def load(url, pages, readers, seconds):
    end = time.monotonic() + seconds
    counts, errors, times = [0] * readers, [0] * readers, [[] for _ in range(readers)]

    def read(index):
        turn = index
        while time.monotonic() < end:
            reg, page = pages[turn % len(pages)]
            path = [f"/r/{reg}/p/{page}", f"/r/{reg}/p/{page}/picture?w=1240", "/search?q=" + urllib.parse.quote("母线失压"), "/"][turn % 4]
            turn += 1
            try:
                times[index].append(get(url, path)[1])
                counts[index] += 1
            except Exception:  # noqa: BLE001 - every failure counts
                errors[index] += 1

    threads = [threading.Thread(target=read, args=(index,)) for index in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"load: {readers} readers, {seconds} s: {sum(counts)} requests, {sum(errors)} errors,", spread([t for own in times for t in own]))


def cpu(pid):
    """Processor seconds of the server itself so far: what counts where others use the machine too."""
    if not pid:
        return 0.0
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def memory(pid):
    if not pid:
        return
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    print("server memory:", re.search(r"VmRSS:\s*(.*)", status).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--readers", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--pid", type=int)
    arguments = parser.parse_args()
    url = arguments.url.rstrip("/")
    pages = [("angui_2024", page) for page in range(1, 30)] + [("wengui_2024", page) for page in range(1, 20)]
    speed(url, pages, arguments.pid)
    weight(url)
    memory(arguments.pid)
    load(url, pages, arguments.readers, arguments.seconds)
    memory(arguments.pid)


if __name__ == "__main__":
    main()
