"""A wrong row and a field without a row are found: tested with made-up answers and types."""

import unittest
from pathlib import Path

from fields import FORMS, HERE, Probes, Row, faults_of_table, read_table
from forms import Answer, put, steps
from newest import Comparison

SAME = Answer({"p": {"node": "a"}}, [], 0)
OTHER = Answer({"p": {"node": "b"}}, [], 0)
TELLS = Answer({"p": {"node": "a"}}, ["warning: 2 pods with x"], 0)
REFUSES = Answer({}, ["error: x: expected y"], 2)


def row(does, shows="", **more):
    cells = {"field": "spec.x", "in": "", "since": "", "probe": "1", "beside": "", "why": "so"}
    return Row("pod.psv", 2, {**cells, "does": does, "shows": shows, **more})


class Asked(Probes):
    """Probes with known answers."""

    def __init__(self, before, after):
        self.answers = {0: before, 1: after}

    def ask(self, patches, reader):
        return self.answers[len(patches)]


def fault(one, before, after):
    return Asked(before, after).check(one, "")


class Rows(unittest.TestCase):
    def test_what_is_modelled_has_to_differ_as_the_row_says(self):
        self.assertIsNone(fault(row("modelled", "node=b"), SAME, OTHER))
        self.assertIn("not c, but b", fault(row("modelled", "node=c"), SAME, OTHER))
        self.assertIn("is the same", fault(row("modelled"), SAME, SAME))

    def test_what_is_said_has_to_be_said_with_a_count(self):
        self.assertIsNone(fault(row("said", "2 pods with x"), SAME, TELLS))
        self.assertIn("has no count", fault(row("said", "pods with x"), SAME, TELLS))
        self.assertIn("0 messages", fault(row("said", "2 pods with x"), SAME, SAME))

    def test_what_is_refused_has_to_be_an_error(self):
        self.assertIsNone(fault(row("refused", "expected y"), SAME, REFUSES))
        self.assertIn("not refused", fault(row("refused", "2 pods with x"), SAME, TELLS))

    def test_what_has_no_effect_may_have_none(self):
        self.assertIsNone(fault(row("none"), SAME, TELLS))
        self.assertIn("node of p is b, not a", fault(row("none"), SAME, OTHER))

    def test_what_is_silent_fails_once_it_counts_or_is_said(self):
        self.assertIsNone(fault(row("silent"), SAME, SAME))
        self.assertIn("no longer silent", fault(row("silent"), SAME, OTHER))
        self.assertIn("no longer silent", fault(row("silent"), SAME, TELLS))

    def test_a_run_that_fails_without_the_field_shows_nothing(self):
        self.assertIn("the run fails", fault(row("none"), REFUSES, REFUSES))

    def test_faults_of_the_table_itself(self):
        rows = [row("modelled"), row("known", **{"in": "here"}), row("said"), row("none", why="")]
        found = "\n".join(faults_of_table(rows, ("", "here")))
        for text in ("does known", "nothing to look for", "no reason", "a second row"):
            self.assertIn(text, found)

    def test_every_table_has_a_form(self):
        self.assertEqual(sorted(FORMS), sorted(file.stem for file in Path(HERE).glob("*.psv")))


class Paths(unittest.TestCase):
    def test_a_path_sets_what_is_there_and_makes_what_is_not(self):
        document = {"a": [{"b": 1}]}
        put(document, steps("a[].c[x.y/z]"), 2)
        put(document, steps("d[]"), 3)
        put(document, steps("a[].b"), None)
        self.assertEqual(document, {"a": [{"c": {"x.y/z": 2}}], "d": [3]})


class NewFields(unittest.TestCase):
    def test_a_field_without_a_row_is_named_with_its_table(self):
        rows = [row("none", field="spec.known"), row("none", field="spec.list[].inner")]
        models = {"Top": {"spec": "Spec"}, "Item": {"inner": "str", "fresh": "str"}}
        models["Spec"] = {"known": "str", "newer": "str", "list": "List[Item]"}
        comparison = Comparison(rows, models, "format 2")
        comparison.compare("Top", "")
        places = [one.partition(" has no row: decide")[0] for one in comparison.faults]
        self.assertEqual(
            places,
            [
                "tests/fields/pod.psv: spec.newer of format 2",
                "tests/fields/pod.psv: spec.list[].fresh of format 2",
            ],
        )

    def test_a_table_without_one_of_its_rows_is_seen(self):
        rows = [one for one in read_table(HERE / "pod.psv") if one.field != "spec.nodeSelector"]
        models = {"Pod": {"spec": "Spec"}, "Spec": {"nodeSelector": "str", "overhead": "str"}}
        comparison = Comparison(rows, models, "a newer version")
        comparison.compare("Pod", "")
        self.assertEqual(len(comparison.faults), 1)
        self.assertIn("spec.nodeSelector", comparison.faults[0])


if __name__ == "__main__":
    unittest.main()
