"""Tables hold the same as the CSV files of the command."""

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
    """The value of a CSV field in its column."""
    if text == "" and kind not in ("category", "name"):
        return None
    if kind == "flag":
        return text == "true"
    if kind in ("integer", "unsigned integer"):
        return int(text)
    return float(text) if kind in ("number", "time") else text


def nanoseconds(text: str) -> int | None:
    """Converts seconds with up to nine digits exactly."""
    if text == "":
        return None
    whole, _, part = text.partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 10**9 + sign * int(part.ljust(9, "0") if part else 0)


def check_table(table: berth.Table, text: str, name: str) -> None:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == table.columns, name
    assert len(rows) - 1 == len(table), name
    for place, column in enumerate(table.schema):
        wanted = [expected(row[place], column.type) for row in rows[1:]]
        found = table.to_arrow().column(column.name).to_pylist()
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
    """Libraries other than berth find the same types and values in an Arrow file."""
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
    queue["spec"]["types"]["six"]["nvidia.com/gpu"] = 9  # more than any server has, so they never start
    jobs = berth.run(queue).jobs
    arrow = jobs.to_arrow()
    missing = int(numpy.isnan(jobs["start_s"]).sum())
    assert missing > 0
    assert arrow.schema.field("start_s").type == pyarrow.float64()
    assert pyarrow.types.is_dictionary(arrow.schema.field("user").type)
    assert arrow.column("start_s").null_count == missing
    frame = jobs.to_pandas()
    assert frame["start_s"].isna().sum() == missing
    assert frame["start_s"].dtype == numpy.float64
    assert isinstance(frame["user"].dtype, pandas.CategoricalDtype)
    assert jobs.to_polars()["start_s"].null_count() == missing
    assert isinstance(jobs.to_polars().schema["start_s"], polars.Float64)
    assert len(duckdb.from_arrow(arrow).filter("start_s is null").fetchall()) == missing


def test_a_second_is_a_second_everywhere(queue: dict, command, tmp_path: pathlib.Path) -> None:
    """Arrow, Parquet and CSV files give DuckDB, pandas and polars the same times."""
    (tmp_path / "queue.yaml").write_text(json.dumps(queue))
    command("run", "queue.yaml", "-o", "out", "--tables", "arrow")
    command("run", "queue.yaml", "-o", "text")
    run = berth.open(tmp_path / "out")
    run.to_parquet(tmp_path / "parquet")
    longest = pandas.read_csv(tmp_path / "text" / "jobs.csv")["wait_s"].max()
    assert longest > 1
    parquet = str(tmp_path / "parquet" / "jobs.parquet")
    stored = pyarrow.ipc.open_file(tmp_path / "out" / "jobs.arrow").read_all()
    assert duckdb.sql(f"select max(wait_s) from '{parquet}'").fetchall() == [(longest,)]
    assert duckdb.from_arrow(stored).aggregate("max(wait_s)").fetchall() == [(longest,)]
    assert pandas.read_parquet(parquet)["wait_s"].max() == longest
    assert pandas.read_feather(tmp_path / "out" / "jobs.arrow")["wait_s"].max() == longest
    assert polars.read_ipc(tmp_path / "out" / "jobs.arrow")["wait_s"].max() == longest
    assert run.jobs.to_pandas()["wait_s"].max() == run.jobs["wait_s"].max() == longest


@pytest.mark.parametrize("shift_days", [0, 400])
def test_nanoseconds_are_exact_where_they_are_asked_for(
    queue: dict, command, tmp_path: pathlib.Path, shift_days: int
) -> None:
    queue["spec"]["workload"][0]["generate"]["start"] = f"{shift_days}d"
    (tmp_path / "queue.yaml").write_text(json.dumps(queue))
    command("run", "queue.yaml", "-o", "text")
    command("run", "queue.yaml", "-o", "out", "--tables", "arrow")
    run = berth.open(tmp_path / "out")
    assert run.digest == berth.open(tmp_path / "text").digest
    text = (tmp_path / "text" / "jobs.csv").read_text()
    assert run.file("jobs.csv").decode() == text
    exact = [nanoseconds(row["start_s"]) for row in csv.DictReader(io.StringIO(text))]
    for table in (run.table("jobs", nanoseconds=True), berth.open(tmp_path / "text").table("jobs", nanoseconds=True)):
        assert table.columns.index("start_ns") == table.columns.index("start_s") + 1
        assert table.schema[table.columns.index("start_ns")][1:3] == ("integer", "ns")
        assert table["start_ns"].tolist() == table.to_arrow()["start_ns"].to_pylist() == exact
        assert table["outcome"].tolist() == run.jobs["outcome"].tolist()
    as_doubles = [round(second * 1e9) for second in run.jobs["start_s"]]
    assert (as_doubles == exact) == (shift_days == 0)
    run.to_parquet(tmp_path / "parquet", nanoseconds=True)
    stored = duckdb.sql(f"select start_ns from '{tmp_path / 'parquet' / 'jobs.parquet'}'").fetchall()
    assert [row[0] for row in stored] == exact


def test_rows_are_dicts_of_which_pandas_makes_a_frame(queue: dict) -> None:
    queue["spec"]["types"]["six"]["nvidia.com/gpu"] = 9  # they never start
    jobs = berth.run(queue).jobs
    first = next(iter(jobs))
    assert list(first) == jobs.columns
    assert first["job"] == jobs["job"][0] and first["submit_s"] == jobs["submit_s"][0]
    assert [row["start_s"] for row in jobs] == jobs.to_arrow()["start_s"].to_pylist()
    frame, expected = pandas.DataFrame(jobs), jobs.to_pandas()
    assert list(frame.columns) == jobs.columns
    for name in jobs.columns:
        assert frame[name].isna().tolist() == expected[name].isna().tolist(), name
        assert frame[name].dropna().tolist() == expected[name].dropna().tolist(), name
    assert frame["wait_s"].dtype == numpy.float64


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
