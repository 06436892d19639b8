"""Small inputs of each format, and berth's answers to them.

A form has a few similar objects of its format. A probe sets fields of some of them, by paths such as
`spec.containers[].resources` ([] is the first element of a list) or `metadata.labels[team]`; the part after `=`
distinguishes probes of one field. `{i}` in a value is the number of the object.
"""

import copy
import csv
import json
import re
import subprocess
from pathlib import Path

TOKEN = re.compile(r"([^.\[\]]+)|\[([^\]]*)\]")
PLACE = re.compile(r"^\S+?:\d+:\d+: ")
SAID = re.compile(r"(?:warning|error|note): .*")
SECONDS_MAX = 20


def steps(path):
    """Splits `a.b[].c[k/l]` into a, b, 0, c, k/l."""
    return [match[1] or (match[2] or 0) for match in TOKEN.finditer(path)]


def put(document, path, value):
    """Sets the value at the path, and creates what is missing on the way; None removes the value."""
    *way, last = path
    at = document
    for step, then in zip(way, path[1:]):
        fresh = [] if then == 0 else {}
        if step == 0:
            if not at:
                at.append(fresh)
            at = at[0]
        else:
            if not isinstance(at.get(step), type(fresh)):
                at[step] = fresh
            at = at[step]
    if last == 0:
        at[:] = [value]
    elif value is None:
        at.pop(last, None)
    else:
        at[last] = value


def numbered(value, index):
    """A value with the number of its object inserted."""
    if isinstance(value, str):
        return value.replace("{i}", str(index))
    if isinstance(value, list):
        return [numbered(one, index) for one in value]
    if isinstance(value, dict):
        return {key: numbered(one, index) for key, one in value.items()}
    return value


class Answer:
    """berth's answer: records of jobs or objects, messages without places, and the exit status."""

    def __init__(self, records, messages, status):
        self.records = records
        self.messages = messages
        self.status = status

    def __eq__(self, other):
        return (self.records, self.status) == (other.records, other.status)

    def has(self, column, value):
        return value in self.values(column)

    def values(self, column):
        """The values of a column in the records; `jobs` counts the records."""
        if column == "jobs":
            return [str(len(self.records))]
        return sorted({record.get(column, "") for record in self.records.values()})

    def text(self):
        return "\n".join(self.messages)


def messages_of(text):
    """The messages in a text, without places and cited lines."""
    return [SAID.search(PLACE.sub("", line))[0] for line in text.splitlines() if SAID.search(line)]


def table(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def node(name, cpu, pool, labels=None, **more):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pool": pool, **(labels or {})}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": str(cpu), "memory": "64Gi", "pods": "110", **more},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def nodes():
    """A tainted node, a small one, a large one with GPUs, and a second small one."""
    tainted = node("t", 8, "small")
    tainted["spec"]["taints"] = [{"key": "team", "value": "x", "effect": "NoSchedule"}]
    model = {"alibabacloud.com/gpu-card-model": "B", "nvidia.com/gpu.product": "B"}
    large = node("b", 64, "big", model, **{"nvidia.com/gpu": "8"})
    return [tainted, node("a", 8, "small"), large, node("c", 8, "small")]


def experiment(source, scheduler=""):
    """A document with one source of work."""
    return f"""kind: Experiment
metadata: {{name: fields}}
spec:
  topology: {{nodes: {{format: kubernetes, file: nodes.json}}}}
  workload:
    - {source}
  scheduler:
    profile: {{score: [{{name: first-fit}}], reserve: [{{name: gpu-sharing}}]}}
    {scheduler}
  until: 24h
"""


class Form:
    """A format with its small input. A path may begin with the kind of its object and the object's number
    (`Workload#1.`); otherwise it refers to the first kind."""

    readers = ("",)
    probed = (0, 1)  # numbers of the objects of the first kind that a probe changes

    def __init__(self, berth, folder):
        self.berth = berth
        self.folder = Path(folder)

    def objects(self):
        """The objects of each kind."""
        raise NotImplementedError

    def write(self, objects, folder, reader):
        """Writes the files of an experiment, including experiment.yaml."""
        raise NotImplementedError

    def with_fields(self, patches):
        """The objects after these patches, each of which maps paths to values."""
        objects = copy.deepcopy(self.objects())
        first = next(iter(objects))
        for patch in patches:
            for field, value in patch.items():
                head, _, rest = field.partition(".")
                name, _, number = head.partition("#")
                name, path = (name, rest) if rest and name in objects else (first, field)
                for index in [int(number)] if number else self.chosen(name, objects):
                    one = numbered(copy.deepcopy(value), index)
                    put(objects[name][index], self.path(path), one)
        return objects

    def chosen(self, name, objects):
        return self.probed if name == next(iter(objects)) else range(len(objects[name]))

    def path(self, field):
        return steps(field)

    def answer(self, patches, reader, number):
        folder = self.folder / str(number)
        folder.mkdir(parents=True)
        self.write(self.with_fields(patches), folder, reader)
        words = [self.berth, "run", "experiment.yaml", "--quiet", "-o", "out"]
        run = subprocess.run(words, cwd=folder, text=True, capture_output=True, timeout=SECONDS_MAX)
        return Answer(self.records(folder / "out"), messages_of(run.stderr), run.returncode)

    def records(self, out):
        """One record for each job: its row of jobs.csv, and the nodes of its pods."""
        records = {row["job"]: row for row in table(out / "jobs.csv")}
        for row in table(out / "pods.csv"):
            record = records.setdefault(row["group"] or row["pod"], {})
            record["node"] = ",".join(filter(None, (record.get("node"), row["node"])))
            record["devices"] = row["devices"]
        for row in table(out / "groups.csv"):
            records[row["group"]]["satisfied"] = row["satisfied"]
        return records


class Trace(Form):
    """Jobs of a trace."""

    format = ""

    def text(self, jobs):
        raise NotImplementedError

    def write(self, objects, folder, reader):
        (folder / "trace").write_text(self.text(objects["job"]))
        (folder / "nodes.json").write_text(json.dumps({"kind": "List", "items": nodes()}))
        source = f"trace: {{format: {self.format}, file: trace}}"
        (folder / "experiment.yaml").write_text(experiment(source))


class Table(Trace):
    """A table with a header and three jobs; `row` is the row of each job."""

    separator = ","
    row = ()  # pairs of a column and its cell

    def objects(self):
        return {"job": [numbered(dict(self.row), index) for index in range(3)]}

    def path(self, field):
        return [field.partition("[")[0]]

    def text(self, jobs):
        columns = list(dict.fromkeys(column for job in jobs for column in job))
        rows = [columns] + [[job.get(column, "") for column in columns] for job in jobs]
        return "\n".join(self.separator.join(row) for row in rows) + "\n"


class Sacct(Table):
    separator = "|"
    format = "sacct"
    row = (
        ("JobID", "{i}"),
        ("Submit", "2026-01-01T00:00:00"),
        ("Start", "2026-01-01T00:01:00"),
        ("End", "2026-01-01T00:30:00"),
        ("NCPUS", "1"),
    )


class Openb(Table):
    format = "openb"
    row = (
        ("name", "p{i}"),
        ("cpu_milli", "1000"),
        ("memory_mib", "512"),
        ("num_gpu", "0"),
        ("gpu_milli", "1000"),
        ("creation_time", "0"),
        ("scheduled_time", "10"),
        ("deletion_time", "600"),
    )


class Training(Table):
    format = "training"
    row = (
        ("job", "j{i}"),
        ("submit_s", "0"),
        ("gpus", "1"),
        ("model", "m"),
        ("batch_size", "10"),
        ("steps", "100"),
        ("step_s", "1"),
    )


class Dlrm(Table):
    format = "dlrm"
    row = (
        ("instance_sn", "p{i}"),
        ("app_name", "app"),
        ("cpu_request", "1"),
        ("gpu_request", "0"),
        ("rdma_request", "0"),
        ("memory_request", "2"),
        ("max_instance_per_node", "-1"),
        ("creation_time", "0"),
        ("scheduled_time", "10"),
        ("deletion_time", "600"),
    )


class Helios(Table):
    format = "helios"
    row = (
        ("job_id", "j{i}"),
        ("gpu_num", "1"),
        ("submit_time", "2026-01-01 00:00:00"),
        ("start_time", "2026-01-01 00:01:00"),
        ("end_time", "2026-01-01 00:30:00"),
    )


class Acme(Helios):
    format = "acme"


class Csv(Table):
    format = "csv"
    row = (("name", "j{i}"), ("submit", "0"), ("run_time", "600"))


class Swf(Trace):
    """Lines of 18 fields; the name of a field begins with its number."""

    format = "swf"
    row = ("{i}", "0", "10", "600", "1")

    def objects(self):
        cells = list(self.row) + ["-1"] * (18 - len(self.row))
        jobs = [dict(enumerate(numbered(cells, index + 1), 1)) for index in range(3)]
        return {"job": jobs}

    def path(self, field):
        return [int(field.split()[0])]

    def text(self, jobs):
        lines = []
        for job in jobs:
            lines.append(" ".join(job.get(number, "-1") for number in range(1, max(job) + 1)))
        return "\n".join(lines) + "\n"


class Gwf(Swf):
    """The Grid Workload Format has further fields after the 18."""


class JsonJobs(Trace):
    """Jobs in JSON; `job` is the object of each job."""

    format = "sacct"
    job = ()

    def objects(self):
        return {"job": [numbered(dict(self.job), index) for index in range(3)]}

    def text(self, jobs):
        return json.dumps({"jobs": jobs}, indent=1)


class SacctJson(JsonJobs):
    job = (
        ("job_id", "{i}"),
        ("time", {"submission": 1767225600, "start": 1767225660, "end": 1767227400}),
        ("state", {"current": ["COMPLETED"]}),
        ("required", {"CPUs": 1}),
    )


class SqueueJson(JsonJobs):
    job = (
        ("job_id", "{i}"),
        ("submit_time", {"set": True, "number": 1767225600}),
        ("start_time", {"set": True, "number": 1767225660}),
        ("end_time", {"set": True, "number": 1767227400}),
        ("job_state", ["COMPLETED"]),
        ("cpus", {"set": True, "number": 1}),
    )


class Scontrol(Trace):
    """One line for each job, with keys and their values."""

    format = "scontrol"
    row = (
        ("JobId", "{i}"),
        ("JobState", "COMPLETED"),
        ("SubmitTime", "2026-01-01T00:00:00"),
        ("StartTime", "2026-01-01T00:01:00"),
        ("EndTime", "2026-01-01T00:30:00"),
        ("NumCPUs", "1"),
    )

    def objects(self):
        return {"job": [numbered(dict(self.row), index + 1) for index in range(3)]}

    def path(self, field):
        return [field.partition("[")[0]]

    def text(self, jobs):
        lines = (" ".join(f"{key}={value}" for key, value in job.items()) for job in jobs)
        return "\n".join(lines) + "\n"


class Philly(JsonJobs):
    format = "philly"
    attempt = (
        ("start_time", "2026-01-01 00:01:00"),
        ("end_time", "2026-01-01 00:30:00"),
        ("detail", [{"ip": "m1", "gpus": ["gpu0"]}]),
    )
    job = (
        ("jobid", "j{i}"),
        ("submitted_time", "2026-01-01 00:00:00"),
        ("attempts", [dict(attempt)]),
    )

    def text(self, jobs):
        return json.dumps(jobs, indent=1)
