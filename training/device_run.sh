#!/usr/bin/env bash
# Everything that needs a GPU, in one go: about six minutes on one H200. CARRY is what 2_pack.py wrote, OUT takes the results.
set -uo pipefail
here=$(dirname "$0")
export PYTHONUNBUFFERED=1
rm -rf /tmp/regembed-out
timeout "${LIMIT:-540}" python3 "$here/3_train.py" --carry "${CARRY:-.device-carry}" --runs "${RUNS:-$here/runs/final.jsonl}" --out /tmp/regembed-out --workers "${WORKERS:-4}"
status=$?
# Few files may come back: the table by itself, the rest in one archive.
cp /tmp/regembed-out/*[a-z0-9].npz "$OUT"/ 2>/dev/null && rm -f "$OUT"/*.lists.npz
tar cf "$OUT/lists.tar" -C /tmp/regembed-out --exclude final.npz .
exit $status
