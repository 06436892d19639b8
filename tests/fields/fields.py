#!/usr/bin/env python3
"""Every field of every format that is known to matter, and what berth does with it.

usage: fields.py BERTH ROOT [--only FORMAT] [--newest]

A row of FORMAT.psv describes a field: `in` names the readers of the format that it concerns (empty: all), `since` the
version of the format that introduced it, `does` what berth does with it:

  modelled   the answer changes with it; `shows` is a column and its value, or a message, by which this is seen
  said       one message has the text `shows`, with a count; `!` before the text: without a count
  refused    it is an error that has the text `shows`
  none       the answer is the same with it
  silent     the answer is the same with it and nothing is said, although it changes what runs where or when: to be
             fixed

`probe` is the value that the field gets, `beside` what else is set, both with and without the field. Every row with a
probe is tried. docs/reference/fields.md is made from the tables: BERTH_UPDATE_GOLDEN=1 writes it anew. With --newest
and BERTH_LONG=1, the tables are compared with the newest versions of the formats; if none is available, this is
skipped (status 77).
"""

import argparse
import csv
import json
import os
import re
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import forms
import objects
from newest import compare_with_newest
from page import page_of

FORMS = {
    "pod": objects.Pod,
    "node": objects.Node,
    "workload": objects.Workload,
    "job": objects.Job,
    "kueue": objects.Kueue,
    "elasticquota": objects.ElasticQuota,
    "device": objects.Device,
    "sacct": forms.Sacct,
    "sacct-json": forms.SacctJson,
    "squeue-json": forms.SqueueJson,
    "scontrol": forms.Scontrol,
    "swf": forms.Swf,
    "gwf": forms.Gwf,
    "openb": forms.Openb,
    "training": forms.Training,
    "dlrm": forms.Dlrm,
    "helios": forms.Helios,
    "acme": forms.Acme,
    "philly": forms.Philly,
    "csv": forms.Csv,
}
HERE = Path(__file__).resolve().parent
COUNT = re.compile(r"\b\d+\b")
DOES = ("modelled", "said", "refused", "none", "silent")
COLUMNS = ["field", "in", "since", "does", "probe", "beside", "shows", "why"]


class Row:
    def __init__(self, file, line, cells):
        self.file = file
        self.line = line
        self.field = cells["field"]
        self.readers = cells["in"].split()
        self.since = cells["since"]
        self.does = cells["does"]
        self.why = cells["why"]
        self.shows = cells["shows"]
        self.is_tried = bool(cells["probe"])
        self.probe = json.loads(cells["probe"] or "null")
        self.beside = json.loads(cells["beside"] or "{}")

    def place(self):
        return f"{self.file}:{self.line}: {self.field}"

    def name(self):
        """The field without the part that distinguishes its probes."""
        return self.field.partition("=")[0]


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="|", quoting=csv.QUOTE_NONE)
        if rows.fieldnames != COLUMNS:
            raise SystemExit(f"{path}:1: columns {rows.fieldnames}: expected {COLUMNS}")
        return [Row(path.name, rows.line_num, cells) for cells in rows]


def faults_of_table(rows, readers):
    """Rows that cannot be right as they are."""
    seen = Counter()
    for row in rows:
        if row.does not in DOES:
            yield f"{row.place()}: does {row.does}: expected one of {', '.join(DOES)}"
        if not row.why:
            yield f"{row.place()}: no reason: expected a few words under why"
        if row.does in ("said", "refused") and not row.shows:
            yield f"{row.place()}: nothing to look for: expected a part of the message under shows"
        for reader in row.readers or readers:
            seen[row.field, reader] += 1
            if reader not in readers:
                yield f"{row.place()}: no reader {reader}: expected one of {', '.join(readers)}"
            elif seen[row.field, reader] == 2:
                yield f"{row.place()}: a second row of {reader}: expected one"


class Probes:
    """Tries the rows of one format. Each set of objects is only run once."""

    def __init__(self, berth, name, folder):
        self.form = FORMS[name](berth, folder)
        self.numbers = count()
        self.known = {}

    def ask(self, patches, reader):
        key = (json.dumps(patches), reader)
        if key not in self.known:
            self.known[key] = self.form.answer(patches, reader, next(self.numbers))
        return self.known[key]

    def without(self, row, reader):
        return self.ask([row.beside] if row.beside else [], reader)

    def with_it(self, row, reader):
        return self.ask(([row.beside] if row.beside else []) + [{row.name(): row.probe}], reader)

    def check(self, row, reader):
        """What is wrong with a row; None if nothing is."""
        before, after = self.without(row, reader), self.with_it(row, reader)
        if before.status != 0 and row.does != "refused":
            return f"without the field the run fails: {before.text()}"
        new = [one for one in after.messages if one not in before.messages]
        return getattr(self, "check_" + row.does)(row, before, after, new)

    @staticmethod
    def check_modelled(row, before, after, new):
        column, equals, value = row.shows.partition("=")
        if row.shows and not equals:
            told = any(row.shows in one for one in new)
            return None if told else f"no message has {row.shows!r}: {' / '.join(new)}"
        if before == after:
            return "the answer is the same with it"
        if equals and not after.has(column, value):
            return f"{column} is not {value}, but {', '.join(after.values(column))}; {after.text()}"
        if equals and before.has(column, value):
            return f"{column} is {value} without it, too"
        return None

    @staticmethod
    def check_said(row, before, after, new):
        text = row.shows.lstrip("!")
        times = sum(text in one for one in new)
        if times != 1:
            return f"{times} messages have {text!r}, expected one: {' / '.join(new)}"
        if not row.shows.startswith("!") and not COUNT.search(row.shows):
            return "its message has no count: expected one under shows, or ! before the text"
        return None

    @staticmethod
    def check_refused(row, before, after, new):
        if after.status == 0 or not any(row.shows in one for one in new):
            return f"not refused with {row.shows!r}: {' / '.join(new)}"
        return None

    @staticmethod
    def check_none(row, before, after, new):
        return None if before == after else f"it counts: {difference(before, after)}"

    @staticmethod
    def check_silent(row, before, after, new):
        if new:
            return f"it is said, so that it is no longer silent: {' / '.join(new)}"
        if before != after:
            return f"it counts, so that it is no longer silent: {difference(before, after)}"
        return None

    def check_together(self, rows, reader):
        """The rows without effect that need to be checked one by one: all of them if together they have an effect,
        otherwise those that cannot be tried together."""
        together, paths = [], set()
        for row in sorted(rows, key=lambda row: len(row.name())):
            path = str(self.form.path(row.field))
            if not row.beside and "=" not in row.field and path not in paths:
                together.append(row)
                paths.add(path)
        before = self.ask([], reader)
        after = self.ask([{row.name(): row.probe} for row in together], reader)
        new = [one for one in after.messages if one not in before.messages]
        is_silent = any(row.does == "silent" for row in rows)
        if before != after or (is_silent and new):
            return rows
        return [row for row in rows if row not in together]


def difference(before, after):
    if after.status != before.status:
        return f"status {after.status}: {after.text()}"
    for job in sorted(set(before.records) | set(after.records), key=str):
        one, other = before.records.get(job, {}), after.records.get(job, {})
        for column in sorted(set(one) | set(other)):
            if one.get(column) != other.get(column):
                return f"{column} of {job} is {other.get(column)}, not {one.get(column)}"
    return "nothing"


def check_reader(berth, name, reader, rows, folder):
    """What is wrong with the rows of one reader of a format."""
    probes = Probes(berth, name, Path(folder) / f"{name}-{reader}")
    start = probes.ask([], reader)
    if start.status != 0:
        return [f"{name} ({reader}): the input without any field fails: {start.text()}"]
    mine = [row for row in rows if row.is_tried and (not row.readers or reader in row.readers)]
    one_by_one = [row for row in mine if row.does in ("modelled", "said", "refused")]
    for does in ("none", "silent"):
        one_by_one += probes.check_together([row for row in mine if row.does == does], reader)
    faults = []
    for row in one_by_one:
        fault = probes.check(row, reader)
        if fault:
            faults.append(f"{row.place()}{f' ({reader})' if reader else ''}: {row.does}: {fault}")
    return faults


def check_all(berth, tables):
    faults = []
    for name, rows in tables.items():
        faults += faults_of_table(rows, FORMS[name].readers)
    if faults:
        return faults
    # A run mostly waits for its files.
    pool = ThreadPoolExecutor(4 * os.cpu_count())
    with tempfile.TemporaryDirectory(prefix="berth-fields.") as folder, pool:
        found = [
            pool.submit(check_reader, berth, name, reader, rows, folder)
            for name, rows in tables.items()
            for reader in FORMS[name].readers
        ]
        return [fault for one in found for fault in one.result()]


def print_counts(tables):
    rows = [row for table in tables.values() for row in table]
    counts = Counter(row.does for row in rows)
    untried = sum(not row.is_tried for row in rows)
    uncounted = sum(row.does == "said" and row.shows.startswith("!") for row in rows)
    for name, table in tables.items():
        silent = [row.field for row in table if row.does == "silent"]
        if silent:
            print(f"silent in {name}: {', '.join(silent)}")
    print(f"{len(rows)} rows: " + ", ".join(f"{counts[does]} {does}" for does in DOES))
    print(f"without a probe: {untried}; said without a count: {uncounted}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth")
    parser.add_argument("root")
    parser.add_argument("--only", choices=sorted(FORMS))
    parser.add_argument("--newest", action="store_true")
    arguments = parser.parse_args()
    berth = str(Path(arguments.berth).resolve())
    tables = {
        name: read_table(HERE / f"{name}.psv") for name in FORMS if arguments.only in (None, name)
    }
    if arguments.newest:
        return compare_with_newest(tables)
    faults = check_all(berth, tables)
    if arguments.only is None:
        page = Path(arguments.root) / "docs/reference/fields.md"
        faults += page_of(tables, page, {name: form.readers for name, form in FORMS.items()})
    for fault in faults:
        print(fault)
    print_counts(tables)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
