#!/usr/bin/env python3
"""Judges every test peer with every case, and says which verdicts are not as they are owed.

    python3 survey.py odd|bad [--plumb PATH] [--jobs N] [NAME…]

One line a peer: `ok`, or what is wrong with the verdict, with tabs between the columns. The
exit status is 1 if a line is not `ok`. It takes minutes; the tests of the crate play the same
tables with fewer cases.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
# Well above the budget of a run, which is two minutes.
DEADLINE = 240
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../../target"))


def rows(table):
    """Name to what is owed; None for an odd peer."""
    text = subprocess.check_output([sys.executable, script(table), "--list"], text=True)
    lines = [line.split("\t") for line in text.splitlines()]
    return {line[0]: line[1] if table == "bad" else None for line in lines}


def script(table):
    return os.path.join(HERE, table + ".py")


def judge(options, name):
    """The report of one peer."""
    command = [options.plumb, "check", "--quiet", "--report", "json"]
    command += ["--timeout", "3s"] if options.table == "bad" else []
    command += ["--", sys.executable, "-S", "-E", script(options.table), name]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        return {"exit_code": None, "findings": [], "broken": "no end after %d s" % DEADLINE}
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {"exit_code": run.returncode, "findings": [], "broken": run.stderr or run.stdout}


def told(findings):
    """Findings as `requirement=verdict (case)`, each once."""
    texts = ["%(requirement)s=%(verdict)s (%(case)s)" % finding for finding in findings]
    return list(dict.fromkeys(texts))


def complaints(owed, report):
    """What is wrong with a report."""
    if "broken" in report:
        return ["no report: " + report["broken"].strip()]
    heavy = [each for each in report["findings"] if each["verdict"] in ("fail", "warn")]
    if owed is None:
        wrong = told(heavy)
        return wrong + ([] if report["exit_code"] == 0 else ["exit code %d" % report["exit_code"]])
    wrong, allowed = [], set()
    for due in owed.split(","):
        names, verdict = due.split("=")
        names = names.split("|")
        allowed.update(names)
        if names == ["exit"]:
            if report["exit_code"] != int(verdict):
                wrong.append("exit code %d" % report["exit_code"])
            continue
        seen = {each["verdict"] for each in report["findings"] if each["requirement"] in names}
        if verdict not in seen:
            wrong.append("owed %s, seen %s" % (due, "|".join(sorted(seen)) or "nothing"))
    wrong += ["also " + text for text in told(each for each in heavy if each["requirement"] not in allowed)]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("table", choices=["odd", "bad"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--plumb", default=os.path.join(TARGET, "debug", "mcp-plumb"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_intermixed_args()
    table = rows(options.table)
    names = options.names or list(table)
    dirty = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        reports = pool.map(lambda name: judge(options, name), names)
        for name, report in zip(names, reports):
            wrong = complaints(table[name], report)
            dirty += bool(wrong)
            print("%s\t%s" % (name, "; ".join(wrong) or "ok"), flush=True)
    print("%d of %d as owed" % (len(names) - dirty, len(names)), file=sys.stderr)
    sys.exit(1 if dirty else 0)


if __name__ == "__main__":
    main()
