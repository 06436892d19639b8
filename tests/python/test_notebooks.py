"""The notebooks run in a fresh kernel from top to bottom, and show what is stored in them.

`BERTH_UPDATE_GOLDEN=1` stores their outputs anew.
"""

import ast
import os
import pathlib
import re
import unittest

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/notebooks"
NOTEBOOKS = {file.stem: file for file in sorted(FOLDER.glob("*.ipynb"))}


def texts(cell):
    """The outputs of a cell, by kind."""
    shown = {}
    for output in cell.get("outputs", []):
        for kind, text in output.get("data", {}).items():
            shown[kind] = shown.get(kind, "") + text
    return shown


def comparable(text):
    """Removes what may differ: figures depend on the version of Node.js, and a run's digest depends on
    berth's sources."""
    text = re.sub(r"<svg.*</svg>", "<svg>", text, flags=re.DOTALL)
    return re.sub(r"(<berth.Run .*, )[0-9a-f]{12}>", r"\1digest>", text)


def shown_texts(cell):
    """The outputs of a cell as text, and the kinds of its figures, in order."""
    return [
        {
            kind: "" if kind.startswith("image/") else comparable(text)
            for kind, text in output.get("data", {"text/plain": output.get("text")}).items()
        }
        for output in cell.get("outputs", [])
    ]


SLOW = """
import sys, time
sys.path.insert(0, "../../tests/python")
import berth
from experiments_of_tests import queue

class Slow(berth.Scheduler):
    def begin(self, view):
        time.sleep(1.5)
    def schedule(self, view, act):
        pass

run = berth.run(queue(replications=2), scheduler=Slow())
"""


class Notebooks(unittest.TestCase):
    def run_all(self, name):
        notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
        metadata = notebook.metadata.copy()
        nbclient.NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": str(FOLDER)}},
        ).execute()
        notebook.metadata = metadata  # without the version of Python
        shown = {}
        for cell in notebook.cells:
            if cell.cell_type == "code":
                # A progress line remains empty, if the run took long enough to show it.
                cell.outputs = [output for output in cell.outputs if output.get("data") != {"text/plain": ""}]
            for output in cell.get("outputs", []):
                self.assertNotEqual(output.output_type, "error")
                self.assertNotEqual(output.get("name"), "stderr", output.get("text"))
            for kind, text in texts(cell).items():
                shown[kind] = shown.get(kind, "") + text
        return notebook, shown

    def run_as_stored(self, name):
        """Runs a notebook, which has to show what is stored in it."""
        notebook, shown = self.run_all(name)
        if os.environ.get("BERTH_UPDATE_GOLDEN"):
            NOTEBOOKS[name].write_text(nbformat.writes(notebook, indent=1) + "\n")
        stored = nbformat.read(NOTEBOOKS[name], as_version=4)
        for found, expected in zip(notebook.cells, stored.cells):
            self.assertEqual(shown_texts(found), shown_texts(expected), f"{name}, {found.id}")
        return shown

    def test_first_experiment(self):
        shown = self.run_as_stored("first-experiment")
        for part in (
            "mean wait of a job",
            "<svg",
            "The smallest change that would have let it in",
            "seven racks against six racks",
        ):
            self.assertIn(part, shown["text/html"])
        self.assertIn("image/png", shown)

    def test_your_own_policy(self):
        shown = self.run_as_stored("your-own-policy")
        self.assertIn("yours against fragmentation-gradient-descent", shown["text/plain"])
        self.assertIn("image/png", shown)

    def test_your_own_policy_on_the_public_trace(self):
        trace = ROOT.parent / "shared/data/openb"
        if not trace.is_dir():
            self.skipTest("needs the trace, which is not the project's to pass on")
        os.environ["OPENB"] = str(trace)
        self.addCleanup(os.environ.pop, "OPENB")
        _, shown = self.run_all("your-own-policy")
        of_yours = shown["text/plain"].partition("yours against fragmentation-gradient-descent")[2].splitlines()
        self.assertRegex(of_yours[2], r"^  gpu_allocated_pct_at_100_arrived .* better$")

    def test_sweep(self):
        shown = self.run_as_stored("sweep")
        self.assertIn("a sweep of 15 points", shown["text/html"])
        self.assertIn("image/svg+xml", shown)
        self.assertIn("image/png", shown)

    def test_a_line_says_how_far_a_run_is_and_goes(self):
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell("import warnings\nwarnings.simplefilter('ignore')" + SLOW)]
        )
        seen = []
        client = nbclient.NotebookClient(
            notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
        )
        take = client.process_message

        def watch(message, cell, index):
            if message["msg_type"] in ("display_data", "update_display_data"):
                seen.append(message["content"]["data"])
            return take(message, cell, index)

        client.process_message = watch
        client.execute()
        self.assertIn('<progress value="0" max="2"></progress> queue: 0 of 2 replications', seen[0]["text/html"])
        self.assertTrue(any("queue: 1 of 2 replications" in data["text/plain"] for data in seen))
        self.assertEqual(notebook.cells[0].outputs[0]["data"], {"text/plain": ""})
        self.assertEqual(len(notebook.cells[0].outputs), 1)

    def test_they_are_tidy(self):
        self.assertEqual(list(NOTEBOOKS), ["first-experiment", "sweep", "your-own-policy"])
        for name, file in NOTEBOOKS.items():
            with self.subTest(name):
                notebook = nbformat.read(file, as_version=4)
                nbformat.validate(notebook)
                self.assertEqual(file.read_text(), nbformat.writes(notebook, indent=1) + "\n")
                self.assertEqual(set(notebook.metadata), {"kernelspec", "language_info"})
                self.assertLess(file.stat().st_size, 250 * 1024)
                self.assertEqual(re.findall(r"/(?:tmp|home|root|work)/", file.read_text()), [])
                code = [cell for cell in notebook.cells if cell.cell_type == "code"]
                self.assertEqual([cell.execution_count for cell in code], list(range(1, len(code) + 1)))
                self.assertTrue(notebook.cells[0].source.startswith("# "))
                for number, cell in enumerate(notebook.cells, 1):
                    self.assertEqual((cell.id, dict(cell.metadata)), (f"cell-{number}", {}))
                    self.assertEqual(cell.source, cell.source.strip())
                    self.assertLessEqual(max(map(len, cell.source.splitlines())), 125)
                    if cell.cell_type == "code":
                        ast.parse(cell.source)
                    for link in re.findall(r"\]\(([^)#]+)", cell.source if cell.cell_type == "markdown" else ""):
                        self.assertTrue((FOLDER / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
