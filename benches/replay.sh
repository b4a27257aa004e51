#!/usr/bin/env bash
# What driftgate's own work costs: a cold `driftgate replay` of a suite, against the same compiles
# and runs started by xargs with nothing around them. The two alternate, because whatever else the
# machine does at the time then slows both.
#
#   benches/replay.sh SUITE [DRIFTGATE]
#
# SUITE is a folder with driftgate.yml and recorded cassettes. DRIFTGATE defaults to
# target/release/driftgate. ROUNDS (default 5) and CXX are read from the environment.
#
# Not the same work on both sides: driftgate runs probes after a compile that fails, and kills what
# hangs. Take a suite whose cases build, or the ratio flatters xargs.
set -euo pipefail

suite=$(realpath "${1:?usage: benches/replay.sh SUITE [DRIFTGATE]}")
driftgate=$(realpath "${2:-$(dirname "$0")/../target/release/driftgate}")
rounds=${ROUNDS:-5}
jobs=$(nproc)
export CXX=${CXX:-c++}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One folder a case: the unit as driftgate assembles it, what it reads, and a script with the one
# compile and the one run.
cat >"$work/lay_out.py" <<'PY'
import json, os, pathlib, shlex, sys

goldens, out = pathlib.Path(sys.argv[1], "goldens"), pathlib.Path(sys.argv[2])
count = 0
for cassette in sorted(goldens.glob("cassettes/**/*.json")):
    recorded = json.loads(cassette.read_text())
    case = json.loads(goldens.joinpath("cases", recorded["case"] + ".json").read_text())
    folder = out / f"{count:05}"
    folder.mkdir(parents=True)
    completion = goldens.joinpath(recorded["output"]).read_bytes()
    how = case.get("assemble", "append")
    fixture = goldens.joinpath(case["fixture"]).read_bytes() if "fixture" in case else b""
    if how == "append":
        unit = fixture + b"\n" + completion
    elif how == "insert":
        lines = fixture.splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if b"DRIFTGATE_COMPLETION" in line)
        gap = b"" if completion.endswith(b"\n") else b"\n"
        unit = b"".join(lines[:at]) + completion + gap + b"".join(lines[at + 1 :])
    else:
        unit = completion
    folder.joinpath("candidate.cpp").write_bytes(unit)
    folder.joinpath("stdin").write_text(case.get("stdin", ""))
    beside = os.path.dirname(case.get("fixture", ""))
    for name in case.get("files", []):
        inner = os.path.relpath(name, beside) if beside and name.startswith(beside + "/") else os.path.basename(name)
        target = folder / inner
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(goldens.joinpath(name).read_bytes())
    flags = case.get("compile_flags", [])
    compile_line = shlex.split(os.environ["CXX"])
    compile_line += [f for f in flags if not f.startswith("-l")] + ["candidate.cpp"]
    compile_line += [f for f in flags if f.startswith("-l")] + ["-o", "candidate"]
    seconds = case.get("timeout_s", 10)
    run = ["timeout", str(3 * seconds), "./candidate", *case.get("args", [])]
    folder.joinpath("go.sh").write_text(
        f"cd {shlex.quote(str(folder))} && {shlex.join(compile_line)} 2>build.txt"
        f" && ulimit -t {seconds} && {shlex.join(run)} <stdin >stdout.txt 2>stderr.txt\n"
    )
    count += 1
print(count)
PY
count=$(python3 "$work/lay_out.py" "$suite" "$work/cases")
[ "$count" -gt 0 ] || { echo "no cassettes under $suite/goldens" >&2; exit 2; }

plain() {
  find "$work/cases" \( -name candidate -o -name '*.txt' \) -delete
  find "$work/cases" -name go.sh | sort | LC_ALL=C TZ=UTC xargs -P"$jobs" -n1 sh 2>"$work/plain.txt" || true
}
judged() {
  "$driftgate" replay --root "$suite" --no-store --quiet --format records >"$work/judged.txt" || true
}
# Seconds that "$1" takes, to the millisecond.
seconds() {
  local start end
  start=$(date +%s%N)
  "$1"
  end=$(date +%s%N)
  awk -v ns=$((end - start)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

echo "$count cases, $jobs jobs, $("$driftgate" --version), $($CXX --version | head -1)"
plain
judged
[ "$(wc -l <"$work/judged.txt")" -ge "$count" ] || { echo "driftgate did not replay every case" >&2; exit 2; }
for round in $(seq "$rounds"); do
  seconds plain >>"$work/plain.s"
  seconds judged >>"$work/judged.s"
  echo "round $round: xargs $(tail -1 "$work/plain.s") s, driftgate $(tail -1 "$work/judged.s") s, load $(cut -d' ' -f1-3 /proc/loadavg)"
done
one=$(median "$work/plain.s") other=$(median "$work/judged.s")
awk -v one="$one" -v other="$other" -v n="$count" -v jobs="$jobs" 'BEGIN {
  printf "median: xargs %.3f s, driftgate %.3f s, ratio %.3f (%+.1f ms of core a case)\n", one, other, other / one, (other - one) * 1000 * jobs / n }'
