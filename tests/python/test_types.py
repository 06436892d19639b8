"""The types of the package: mypy finds no error, and the module's stubs agree with the module."""

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import berth
import pytest
from berth import _berth
from conftest import ROOT

STUBS = ROOT / "experiments/python/berth/_berth.pyi"


def mypy(*words: str) -> str:
    """The output of mypy; empty if it finds nothing."""
    # The sources are checked, not the build's copies of them.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True).stdout


def test_mypy_finds_nothing_in_the_package(tmp_path: pathlib.Path) -> None:
    assert mypy("--cache-dir", str(tmp_path)) == ""


def test_mypy_sees_what_a_user_does_wrong(tmp_path: pathlib.Path) -> None:
    (tmp_path / "user.py").write_text(
        "import berth\n"
        "run = berth.run('a.yaml', seed='1')\n"
        "class Mine(berth.Scheduler):\n"
        "    def schedule(self, view: berth.View, act: berth.Act) -> None:\n"
        "        act.start(view.waiting[0].name, [0])\n"
        "reveal_type(run.jobs)\n"
        "reveal_type(run['job_wait_s_mean'])\n"
    )
    (tmp_path / "mypy.ini").write_text(
        f"[mypy]\nstrict = true\nmypy_path = {ROOT}/experiments/python\nfollow_imports = silent\n"
        "[mypy-pandas.*,pyarrow.*]\nignore_missing_imports = true\n"
    )
    options = ["--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path / "cache")]
    said = mypy(*options, str(tmp_path / "user.py"))
    assert 'user.py:2: error: Argument "seed" to "run" has incompatible type "str"; expected "int | None"' in said
    assert 'user.py:5: error: Argument 1 to "start" of "Act" has incompatible type "str"; expected "Job"' in said
    assert 'user.py:6: note: Revealed type is "berth.table.Table"' in said
    assert 'user.py:7: note: Revealed type is "float"' in said


def stubbed(nodes: list[ast.stmt]) -> dict[str, ast.stmt]:
    """The definitions in a module or a class of the stubs, by name."""
    named: dict[str, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            named[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            named[node.target.id] = node
    return named


def parameters(doc: str) -> int:
    """The number of parameters of a function of the module, by the signature in its docstring."""
    signature = doc.split("\n", 1)[0].rsplit(" -> ", 1)[0]
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    while (flat := re.sub(r"\[[^\[\]]*\]|\([^()]*\)", "", inside)) != inside:
        inside = flat
    return len(inside.split(",")) if inside else 0


def differences(stubs: dict[str, ast.stmt], native: object) -> list[str]:
    """Differences between the stubs of a module or a class and the module itself, in both directions."""
    dull = {*dir(type), *dir(berth), "__annotations__", "__getstate__", "__init__", "__buffer__"}
    dull |= {name for name in vars(native) if name.startswith("_pybind11_")}  # newer versions add one to each class
    has = {name for name in vars(native) if name not in dull or name in stubs} | (stubs.keys() & set(dir(native)))
    told = [f"{name}: only in the module" for name in sorted(has - stubs.keys())]
    told += [f"{name}: only in the stubs" for name in sorted(stubs.keys() - has - {"__buffer__"})]
    for name in sorted(has & stubs.keys()):
        node, made = stubs[name], inspect.getattr_static(native, name)
        if isinstance(node, ast.ClassDef):
            told += [f"{name}.{line}" for line in differences(stubbed(node.body), made)]
        elif isinstance(node, ast.FunctionDef) and name != "__init__":
            is_property = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list)
            if is_property != isinstance(made, property):
                told.append(f"{name}: a property in one of the two alone")
            elif not is_property and len(node.args.args) != parameters(getattr(native, name).__doc__):
                told.append(f"{name}: not as many parameters")
    return told


def test_stubs_say_what_the_module_has() -> None:
    assert differences(stubbed(ast.parse(STUBS.read_text()).body), _berth) == []


def test_what_stubs_miss_is_seen() -> None:
    text = STUBS.read_text().replace("def names(self)", "def titles(self)")
    text = text.replace("    @property\n    def now(self) -> float", "    def now(self) -> float", 1)
    text = text.replace("def yaml_map(yaml: str)", "def yaml_map(yaml: str, name: str)")
    assert differences(stubbed(ast.parse(text).body), _berth) == [
        "StoredRun.names: only in the module",
        "StoredRun.titles: only in the stubs",
        "View.now: a property in one of the two alone",
        "yaml_map: not as many parameters",
    ]


@pytest.mark.parametrize("name", berth.__all__)
def test_every_public_name_says_what_it_is(name: str) -> None:
    thing = getattr(berth, name)
    if name == "__version__":
        return
    assert inspect.getdoc(thing), name
    if thing.__module__ == "berth._berth":
        stub = stubbed(ast.parse(STUBS.read_text()).body)[name]
        assert isinstance(stub, ast.ClassDef)
        assert inspect.getdoc(thing) == ast.get_docstring(stub), name
