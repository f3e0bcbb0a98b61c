"""Sources of out-of-core rows, and how they are read in batches repeatedly.

source                                       a batch is
path of a file or folder: Parquet, Arrow,    a table of Arrow (pyarrow, extra softwood[batches])
  CSV; several paths; a pyarrow dataset
polars lazy frame                            the same: the query runs once, into a temporary Parquet file
array of two dimensions, a memory map        rows of it, with those of y and sample_weight
any object that can be iterated again, or    its items: data frames, pairs (X, y), or triples (X, y,
  a function that returns an iterator          sample_weight)
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softwood.intake.cells.frames import column_names, is_frame, join_rows, pick_columns, take_rows
from softwood.intake.classify import OutOfCore, is_array, is_dataset, is_lazy_frame, is_path, is_paths, name_source
from softwood.intake.options import size_in_bytes

MEMORY = "1 GiB"
BATCHES_IN_MEMORY = 80  # batches of doubles that fit into the memory: the batch, its copies, columns, sums, the sample
MIN_BATCH_ROWS, MAX_BATCH_ROWS = 1_000, 1_000_000  # rows of a batch
CELL_BYTES = 8  # bytes
FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "feather", ".ipc": "ipc", ".csv": "csv",
}  # fmt: skip
SEPARATORS = ",;\t|"
NULLS = ("", "#N/A", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null")  # spellings of a missing cell of a CSV
EXTRA = "reading {} in batches needs pyarrow: pip install 'softwood[batches]'"


class RawBatch(NamedTuple):
    """Some rows in the user's format. names : of the targets, if y is columns of a file."""

    X: Any
    y: Any
    weight: Any
    names: tuple[str, ...] = ()


class Batches(OutOfCore):
    """Rows that do not fit in memory. Passed to `fit` in place of X, they are read in batches, several times.

    Parameters
    ----------
    source : path of a Parquet, Arrow or CSV file or of a folder of them, a list of paths, a pyarrow dataset, a polars
        lazy frame, an array (a memory map), or any object that can be iterated more than once and yields data frames,
        pairs (X, y), or triples (X, y, sample_weight); also a function that returns such an iterator.
    memory : int (bytes) or text such as "4 GiB"
        Peak memory of a fit, for any number of rows.
    checkpoint : path or None
        A file in which `fit` records the result of each pass over the rows. If a fit is killed, the next fit of the
        same estimator on the same rows continues from there and ends with the same tree; then the file is removed.
    columns : list of names or None
        The inputs, for data frames; None: all columns except those of y and sample_weight.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import SoftTreeRegressor
    >>> def rows():
    ...     for seed in range(3):
    ...         X = np.random.default_rng(seed).normal(size=(100, 2))
    ...         yield X, X[:, 0] - X[:, 1]
    >>> model = SoftTreeRegressor(gate="linear", leaf="linear").fit(Batches(rows))
    >>> model.predict([[3.0, 1.0]]).round(1)
    array([2.])
    """

    def __init__(
        self,
        source: Any,
        *,
        memory: int | str = MEMORY,
        checkpoint: str | os.PathLike[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        self.source, self.checkpoint, self.columns = source, checkpoint, None if columns is None else list(columns)
        self.memory = size_in_bytes("memory", memory)
        self._kept: Path | None = None
        self._dataset: Any = None

    def __repr__(self) -> str:
        return f"Batches({name_source(self.source)})"

    @property
    def is_text(self) -> bool:
        """Whether rows are read from text, which is slower than keeping their numbers in a temporary file."""
        return getattr(getattr(self._dataset, "format", None), "default_extname", "") in ("csv", "json")

    def batch_rows(self, n_columns: int) -> int:
        """Rows per batch, such that a few dozen batches would fit into memory."""
        return int(
            np.clip(self.memory // (BATCHES_IN_MEMORY * CELL_BYTES * max(n_columns, 1)), MIN_BATCH_ROWS, MAX_BATCH_ROWS)
        )

    def walk(self, y: Any = None, sample_weight: Any = None) -> Iterator[RawBatch]:
        """The batches, one after the other, with their targets and weights."""
        if is_array(self.source):
            yield from self._walk_array(y, sample_weight)
            return
        empty = True
        for given in self._given():
            empty = False
            if isinstance(given, tuple):
                yield _own(given, y, sample_weight)
            else:
                yield self._named(given, y, sample_weight)
        if empty:
            raise ValueError(
                f"{self!r} gives no batches: there are no rows, or its iterator is exhausted after one pass."
            )

    def sample(self, n_rows: int, seed: int = 0) -> Any:
        """At most this number of rows, sampled uniformly in one pass: a pyarrow table, or arrays X, y and
        sample_weight.

        For learners that need rows in memory. The sample depends on the seed and on the order of the rows.
        """
        rng, kept, keys = np.random.default_rng(seed), None, np.zeros(0)
        if is_array(self.source):
            place = np.sort(rng.permutation(len(self.source))[:n_rows])
            return np.asarray(self.source[place])
        for given in self._given():
            parts = given if isinstance(given, tuple) else (given,)
            here = rng.random(len(parts[0]))
            kept = parts if kept is None else tuple(join_rows(a, b) for a, b in zip(kept, parts, strict=True))
            keys = np.append(keys, here)
            if len(keys) > n_rows:
                least = np.sort(np.argpartition(keys, n_rows)[:n_rows])
                kept, keys = tuple(take_rows(part, least) for part in kept), keys[least]
        if kept is None:
            raise ValueError(f"{self!r} has no rows to sample.")
        return kept[0] if len(kept) == 1 else kept

    def frames(self) -> Iterator[Any]:
        """The source, batch by batch: data frames, pairs (X, y), or triples."""
        yield from self._given()

    def _given(self) -> Iterator[Any]:
        """Items of the source: frames or tuples."""
        source: Any = self.source
        if is_lazy_frame(source):
            source = self._collected(source)
        if is_path(source) or is_paths(source) or is_dataset(source):
            yield from self._walk_arrow(source)
        elif is_frame(source):
            yield source
        elif callable(source):
            yield from _iterate(source())
        else:
            if iter(source) is source:
                raise TypeError(
                    f"{self!r} is an iterator, which allows one pass only; pass a function that returns a new iterator."
                )
            yield from _iterate(source)

    def _walk_arrow(self, source: Any) -> Iterator[Any]:
        try:
            import pyarrow
        except ImportError as missing:
            raise ImportError(EXTRA.format(name_source(source))) from missing
        if self._dataset is None:
            self._dataset = source if is_dataset(source) else _open_files(source, self.columns)
        found = self._dataset
        rows, waiting, n = self.batch_rows(len(found.schema.names)), [], 0
        for batch in _arrow_batches(found, rows):
            waiting.append(batch)  # row groups may be small: then the fixed cost per batch matters
            n += batch.num_rows
            if n >= rows:
                yield pyarrow.Table.from_batches(waiting)
                waiting, n = [], 0
        if n:
            yield pyarrow.Table.from_batches(waiting)

    def _collected(self, query: Any) -> str:
        """The result of a lazy frame's query in a file, which is removed with this object."""
        if self._kept is None:
            folder = tempfile.TemporaryDirectory(prefix="softwood-")
            weakref.finalize(self, folder.cleanup)
            query.sink_parquet(Path(folder.name) / "rows.parquet")
            self._kept = Path(folder.name) / "rows.parquet"
        return str(self._kept)

    def _walk_array(self, y: Any, sample_weight: Any) -> Iterator[RawBatch]:
        X = self.source
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if isinstance(values, str) or (values is not None and np.ndim(values) > 0 and len(values) != len(X)):
                raise ValueError(f"{name} of an array must be an array of its {len(X)} rows, got {values!r:.80}.")
        rows = self.batch_rows(X.shape[1])
        for begin in range(0, len(X), rows):
            at = slice(begin, begin + rows)
            answers, weights = (None if each is None else _part(each, at) for each in (y, sample_weight))
            yield RawBatch(np.asarray(X[at]), answers, weights)

    def _named(self, frame: Any, y: Any, sample_weight: Any) -> RawBatch:
        """A batch of a data frame, in which y and sample_weight are names of columns."""
        names = column_names(frame)
        targets = _names("y", y, names, self)
        weights = [] if sample_weight is None else _names("sample_weight", sample_weight, names, self)
        rest = [name for name in names if name not in (*targets, *weights)]
        inputs = rest if self.columns is None else _names("columns", self.columns, names, self)
        answer = pick_columns(frame, targets)
        return RawBatch(
            pick_columns(frame, inputs),
            answer if isinstance(y, list | tuple) else _only(answer),
            _only(pick_columns(frame, weights)) if weights else None,
            tuple(targets),
        )


def open_batches(X: Any) -> Batches:
    """X as batches, if it is not already."""
    return X if isinstance(X, Batches) else Batches(X)


def _iterate(found: Any) -> Iterator[Any]:
    if not isinstance(found, Iterable):
        raise TypeError(f"a source of batches must return an iterator, got {type(found).__name__}.")
    yield from found


def _open_files(source: Any, columns: Sequence[str] | None) -> Any:
    """Files as a pyarrow dataset; the format is that of the name of the file, or of the first in the folder."""
    paths = [Path(each) for each in (source if is_paths(source) else [source])]
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"the file or folder {str(path)!r} does not exist.")
    inside = (each for each in sorted(paths[0].rglob("*")) if each.suffix.lower() in FORMATS)
    first = next(inside, paths[0]) if paths[0].is_dir() else paths[0]
    kind = FORMATS.get(first.suffix.lower())
    if kind is None:
        raise ValueError(f"{str(first)!r} must end in one of {', '.join(FORMATS)}, so that its format is known.")
    return open_dataset(paths, _csv(first) if kind == "csv" else kind, columns)


def open_dataset(paths: list[Path], form: Any, columns: Sequence[str] | None = None) -> Any:
    """A pyarrow dataset of files, or of the files in one folder, which must all be of this format and have these
    columns (None: the same ones).
    """
    from pyarrow import dataset

    told = [str(path) for path in paths]
    try:
        found = dataset.dataset(told if len(told) > 1 else told[0], format=form)
    except (OSError, ValueError) as failure:  # Arrow's errors are of these
        if not paths[0].is_dir():
            raise
        raise ValueError(f"the folder {told[0]!r} must hold tables of one format and nothing else: {failure}") from None
    _require_same_columns(found, columns)
    return found


def _require_same_columns(found: Any, columns: Sequence[str] | None) -> None:
    """An error if files differ in the requested columns, or in any: Arrow would silently drop or add columns."""
    names = found.schema.names
    for file in found.get_fragments():
        try:
            here = file.physical_schema.names
        except (OSError, ValueError) as failure:
            raise ValueError(f"the file {file.path!r} cannot be read like the first one: {failure}") from None
        lost, more = (
            [name for name in ones if name not in others and (columns is None or name in columns)]
            for ones, others in ((names, here), (here, names))
        )
        if lost or more:
            what = f"has no column {lost[0]!r}" if lost else f"has a column {more[0]!r}"
            raise ValueError(
                f"the file {file.path!r} {what}, unlike the first: its columns are {', '.join(here):.200}, those of "
                f"the first {', '.join(names):.200}. Give files with the same columns; Batches(..., columns=[...]) "
                "names the inputs that all of them have."
            )


def _arrow_batches(found: Any, rows: int) -> Iterator[Any]:
    """The batches of a dataset. Parquet is read one row group at a time; with read-ahead, whole files would be in
    memory.
    """
    from pyarrow import dataset

    how = {"batch_size": rows, "batch_readahead": 1, "fragment_readahead": 1}
    is_parquet = getattr(getattr(found, "format", None), "default_extname", "") == "parquet"
    if not is_parquet or getattr(found, "_scan_options", None):  # a filter is not part of its files
        yield from found.to_batches(**how)
        return
    how["fragment_scan_options"] = dataset.ParquetFragmentScanOptions(pre_buffer=False)
    for file in found.get_fragments():
        for group in file.split_by_row_group():
            yield from group.to_batches(schema=found.schema, **how)


def _csv(path: Path) -> Any:
    """How a CSV is read: the separator is the most frequent candidate in the first line."""
    from pyarrow import csv, dataset

    with path.open(encoding="utf-8", errors="replace") as file:
        line = file.readline()
    return dataset.CsvFileFormat(
        parse_options=csv.ParseOptions(delimiter=max(SEPARATORS, key=line.count)),
        convert_options=csv.ConvertOptions(null_values=list(NULLS), strings_can_be_null=True),
    )


def _own(given: tuple[Any, ...], y: Any, sample_weight: Any) -> RawBatch:
    """A batch with its own targets."""
    if len(given) not in (2, 3):
        raise ValueError(f"a batch must be a data frame, (X, y) or (X, y, sample_weight), got {len(given)} parts.")
    if y is not None or sample_weight is not None:
        raise ValueError("these batches include y and sample_weight: call fit(batches) without them.")
    return RawBatch(given[0], given[1], given[2] if len(given) == 3 else None)


def _names(what: str, given: Any, known: Sequence[str], source: Batches) -> list[str]:
    wanted = [given] if isinstance(given, str) else list(given) if isinstance(given, list | tuple) else []
    if hasattr(given, "__array__") or (wanted and not any(isinstance(name, str) for name in wanted)):
        raise ValueError(
            f"{what} must name a column of {source!r}, not an array of values: put the values into a column of "
            f"the data frame, or pass batches (X, y). It has {', '.join(known):.300}."
        )
    if not wanted or not all(isinstance(name, str) for name in wanted):
        raise ValueError(
            f"{what} must name a column of {source!r}, or several in a list, got {given!r:.80}; it has "
            f"{', '.join(known):.300}."
        )
    lost = [name for name in wanted if name not in known]
    if lost:
        raise ValueError(f"{source!r} has no column {', '.join(map(repr, lost))}; it has {', '.join(known):.300}.")
    return wanted


def _only(frame: Any) -> Any:
    """The one column of a frame, as a series with its name."""
    return frame[column_names(frame)[0]]


def _part(values: Any, at: slice) -> Any:
    return values if np.ndim(values) == 0 else np.asarray(values[at])
