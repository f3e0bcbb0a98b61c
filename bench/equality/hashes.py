"""A learned tree as hashes: one per field of `tree_`, and one for the model's predictions."""

from __future__ import annotations

import dataclasses
import hashlib
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from bench.equality import models
from bench.equality.tables import TABLES

Hashes = dict[str, str]  # by field; a model that did not fit has one, "error", which holds the message
Run = dict[str, dict[str, Hashes]]  # by data set, then by model


def hash_value(name: str, value: Any) -> str:
    """sha256 over name, type, shape and bytes; of anything but an array its printed form stands for the bytes."""
    if isinstance(value, np.ndarray):
        head, body = f"{name} {value.dtype.str} {value.shape}", np.ascontiguousarray(value).tobytes()
    else:
        head, body = f"{name} {type(value).__name__}", repr(value).encode()
    return hashlib.sha256(head.encode() + b"\0" + body).hexdigest()


def leaves_of(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The fields of a struct, those of structs in it by dotted names."""
    for field in dataclasses.fields(value):
        part, inner = f"{name}{field.name}", getattr(value, field.name)
        if dataclasses.is_dataclass(inner):
            yield from leaves_of(inner, f"{part}.")
        else:
            yield part, inner


def hash_model(model: Any, X: Any) -> Hashes:
    """Hashes of the tree's fields, and of the answers to rows."""
    answers = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    found = {name: hash_value(name, value) for name, value in leaves_of(model.tree_, "")}
    return {**found, "answers": hash_value("answers", np.asarray(answers))}


def hash_one(data: str, name: str) -> tuple[Hashes, float]:
    """Fit one model to one data set; its hashes, and the seconds it took."""
    table, start = TABLES[data](), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = hash_model(models.fit(name, table), table.X)
        except Exception as error:  # another commit may lack a parameter or refuse a table: that is reported, not fatal
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
    return found, time.perf_counter() - start


def hash_all(n_jobs: int) -> tuple[Run, dict[str, float]]:
    """Hashes of all models on all data sets, and seconds by model."""
    pairs = [(data, name) for data, make in TABLES.items() for name in models.names_for(make())]
    done = Parallel(n_jobs=n_jobs)(delayed(hash_one)(*pair) for pair in pairs)
    run: Run = {data: {} for data in TABLES}
    seconds: dict[str, float] = {}
    for (data, name), (found, took) in zip(pairs, done, strict=True):
        run[data][name] = found
        seconds[name] = seconds.get(name, 0.0) + took
    return run, seconds
