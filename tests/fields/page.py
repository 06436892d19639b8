"""The page docs/reference/fields.md, which is made from the tables."""

import os
import textwrap

TITLES = {
    "pod": "Pods",
    "node": "Nodes",
    "workload": "Workloads",
    "job": "Jobs of Kubernetes",
    "kueue": "Objects of Kueue",
    "elasticquota": "ElasticQuotas",
    "device": "Devices",
    "sacct": "Columns of sacct",
    "sacct-json": "JSON of sacct",
    "squeue-json": "JSON of squeue and scontrol",
    "scontrol": "Text of scontrol",
    "swf": "Standard Workload Format",
    "gwf": "Grid Workload Format",
    "openb": "openb",
    "dlrm": "dlrm",
    "helios": "helios",
    "acme": "acme",
    "philly": "philly",
    "training": "training",
    "csv": "csv and jsonl",
}
WORDS = {"modelled": "modelled", "said": "said", "refused": "refused", "silent": "dropped"}
READERS = {
    "running": "`running`",
    "kubernetes": "a trace `kubernetes`",
    "kueue": "a trace `kueue`",
}
HEAD = """# Fields of other programs' formats

berth reads what other programs write: [traces](glossary.md#trace), and objects of clusters. For
each format, this page lists every field that is known to matter to who runs where or when, and what
becomes of it. [traces.md](traces.md), [initial-state.md](initial-state.md),
[topology.md](topology.md), [kueue-runs.md](kueue-runs.md), [quota.md](quota.md) and
[device.md](device.md) say how they are read.

| word | means |
| --- | --- |
| modelled | a run goes by it |
| said | a run does not go by it, or not in every way: a message says so |
| refused | it is an error, with its place |
| dropped | a cluster goes by it, a run does not, and nothing says so: this is to be mended |
| without effect | a run does not go by it, and need not |

Labels and annotations stand in brackets behind their map; `[]` is each of a list. What stands
behind `=` is a value of the field, or what else is there. The page is made of the tables in
[tests/fields](../../tests/fields), whose rows a test tries.
"""


def row_of(row, readers):
    only = [READERS[reader] for reader in row.readers if set(row.readers) != set(readers)]
    where = f" ({', '.join(only)})" if only else ""
    since = f"; since {row.since}" if row.since else ""
    return f"| `{row.field}`{where} | {WORDS[row.does]} | {row.why}{since} |"


def section(name, rows, readers):
    lines = ["", f"## {TITLES[name]}", ""]
    shown = [row_of(row, readers) for row in rows if row.does != "none"]
    if shown:
        lines += ["| field | is | why |", "| --- | --- | --- |", *shown]
    without = list(dict.fromkeys(f"`{row.field}`" for row in rows if row.does == "none"))
    if without:
        text = "Without effect: " + ", ".join(without) + "."
        lines += ["", *textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)]
    return lines


def page_of(tables, path, readers):
    """What is wrong with the page; nothing if BERTH_UPDATE_GOLDEN causes it to be written anew."""
    lines = HEAD.splitlines()
    for name, rows in tables.items():
        lines += section(name, rows, readers[name])
    text = "\n".join(lines) + "\n"
    if os.environ.get("BERTH_UPDATE_GOLDEN"):
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        return [f"{path}: not as the tables have it: BERTH_UPDATE_GOLDEN=1 writes it anew"]
    return []
