#!/usr/bin/env bash
# A duration in a Parquet file is a duration only for the library that wrote it.
#
# Seen with pyarrow 21.0.0 and duckdb 2.0.1:
# - pyarrow writes ten seconds of type duration[ns]. DuckDB reads the file's column as BIGINT, 10000000000, without
#   a warning, though it reads the same table as INTERVAL, ten seconds, when it gets it from memory through Arrow. The
#   same query answers in other units, depending on where the table is.
# - DuckDB writes ninety seconds of type INTERVAL. pyarrow reads that column as twelve raw bytes, a
#   fixed_size_binary[12]: months, days and milliseconds, each as a 32-bit integer.
# Parquet has no type for a length of time but INTERVAL, which Arrow does not map; Arrow keeps its own type in metadata
# that DuckDB does not read. A column of seconds as double precision is read alike by both.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==21.0.0 duckdb==2.0.1
cd "$place"
cat > seen.py <<'PYTHON'
import duckdb
import pyarrow
import pyarrow.parquet

jobs = pyarrow.table({
    "wait": pyarrow.array([10_000_000_000], pyarrow.duration("ns")),
    "wait_s": [10.0],
})
pyarrow.parquet.write_table(jobs, "jobs.parquet")
ask = "SELECT typeof(wait), wait::VARCHAR, wait_s FROM {}"
print("pyarrow's file in pyarrow:", pyarrow.parquet.read_table("jobs.parquet").schema.field("wait").type)
print("pyarrow's file in DuckDB:", *duckdb.sql(ask.format("'jobs.parquet'")).fetchall()[0])
print("pyarrow's table in DuckDB:", *duckdb.sql(ask.format("jobs")).fetchall()[0])
duckdb.sql("COPY (SELECT INTERVAL 90 SECOND AS wait) TO 'interval.parquet'")
column = pyarrow.parquet.read_table("interval.parquet").column("wait")
print("DuckDB's file in pyarrow:", column.type, column[0].as_py().hex())
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
pyarrow's file in pyarrow: duration[ns]
pyarrow's file in DuckDB: BIGINT 10000000000 10.0
pyarrow's table in DuckDB: INTERVAL 00:00:10 10.0
DuckDB's file in pyarrow: fixed_size_binary[12] 0000000000000000905f0100
SEEN
