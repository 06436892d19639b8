"""How runs, sweeps and answers are shown in a notebook, and the figures of sweeps."""

import unittest
import warnings

import berth
from experiments_of_tests import queue

SWEEP = {
    "apiVersion": "berth/v1",
    "kind": "Sweep",
    "metadata": {"name": "loads"},
    "spec": {
        "experiment": queue(),
        "axes": [
            {"name": "mean", "path": "spec.workload[0].generate.arrivals.mean", "values": ["2s", "4s"]},
            {"name": "score", "path": "spec.scheduler.profile.score[0]", "values": ["first-fit", "best-fit"]},
        ],
    },
}


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", berth.BerthWarning)
            SWEEP["spec"]["experiment"]["spec"]["scheduler"] = {"profile": {"score": ["first-fit"]}}
            cls.run_ = berth.run(queue())
            cls.sweep = berth.sweep(SWEEP)

    def test_a_run(self):
        shown = self.run_._repr_html_()
        for part in ("<b>queue</b>, 2 replications", "mean wait of a job", "<svg"):
            self.assertIn(part, shown)

    def test_a_sweep(self):
        shown = self.sweep._repr_html_()
        for part in ("a sweep of 4 points", "2s, 4s", "first-fit, best-fit", "<svg", "job_wait_s_mean"):
            self.assertIn(part, shown)

    def test_a_point_is_called_by_its_values(self):
        one, other = (self.sweep.run(mean="2s", score=score) for score in ("first-fit", "best-fit"))
        said = str(berth.compare(one, other))
        self.assertIn("mean=2s,score=best-fit against mean=2s,score=first-fit, the baseline", said)

    def test_answers_have_a_fixed_width(self):
        other = self.sweep.run(mean="2s", score="best-fit")
        for answer in (berth.compare(self.run_, other), berth.why(self.run_, "generate-5")):
            self.assertIn("font-family: monospace", answer._repr_html_())
        self.assertIn("<th", self.run_.jobs._repr_html_())

    def test_figures_of_a_sweep(self):
        by_mean = self.sweep.plot("lines", "queue_length_mean", x="mean", by="score")
        self.assertIn("best-fit", by_mean)
        one = self.sweep.plot("lines", "queue_length_mean", x="mean", where={"score": "first-fit"})
        self.assertNotIn("best-fit", one)
        self.assertTrue(self.sweep.plot("heat-map").startswith("<?xml"))

    def test_formats(self):
        for plot in (self.run_.plot, self.sweep.plot):
            self.assertTrue(plot(format="pdf").startswith(b"%PDF-"))
            self.assertTrue(plot(format="png").startswith(b"\x89PNG"))
            self.assertTrue(plot(format="svg").startswith("<?xml"))
            self.assertIn(",", plot(format="csv").splitlines()[0])

    def test_what_is_wrong_is_said_of_the_argument(self):
        for said, call in (
            ("^figure: error: unknown figure 'pie'", lambda: self.sweep.plot("pie")),
            ("^metric: error: unknown metric 'hope'", lambda: self.sweep.plot(metric="hope")),
            ("^x: error: unknown axis 'y'", lambda: self.sweep.plot(x="y")),
            ("^where: error: unknown value", lambda: self.sweep.plot(where={"score": 7})),
            ("^figure: error: unknown figure 'pie'", lambda: self.run_.plot("pie")),
            ("^format: error: unknown format 'jpg': expected one of svg, csv", lambda: self.run_.plot(format="jpg")),
        ):
            with self.assertRaisesRegex(berth.InputError, said):
                call()


if __name__ == "__main__":
    unittest.main()
