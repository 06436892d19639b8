"""The notebooks run in a fresh kernel from top to bottom, and are stored without what that gives."""

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
    """What a cell shows, by its kinds."""
    shown = {}
    for output in cell.get("outputs", []):
        for kind, text in output.get("data", {}).items():
            shown[kind] = shown.get(kind, "") + text
    return shown


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
        nbclient.NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
        ).execute()
        shown = {}
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                self.assertNotEqual(output.output_type, "error")
                self.assertNotEqual(output.get("name"), "stderr", output.get("text"))
            for kind, text in texts(cell).items():
                shown[kind] = shown.get(kind, "") + text
        return shown

    def test_first_experiment(self):
        shown = self.run_all("first-experiment")
        for part in (
            "mean wait of a job",
            "<svg",
            "The smallest change that would have let it in",
            "seven racks against six racks",
        ):
            self.assertIn(part, shown["text/html"])
        self.assertIn("image/png", shown)

    def test_your_own_policy(self):
        shown = self.run_all("your-own-policy")
        self.assertIn("yours against fragmentation-gradient-descent", shown["text/plain"])
        self.assertIn("image/png", shown)

    def test_your_own_policy_on_the_public_trace(self):
        trace = ROOT.parent / "shared/data/openb"
        if not trace.is_dir():
            self.skipTest("needs the trace, which is not the project's to pass on")
        os.environ["OPENB"] = str(trace)
        self.addCleanup(os.environ.pop, "OPENB")
        shown = self.run_all("your-own-policy")
        of_yours = shown["text/plain"].partition("yours against fragmentation-gradient-descent")[2].splitlines()
        self.assertRegex(of_yours[2], r"^  gpu_allocated_pct_at_100_arrived .* better$")

    def test_sweep(self):
        shown = self.run_all("sweep")
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
                self.assertTrue(notebook.cells[0].source.startswith("# "))
                for number, cell in enumerate(notebook.cells, 1):
                    self.assertEqual((cell.id, dict(cell.metadata)), (f"cell-{number}", {}))
                    self.assertEqual(cell.source, cell.source.strip())
                    self.assertLessEqual(max(map(len, cell.source.splitlines())), 125)
                    if cell.cell_type == "code":
                        self.assertEqual((cell.execution_count, cell.outputs), (None, []))
                        ast.parse(cell.source)
                    for link in re.findall(r"\]\(([^)#]+)", cell.source if cell.cell_type == "markdown" else ""):
                        self.assertTrue((FOLDER / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
