"""Tables as columns in memory, for pandas, polars, pyarrow, duckdb and any other reader of Arrow."""

from __future__ import annotations

import html
import typing

from berth import _arguments, _berth
from berth._errors import unknown

if typing.TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow


class Column(typing.NamedTuple):
    """The description of a table's column.

    `type` is category, flag, integer, name, number, time or unsigned integer. A time is a number of
    seconds. `meaning` is a phrase.
    """

    name: str
    type: str
    unit: str
    meaning: str


class Table:
    """A table of a run, stored by columns.

    It hands its columns to other libraries by the Arrow PyCapsule interface, without copying them:
    `pandas.DataFrame.from_arrow(table)`, `polars.DataFrame(table)`, `pyarrow.table(table)`, and in
    duckdb `duckdb.from_arrow(pyarrow.table(table))`. The metadata of its fields has the units and meanings.
    Iterating over a table gives its rows as dicts.

    Example:
        >>> run.jobs.columns[:3]
        ['replication', 'job', 'user']
        >>> run.jobs["wait_s"].max()  # NumPy's
        np.float64(13034.345931789)
        >>> run.jobs.schema[10]
        Column(name='gpus', type='number', unit='GPUs', meaning='what all its pods ask for')
    """

    def __init__(self, native: _berth.Table) -> None:
        if not isinstance(native, _berth.Table):
            raise _arguments.wrong("Table", native, "those of a Run")
        self._native = native
        self.schema = [Column(*head) for head in native.heads]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.schema]

    def __len__(self) -> int:
        return self._native.rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule of a stream of Arrow record batches. The requested schema is ignored, as the interface allows."""
        return self._native.arrow_stream()

    def __arrow_c_schema__(self) -> object:
        """A capsule of the Arrow schema."""
        return self._native.arrow_schema()

    def __getitem__(self, name: str) -> numpy.ndarray:
        """A column as a NumPy array.

        Times are in seconds. A missing number or time is NaN, and a missing text is None. An integer column with
        missing values is returned as floats.

        Raises:
            InputError, which is also a KeyError: there is no such column.
        """
        import numpy

        if _arguments.text("column", name, "the name of a column") not in self.columns:
            what, expected = "the table has no such column", f"one of {', '.join(self.columns)}"
            raise unknown(name, what, expected, self.columns)
        place = self.columns.index(name)
        values = self._native.column(place)
        kind = self.schema[place].type
        if isinstance(values, list):
            array = numpy.empty(len(values), dtype=object)
            array[:] = values
            return array.astype(bool) if kind == "flag" and None not in values else array
        if kind in ("number", "time"):
            return numpy.frombuffer(values, dtype="float64")
        if kind == "unsigned integer":  # its values are never missing
            return numpy.frombuffer(values, dtype="uint64")
        whole = numpy.frombuffer(values, dtype="int64")
        missing = whole == numpy.iinfo("int64").min
        if missing.any():
            return numpy.where(missing, numpy.nan, whole.astype("float64"))
        return whole

    def __iter__(self) -> typing.Iterator[dict[str, typing.Any]]:
        """The rows as dicts, in which a missing value is None."""
        columns = [self._values(place) for place in range(len(self.schema))]
        for row in zip(*columns):
            yield dict(zip(self.columns, row))

    def _values(self, place: int) -> list[typing.Any]:
        """The values of a column, without NumPy."""
        values = self._native.column(place)
        if isinstance(values, list):
            return values
        kind = self.schema[place].type
        if kind in ("number", "time"):
            return [None if value != value else value for value in memoryview(values).cast("d")]
        if kind == "unsigned integer":  # its values are never missing
            return memoryview(values).cast("Q").tolist()
        least = -(2**63)
        return [None if value == least else value for value in memoryview(values).cast("q")]

    def to_arrow(self) -> pyarrow.Table:
        """The table as a pyarrow table, which shares its memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame: times in seconds, categories as category."""
        import pandas

        if hasattr(pandas.DataFrame, "from_arrow"):
            return pandas.DataFrame.from_arrow(self)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<berth.Table: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        shown = 5
        cells = [self._native.texts(place, shown) for place in range(len(self.schema))]
        head = "".join(
            f'<th title="{html.escape(c.meaning + (f" [{c.unit}]" if c.unit else ""))}">{html.escape(c.name)}</th>'
            for c in self.schema
        )
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(column[row])}</td>" for column in cells) + "</tr>"
            for row in range(min(shown, len(self)))
        )
        more = f"<p>{len(self)} rows</p>" if len(self) > shown else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"
