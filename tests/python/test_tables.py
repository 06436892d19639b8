"""Tables hold what the CSV files of the command hold."""

import csv
import io
import json
import pathlib

import berth
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.ipc
import pytest
from conftest import ROOT

EXPERIMENTS = [
    ("docs/examples/training.yaml", {"spec.replications": 2, "spec.workload[0].generate.until": "1d"}),
    ("experiments/devices/islands.yaml", {"spec.replications": 1, "spec.workload[0].generate.until": "12h"}),
    ("experiments/providers/backfill.yaml", {}),
    ("experiments/quota/reclaim.yaml", {}),
    ("experiments/quota/lend-and-take-back.yaml", {}),
    ("experiments/paper/worked-example.yaml", {}),
]


def expected(text: str, kind: str):
    """A field of a CSV file as its column has it."""
    if text == "" and kind not in ("category", "name"):
        return None
    if kind == "flag":
        return text == "true"
    if kind == "time":  # seconds with up to nine digits, exactly
        whole, _, part = text.partition(".")
        sign = -1 if whole.startswith("-") else 1
        return int(whole) * 10**9 + sign * int(part.ljust(9, "0") if part else 0)
    if kind in ("integer", "unsigned integer"):
        return int(text)
    return float(text) if kind == "number" else text


def fields_of(table: berth.Table, column: berth.Column) -> list:
    values = table.to_arrow().column(column.name)
    if column.type == "time":
        values = values.cast(pyarrow.int64())
    return values.to_pylist()


def check_table(table: berth.Table, text: str, name: str) -> None:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == table.columns, name
    assert len(rows) - 1 == len(table), name
    for place, column in enumerate(table.schema):
        wanted = [expected(row[place], column.type) for row in rows[1:]]
        found = fields_of(table, column)
        if column.type in ("category", "name"):  # an empty text and a missing one are the same field
            found = [value or "" for value in found]
        assert found == wanted, f"{name}: {column}"


@pytest.mark.parametrize("file, changes", EXPERIMENTS, ids=[file for file, _ in EXPERIMENTS])
def test_every_column_is_that_of_the_command(command, tmp_path: pathlib.Path, file: str, changes: dict) -> None:
    document = ROOT / file
    options = [option for path, value in changes.items() for option in ("--set", f"{path}={value}")]
    command("run", document, *options, "-o", tmp_path / "out")
    run = berth.run(document, set=changes)

    assert [name for name in run.files if name != "run.json"] == sorted(
        path.name for path in (tmp_path / "out").iterdir() if path.name != "run.json"
    )
    for name in run.files:
        if name != "run.json":
            assert run.file(name) == (tmp_path / "out" / name).read_bytes(), name
    assert run.digest == berth.open(tmp_path / "out").digest
    for name in run.tables:
        if name != "metrics":
            check_table(run.table(name), (tmp_path / "out" / f"{name}.csv").read_text(), name)
    metrics = {row["metric"]: row["mean"] for row in run.metrics.to_arrow().to_pylist()}
    assert metrics == {name: values.get("mean") for name, values in run.summary["metrics"].items()}


def check_others_read(file: pathlib.Path, table: berth.Table) -> None:
    """Libraries that berth did not write find the same types and values in an Arrow file."""
    expected = table.to_arrow()
    found = pyarrow.ipc.open_file(file).read_all()
    found.validate(full=True)
    assert found.schema.equals(expected.schema, check_metadata=True), file
    assert found.to_pylist() == expected.to_pylist(), file
    frame = polars.read_ipc(file)
    assert frame.equals(table.to_polars()), file
    assert isinstance(frame.schema["replication"], polars.Int64)
    assert len(pandas.read_feather(file)) == len(table), file
    assert duckdb.from_arrow(found).fetchall() == duckdb.from_arrow(expected).fetchall(), file


@pytest.mark.parametrize("compress", ["none", "zst"])
@pytest.mark.parametrize("file, changes", EXPERIMENTS, ids=[file for file, _ in EXPERIMENTS])
def test_arrow_files_hold_the_same(command, tmp_path: pathlib.Path, file: str, changes: dict, compress: str) -> None:
    options = [option for path, value in changes.items() for option in ("--set", f"{path}={value}")]
    command("run", ROOT / file, *options, "-o", tmp_path / "out", "--tables", "arrow", "--compress", compress)
    run = berth.run(ROOT / file, set=changes)
    stored = berth.open(tmp_path / "out")

    assert stored.digest == run.digest
    assert stored.tables == run.tables
    stored_so = [path.stem for path in (tmp_path / "out").glob("*.arrow")]
    assert {"jobs", "timeseries"} <= set(stored_so)
    for name in run.tables:
        if name != "metrics":
            assert stored.file(f"{name}.csv") == run.file(f"{name}.csv"), name
            check_table(stored.table(name), run.file(f"{name}.csv").decode(), name)
    for name in stored_so:
        check_others_read(tmp_path / "out" / f"{name}.arrow", stored.table(name))


@pytest.mark.parametrize(
    "form, file",
    [
        ({"tables": "arrow"}, "jobs.arrow"),
        ({"compress": "zst"}, "jobs.csv.zst"),
        ({"tables": "arrow", "compress": "zst"}, "jobs.arrow"),
    ],
)
def test_a_run_stores_its_tables_as_the_command_does(
    queue: dict, command, tmp_path: pathlib.Path, form: dict, file: str
) -> None:
    (tmp_path / "queue.yaml").write_text(json.dumps(queue))
    options = [word for key, value in form.items() for word in (f"--{key}", value)]
    command("run", "queue.yaml", "-o", "command", *options)
    run = berth.run(queue, out=tmp_path / "python", **form)
    assert (tmp_path / "python" / file).read_bytes() == (tmp_path / "command" / file).read_bytes()
    assert not (tmp_path / "python" / "jobs.csv").exists()
    assert run.digest == berth.run(queue).digest
    check_table(run.jobs, run.file("jobs.csv").decode(), "jobs")


@pytest.mark.parametrize(
    "form, message",
    [
        ({"tables": "arow"}, "tables: error: found 'arow': expected csv or arrow"),
        ({"compress": "gz"}, "compress: error: found 'gz': expected none or zst"),
    ],
)
def test_an_unknown_form_is_refused_and_nothing_written(
    queue: dict, tmp_path: pathlib.Path, form: dict, message: str
) -> None:
    with pytest.raises(berth.InputError, match=message):
        berth.run(queue, out=tmp_path / "out", **form)
    assert not (tmp_path / "out").exists()


def test_a_form_without_a_folder_is_refused(queue: dict) -> None:
    for form in ({"tables": "arrow"}, {"compress": "zst"}):
        with pytest.raises(
            berth.InputError, match="out: error: not given, so that no tables are written: expected a folder"
        ):
            berth.run(queue, **form)


NAMES = ["plain", "a, b", 'say "so"', "two\nlines", "ä → ü"]


@pytest.fixture
def odd_names(queue: dict) -> dict:
    group = {"kind": "GroupPlacement", "spec": {"group": {"name": "g", "size": 2, "type": "one"}}}
    queue["spec"]["workload"] = [
        {"groups": [{"name": name, "at": "0s", "lifetime": "1h", "document": group} for name in NAMES]}
    ]
    return queue


def test_names_of_any_letters_come_back(odd_names: dict) -> None:
    run = berth.run(odd_names)
    assert sorted(run.groups["group"]) == sorted(NAMES)
    check_table(run.groups, run.file("groups.csv").decode(), "groups")
    check_table(run.pods, run.file("pods.csv").decode(), "pods")


def test_names_of_any_letters_come_back_from_an_arrow_file(odd_names: dict, command, tmp_path: pathlib.Path) -> None:
    (tmp_path / "odd.yaml").write_text(json.dumps(odd_names))
    command("run", "odd.yaml", "-o", "out", "--tables", "arrow")
    groups = pyarrow.ipc.open_file(tmp_path / "out" / "groups.arrow").read_all()
    assert sorted(groups["group"].to_pylist()) == sorted(NAMES)
    assert sorted(polars.read_ipc(tmp_path / "out" / "groups.arrow")["group"]) == sorted(NAMES)


def test_libraries_agree_on_types_and_on_what_is_missing(queue: dict) -> None:
    queue["spec"]["types"]["six"]["nvidia.com/gpu"] = 9  # more than any server has: they never start
    jobs = berth.run(queue).jobs
    arrow = jobs.to_arrow()
    missing = int(numpy.isnat(jobs["start_s"]).sum())
    assert missing > 0
    assert arrow.schema.field("start_s").type == pyarrow.duration("ns")
    assert pyarrow.types.is_dictionary(arrow.schema.field("user").type)
    assert arrow.column("start_s").null_count == missing
    frame = jobs.to_pandas()
    assert frame["start_s"].isna().sum() == missing
    assert pandas.api.types.is_timedelta64_dtype(frame["start_s"])
    assert isinstance(frame["user"].dtype, pandas.CategoricalDtype)
    assert jobs.to_polars()["start_s"].null_count() == missing
    assert isinstance(jobs.to_polars().schema["start_s"], polars.Duration)
    assert len(duckdb.from_arrow(arrow).filter("start_s is null").fetchall()) == missing


def test_seeds_are_whole_numbers_without_a_sign(queue: dict) -> None:
    run = berth.run(queue, seed=2**63 - 1, set={"spec.replications": 3})
    texts = [row["seed"] for row in csv.DictReader(io.StringIO(run.file("replications.csv").decode()))]
    assert run.replications["seed"].dtype == numpy.uint64
    assert list(map(str, run.replications["seed"])) == texts


def test_a_column_that_is_not_there_is_named(queue: dict) -> None:
    with pytest.raises(berth.InputError, match="wait: error: the table has no such column: expected one of"):
        berth.run(queue).jobs["wait"]
    with pytest.raises(KeyError, match=r"\(did you mean 'wait_s'\?\)$"):
        berth.run(queue).jobs["waits_s"]


def test_a_metric_that_nearly_exists_is_proposed(queue: dict) -> None:
    run = berth.run(queue)
    with pytest.raises(KeyError, match=r"job_wait_mean: error: is no metric .*\(did you mean 'job_wait_s_mean'\?\)$"):
        run["job_wait_mean"]
    with pytest.raises(KeyError, match=r"has no such column: .*, or run\['job_wait_s_mean'\] for the mean") as caught:
        run.metrics["job_wait_mean"]
    assert isinstance(caught.value, berth.InputError)
    assert caught.value.file == "job_wait_mean"
