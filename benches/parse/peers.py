"""Pages per CPU second of RegReader's whole ingest, of liteparse and of PyMuPDF4LLM on the same files, one thread each.

usage: peers.py REGREADER FILE...

RegReader parses, assembles and stores; the two others give Markdown or text in memory. CPU seconds are those of the
process and its children, so that waiting for a busy machine does not count.
"""
import resource
import shutil
import subprocess
import sys
import tempfile

LITEPARSE = "import sys, liteparse; p = liteparse.LiteParse(ocr_enabled=False); [p.parse(f) for f in sys.argv[1:]]"
MUPDF = "import sys, pymupdf4llm; [pymupdf4llm.to_markdown(f, show_progress=False) for f in sys.argv[1:]]"
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}


def cpu_seconds(command):
    import os

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, env={**os.environ, **ONE_THREAD})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, done.returncode, done.stderr.decode("utf8", "replace")[-300:]


def main():
    import pymupdf

    regreader, paths = sys.argv[1], sys.argv[2:]
    pages = sum(len(pymupdf.open(path)) for path in paths)
    folder = tempfile.mkdtemp()
    runs = {
        "regreader ingest": [regreader, "--set", f"data_dir={folder}", "--set", "jobs=1", "ingest", *paths],
        "liteparse": [sys.executable, "-c", LITEPARSE, *paths],
        "PyMuPDF4LLM": [sys.executable, "-c", MUPDF, *paths],
    }
    for name, command in runs.items():
        seconds, code, errors = cpu_seconds(command)
        remark = f"  (exit {code}: {errors.strip()})" if code else ""
        print(f"{name:18} {pages} pages {seconds:8.2f} CPU s {pages / seconds:8.1f} pages per CPU s{remark}", flush=True)
    shutil.rmtree(folder)


main()
