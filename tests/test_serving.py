"""The FastAPI example of docs/serving.md answers as the model does, and refuses what the model refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from softwood import CARTClassifier, save

PAGE = Path(__file__).parents[1] / "docs" / "serving.md"


class Refused(Exception):  # noqa: N818  # stands for FastAPI's HTTPException
    """With a status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(status, reason)


class App:
    """Stands for FastAPI where it is not installed: `post` leaves a function as it is."""

    def post(self, path: str) -> Any:
        return lambda function: function


def example() -> str:
    (body,) = re.findall(r"^```fastapi\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return str(body)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 200) * 1.0, "town": rng.choice(["Paris", "Oslo"], 200)})
    model = CARTClassifier(random_state=0).fit(X, np.where((X.age > 40) & (X.town == "Oslo"), "yes", "no"))
    save(model, "people.softwood")
    return model


ROWS = [{"age": 50, "town": "Oslo"}, {"age": None, "town": "Lima"}]


def test_the_function_of_the_example_answers_as_the_model(model: Any) -> None:
    body = re.sub(r"^from fastapi import .*\n", "", example(), flags=re.MULTILINE)
    names: dict[str, Any] = {"FastAPI": App, "HTTPException": Refused}
    exec(compile(body, PAGE.name, "exec"), names)
    answers = names["predict"](ROWS)
    frame = pd.DataFrame(ROWS).astype({"age": float})
    assert [answer["prediction"] for answer in answers] == model.predict(frame).tolist()
    assert [list(answer["probabilities"].values()) for answer in answers] == model.predict_proba(frame).tolist()
    with pytest.raises(Refused, match="age"):
        names["predict"]([{"age": "old", "town": "Oslo"}])
    with pytest.raises(Refused, match=r"row 0 lacks \['town'\]: send every input by name"):
        names["predict"]([{"age": 3}])
    assert len([line for line in example().splitlines() if line]) <= 20


def test_the_example_serves(model: Any) -> None:
    pytest.importorskip("fastapi")
    testing = pytest.importorskip("fastapi.testclient", reason="its client needs httpx")
    names: dict[str, Any] = {}
    exec(compile(example(), PAGE.name, "exec"), names)
    client = testing.TestClient(names["app"])
    reply = client.post("/predict", json=ROWS)
    assert reply.status_code == 200
    assert [answer["prediction"] for answer in reply.json()] == model.predict(pd.DataFrame(ROWS)).tolist()
    assert client.post("/predict", json=[{"age": "old", "town": "Oslo"}]).status_code == 422
    for row, told in (({"age": 3}, "row 1 lacks ['town']"), ({**ROWS[0], "agee": 3}, "agee")):
        refused = client.post("/predict", json=[ROWS[0], row])
        assert refused.status_code == 422
        assert told in refused.json()["detail"]
