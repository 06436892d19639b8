"""The examples in the docstrings of the package produce what they show."""

import doctest
import inspect
import io
import pathlib
import typing

import berth
import pytest

NAMES = {name: getattr(berth, name) for name in berth.__all__ if name != "__version__"}


def said_of(name: str, thing: object, known: dict[str, typing.Any]) -> str:
    """The differences from what the docstring shows. `known` are the names that its examples may use and define."""
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", known, name, None, None)
    report = io.StringIO()
    doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(example, out=report.write, clear_globs=False)
    known.update(example.globs)
    return report.getvalue()


@pytest.fixture(scope="module")
def known() -> dict[str, typing.Any]:
    """The names that the package's own docstring defines, on which the other docstrings build."""
    names: dict[str, typing.Any] = {"pathlib": pathlib}
    assert said_of("berth", berth, names) == ""
    return names


@pytest.mark.parametrize("name", [name for name, thing in NAMES.items() if ">>>" in (inspect.getdoc(thing) or "")])
def test_docstring(
    name: str, known: dict[str, typing.Any], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said_of(name, NAMES[name], dict(known)) == ""


def test_what_users_call_has_an_example() -> None:
    called = {name for name, thing in NAMES.items() if inspect.isfunction(thing)}
    called |= {"Run", "Table", "Scheduler", "InputError"}
    assert {name for name in called if ">>>" not in (inspect.getdoc(NAMES[name]) or "")} == set()


def test_an_example_that_is_wrong_is_seen(known: dict[str, typing.Any]) -> None:
    def wrong() -> None:
        """
        >>> len(run.jobs)
        7
        """

    assert "- 7\n    + 20000\n" in said_of("wrong", wrong, dict(known))
