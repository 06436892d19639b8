"""Compares the tables with the newest versions of the formats, as the projects publish their types.

Wheels are parsed, not installed; Go modules are downloaded, not built. Whatever is unavailable is reported and left
out.
"""

import ast
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SECONDS_MAX = 300
SKIPPED = 77
# If a proxy does not know the newest version of a module, this version is requested instead.
KOORDINATOR = (
    ("github.com/koordinator-sh/koordinator", "latest"),
    ("github.com/koordinator-sh/koordinator", "v1.6.0"),
)
KOORDINATOR_NAMES = (
    "constants.go",
    "coscheduling.go",
    "cpu_normalization.go",
    "device_share.go",
    "elastic_quota.go",
    "node_reservation.go",
    "node_resource_amplification.go",
    "numa_aware.go",
    "preemption.go",
)
KUEUE = (("sigs.k8s.io/kueue", "latest"),)
KUEUE_KINDS = (
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
    "Configuration",
)
GO_STRUCT = re.compile(r"^type (\w+) struct \{(.*?)^\}", re.DOTALL | re.MULTILINE)
GO_FIELD = re.compile(r"^\s*(?:(\w+)\s+)?([^\s`/]+)\s+`[^`]*json:\"([^\",]*)", re.MULTILINE)
GO_NAME = re.compile(
    r"^\s*(Label|Annotation)\w+\s*(?:string\s*)?=\s*(?:(\w+)\s*\+\s*)?\"([^\"]+)\"", re.MULTILINE
)


class Missing(Exception):
    """Something to compare with is unavailable, and why."""


def call(words, **more):
    try:
        run = subprocess.run(words, text=True, capture_output=True, timeout=SECONDS_MAX, **more)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise Missing(str(fault)) from fault
    if run.returncode != 0:
        lines = [line for line in (run.stderr or run.stdout).splitlines() if len(line) > 2]
        raise Missing(f"{Path(words[0]).name}: {(lines or ['it failed'])[-1].strip()}")
    return run.stdout


def wheel(name, folder):
    """Downloads the newest wheel of a package."""
    call(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--retries",
            "1",
            "--only-binary",
            ":all:",
            "--dest",
            folder,
            name,
        ]
    )
    return glob.glob(f"{folder}/{name.replace('-', '_')}-*.whl")[0]


def models_of(path, package):
    """The classes of generated models: for each class, a map from names in JSON to the types as written."""
    models = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith(f"{package}/models/") and name.endswith(".py"):
                for node in ast.parse(archive.read(name)).body:
                    if isinstance(node, ast.ClassDef):
                        models.setdefault(node.name, fields_of_class(node))
    return models


def fields_of_class(node):
    """The fields of a class of models, which are written as annotations or as two maps by their names in Python."""
    maps = {}
    fields = {}
    for one in node.body:
        if (
            isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Name)
            and isinstance(one.value, ast.Dict)
        ):
            maps[one.targets[0].id] = one.value
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        kind = ast.unparse(one.annotation)
        name = one.target.id
        if (
            "ClassVar" in kind
            or name.startswith("_")
            or name in ("additional_properties", "model_config")
        ):
            continue
        for keyword in one.value.keywords if isinstance(one.value, ast.Call) else ():
            if keyword.arg in ("serialization_alias", "alias") and isinstance(
                keyword.value, ast.Constant
            ):
                name = keyword.value.value
        fields[name] = kind
    if "openapi_types" in maps and "attribute_map" in maps:
        types, names = (ast.literal_eval(maps[key]) for key in ("openapi_types", "attribute_map"))
        fields = {names[key]: types[key] for key in types}
    return fields


def module(choices, folder):
    """Downloads the first available of these Go modules. Returns its folder and its version."""
    if shutil.which("go") is None:
        raise Missing("there is no go")
    Path(folder, "go.mod").write_text("module fields\n")
    fault = None
    for name, version in choices:
        try:
            told = json.loads(
                call(["go", "mod", "download", "-json", f"{name}@{version}"], cwd=folder)
            )
            return told["Dir"], told["Version"]
        except Missing as one:
            fault = one
    raise fault


def structs_of(files):
    """The structs of Go sources, in the form of models_of(); embedded structs are part of their struct."""
    structs = {}
    for file in files:
        for name, body in GO_STRUCT.findall(Path(file).read_text()):
            structs[name] = GO_FIELD.findall(body)
    models = {}

    def fields_of(name):
        fields = {}
        for _, kind, key in structs[name]:
            inner = kind.lstrip("*").split(".")[-1]
            if key:
                fields[key] = kind.replace("[]", "List ") if kind.startswith("[]") else kind
            elif inner in structs:
                fields.update(fields_of(inner))
        return fields

    for name in structs:
        models[name] = fields_of(name)
    return models


def no_row(file, field, source):
    return (
        f"tests/fields/{file}: {field} of {source} has no row: decide what berth does with it "
        "(modelled, said, refused, none), and add a row there"
    )


class Comparison:
    """Finds fields of types that have no row in a table."""

    def __init__(self, rows, models, source, elsewhere=()):
        """`elsewhere`: types that other tables describe."""
        self.elsewhere = elsewhere
        self.file = rows[0].file
        self.names = {row.name() for row in rows}
        self.models = models
        self.source = source
        self.seen = set()
        self.faults = []

    def goes_below(self, path):
        return any(name.startswith((path + ".", path + "[")) for name in self.names)

    def compare(self, kind, path, leave=()):
        """Each type is compared once, if the table has rows for its fields."""
        if kind in self.seen:
            return
        self.seen.add(kind)
        for name, written in self.models[kind].items():
            at = f"{path}.{name}" if path else name
            if name in leave:
                continue
            if at not in self.names and not self.goes_below(at):
                self.faults.append(no_row(self.file, at, self.source))
            inner = [one for one in re.findall(r"\w+", written) if one in self.models]
            is_list = written.replace("Optional[", "").startswith("List")
            if (
                inner
                and self.goes_below(at)
                and at not in self.elsewhere
                and not re.match(r"(Optional\[)?Dict|map\[", written)
            ):
                self.compare(inner[0], at + ("[]" if is_list else ""))


def version_of(path):
    return " ".join(Path(path).name.split("-")[:2])


def of_kubernetes(tables, folder):
    path = wheel("kubernetes", folder)
    models = models_of(path, "kubernetes/client")
    for name, kind in (("pod", "V1Pod"), ("node", "V1Node"), ("job", "V1Job")):
        comparison = Comparison(
            tables[name], models, version_of(path), ("spec.template",) if name == "job" else ()
        )
        # For the fields that all objects share, only the table of Pod is compared.
        comparison.compare(
            kind, "", ("apiVersion", "kind") + (() if name == "pod" else ("metadata",))
        )
        yield from comparison.faults


def of_kueue(tables, folder):
    place, version = module(KUEUE, folder)
    newest = sorted(glob.glob(f"{place}/apis/kueue/v1beta*/"))[-1]
    settings = sorted(glob.glob(f"{place}/apis/config/v1beta*/"))[-1]
    models = structs_of(glob.glob(newest + "*_types.go") + glob.glob(settings + "*_types.go"))
    leave = ("apiVersion", "kind", "metadata")
    comparison = Comparison(tables["kueue"], models, f"Kueue {version}")
    for kind in KUEUE_KINDS:
        comparison.compare(kind, kind, leave)
    yield from comparison.faults
    comparison = Comparison(tables["workload"], models, f"Kueue {version}")
    comparison.compare("Workload", "", leave)
    yield from comparison.faults


def of_koordinator(tables, folder):
    place, version = module(KOORDINATOR, folder)
    source = f"Koordinator {version}"
    models = structs_of(
        glob.glob(f"{place}/apis/scheduling/v1alpha1/device_types.go")
        + glob.glob(f"{place}/apis/thirdparty/**/types.go", recursive=True)
    )
    comparison = Comparison(tables["device"], models, source)
    comparison.compare("Device", "", ("metadata",))
    yield from comparison.faults
    comparison = Comparison(tables["elasticquota"], models, source)
    comparison.compare("ElasticQuota", "", ("metadata",))
    yield from comparison.faults
    known = {
        row.name().rpartition("/")[2].rstrip("]")
        for name in ("pod", "node", "device", "elasticquota")
        for row in tables[name]
        if row.name().startswith("metadata.")
    }
    for file in KOORDINATOR_NAMES:
        for what, _, name in GO_NAME.findall(Path(place, "apis/extension", file).read_text()):
            if "/" in name and name.rpartition("/")[2] not in known:
                named = f"the {what.lower()} {name}"
                yield no_row("pod.psv, node.psv, device.psv or elasticquota.psv", named, source)


def of_slurm_json(tables, folder):
    path = wheel("slurmrestapi", folder)
    models = models_of(path, "slurmrestapi")
    newest = max(re.findall(r"\bV(\d+)Job\b", " ".join(models)))
    for name, kind in (("sacct-json", f"V{newest}Job"), ("squeue-json", f"V{newest}JobInfo")):
        comparison = Comparison(tables[name], models, version_of(path))
        comparison.compare(kind, "")
        yield from comparison.faults


def of_sacct(tables, folder):
    if shutil.which("sacct") is None:
        raise Missing("there is no sacct")
    configuration = Path(folder, "slurm.conf")
    configuration.write_text(
        "ClusterName=fields\nSlurmctldHost=localhost\nJobCompType=jobcomp/filetxt\n"
        "NodeName=localhost\nPartitionName=p Nodes=localhost\n"
    )
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    columns = call(["sacct", "--completion", "--helpformat"], env=environment).split()
    if len(columns) < 10:
        raise Missing("sacct tells no columns")
    version = call(["sacct", "--version"], env=environment).strip()
    names = {row.name() for row in tables["sacct"]}
    for column in columns:
        if column not in names:
            yield no_row("sacct.psv", column, version)


SOURCES = {
    "Kubernetes": of_kubernetes,
    "Kueue": of_kueue,
    "Koordinator": of_koordinator,
    "Slurm's JSON": of_slurm_json,
    "sacct": of_sacct,
}


def compare_with_newest(tables):
    """Prints what the tables lack. Returns 1 if there is anything, and 77 if nothing was available."""
    if not os.environ.get("BERTH_LONG"):
        print("the newest versions of the formats were not looked at: BERTH_LONG=1 does")
        return SKIPPED
    compared, faults = [], []
    for name, source in SOURCES.items():
        with tempfile.TemporaryDirectory(prefix="berth-newest.") as folder:
            try:
                faults += list(source(tables, folder))
                compared.append(name)
            except Missing as fault:
                print(f"{name} was not compared: {fault}")
    for fault in faults:
        print(fault)
    print(f"compared: {', '.join(compared) or 'nothing'}; fields without a row: {len(faults)}")
    return 1 if faults else 0 if compared else SKIPPED
