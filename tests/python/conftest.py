"""Fixtures of the Python package's tests: the program of the same build, and small experiments."""

import os
import pathlib
import subprocess
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

Command = Callable[..., str]


@pytest.fixture
def command(tmp_path: pathlib.Path) -> Command:
    """Runs the program in a fresh folder, and returns what it prints."""

    def call(*arguments: object, stdin: str | None = None) -> str:
        words = [os.environ["BERTH_PROGRAM"], *map(str, arguments)]
        return subprocess.run(words, input=stdin, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    return call


@pytest.fixture
def queue() -> dict:
    """Random jobs that need the GPUs of one to four servers, and wait for four servers."""
    return {
        "apiVersion": "berth/v1",
        "kind": "Experiment",
        "metadata": {"name": "queue"},
        "spec": {
            "seed": 1,
            "topology": {
                "spec": {
                    "levels": [{"name": "server", "count": 4}],
                    "machines": [{"type": "host"}],
                    "machineTypes": {"host": {"capacity": {"cpu": 16, "nvidia.com/gpu": 8}}},
                }
            },
            "types": {"one": {"cpu": 1, "nvidia.com/gpu": 1}, "six": {"cpu": 2, "nvidia.com/gpu": 6}},
            "workload": [
                {
                    "generate": {
                        "name": "job",
                        "count": 60,
                        "arrivals": {"distribution": "exponential", "mean": "5m"},
                        "service": {"distribution": "exponential", "mean": "1h"},
                        "mix": [{"name": "one", "type": "one"}, {"name": "six", "type": "six"}],
                    }
                }
            ],
        },
    }
