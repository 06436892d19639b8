"""The same policy in C and in Python leads to the same run."""

import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import berth
from experiments_of_tests import queue

EXAMPLE = pathlib.Path(os.environ["BERTH_PROGRAM"]).with_name("berth_example_first_fit")


class FirstFit(berth.Scheduler):
    """The policy of docs/examples/first_fit.c."""

    def schedule(self, view, act):
        for job in view.waiting:
            asked = job.demand > 0
            room = (view.free[:, asked] // job.demand[asked]).min(axis=1)
            left, placement = job.size, []
            for server, members in enumerate(room):
                here = min(left, int(members))
                if here > 0:
                    placement.append((server, here))
                    left -= here
            if left > 0:
                return
            act.start(job, placement)


class Digest(unittest.TestCase):
    def test_first_fit_has_one_digest_in_both_languages(self):
        if not EXAMPLE.exists():
            self.skipTest(f"{EXAMPLE.name} is not built")
        experiment = queue(replications=1)
        experiment["spec"]["scheduler"] = {"python": "first_fit"}
        berth.register("first_fit", FirstFit)
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore", berth.BerthWarning)
            run = berth.run(experiment)
            file = pathlib.Path(folder, "e.yaml")
            file.write_text(berth._experiment.as_text(experiment))
            printed = subprocess.run(
                [EXAMPLE, file, pathlib.Path(folder, "run")], check=True, capture_output=True, text=True
            ).stdout
            self.assertIn(f"\nfiles {run.digest}\n", printed)
            self.assertEqual(run.file("pods.csv"), pathlib.Path(folder, "run", "pods.csv").read_bytes())


if __name__ == "__main__":
    unittest.main()
