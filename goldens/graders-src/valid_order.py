"""Is the printed order of build targets a valid one?

Standard input of the program holds lines `target: dependency...`; it must print every name once,
a line each, every target below all it depends on.
"""

import json
import sys


def judge(run):
    if run["signal"] is not None:
        return "fail", "crashed", f"ended by signal {run['signal']}"
    if run["exit_code"] != run["case"]["expect"]["exit_code"]:
        return "fail", "exit_code", f"exit code {run['exit_code']}"
    needs = {}
    for line in run["case"]["stdin"].splitlines():
        target, dependencies = line.split(":")
        needs.setdefault(target, []).extend(dependencies.split())
    names = set(needs).union(*needs.values())
    order = run["stdout"].splitlines()
    if sorted(order) != sorted(names):
        missing = sorted(names.difference(order))
        if missing:
            return "fail", "name_missing", f"{len(order)} lines, missing: {missing}"
        return "fail", "name_repeated", f"{len(order)} lines for {len(names)} names"
    place = {name: line for line, name in enumerate(order)}
    for target in sorted(needs):
        for dependency in needs[target]:
            if place[dependency] > place[target]:
                return "fail", "dependency_below_target", f"{target} stands above {dependency}"
    return "pass", "valid_order", f"{len(order)} names, every one below what it depends on"


status, name, detail = judge(json.load(sys.stdin))
print(json.dumps({"status": status, "class": name, "detail": detail}))
