"""Each rule of pages.py finds a planted fault, and accepts what is right."""

import tempfile
import unittest
from pathlib import Path

import pages

DECISION = "# 0001. First\n\n## Context\n"
INDEX = "| [0001](0001-first.md) | First | core | in force | |\n"


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("tutorials", "how-to", "reference", "explanation", "decisions"):
            (self.root / "docs" / name).mkdir(parents=True)

    def write(self, **files):
        for name, text in files.items():
            path = {"readme": "README.md", "docs": "docs/README.md", "how_to": "docs/how-to/do.md",
                    "scope": "docs/reference/scope.md", "policies": "docs/reference/policies.md",
                    "glossary": "docs/reference/glossary.md", "decisions": "docs/decisions/README.md",
                    "decision": "docs/decisions/0001-first.md", "third": "docs/decisions/0003-third.md",
                    "notebook": "docs/notebook.ipynb"}[name]
            (self.root / path).write_text(text)

    def test_anchors_are_those_of_github(self):
        text = ("# A `code`, and *more*!\n## Same\n### Same\n## Same\n## [A link](b.md#c) here\n"
                "## under_score & dash-es\n```sh\n# none\n```\n<a id=\"own\"></a>")
        self.assertEqual(pages.anchors(text),
                         {"a-code-and-more", "same", "same-1", "same-2", "a-link-here", "under_score--dash-es", "own"})

    def test_links_lead_somewhere(self):
        self.write(readme="# Here\n[a](#here) [b](docs/README.md#there-1) [c](https://example.com/x#y)\n",
                   docs="## There\n## There\n`[no](link.md)`\n```\n[nor](this.md)\n```\n<!-- [nor](that.md) -->\n")
        self.assertEqual(list(pages.dead_links(self.root)), [])
        self.write(readme="# Here\n\n[a](#her) [b](docs/README.md#there-2) [c](docs/none.md)\n",
                   notebook='{"cells": [{"cell_type": "markdown", "source": ["[d](README.md#gone)"]}]}')
        self.write(docs="## There\n## There\n")
        self.assertEqual(list(pages.dead_links(self.root)), [
            "README.md:3: the link #her leads to no heading of README.md",
            "README.md:3: the link docs/README.md#there-2 leads to no heading of docs/README.md",
            "README.md:3: the link docs/none.md leads nowhere",
            "docs/notebook.ipynb:1: the link README.md#gone leads to no heading of README.md"])

    def test_claims_about_security_name_tests_that_are_there(self):
        (self.root / "tests").mkdir()
        (self.root / "tests" / "a_test.cpp").write_text('TEST_CASE("one: a "\n          "long name") {}\n')
        page = self.root / "SECURITY.md"
        head = "# Security\n\n## Claims\n\nAll are refused:\n\n"
        page.write_text(head + "- One.\n  <!-- tests: one: a long name -->\n\n## To report a fault\n\nNo claim.\n")
        self.assertEqual(list(pages.tests_named(self.root)), [])
        page.write_text(head + "- One.\n- Two.\n  <!-- tests: one: a long name; two -->\n\n## To report a fault\n")
        self.assertEqual(list(pages.tests_named(self.root)), [
            "SECURITY.md:7: a claim without its tests: expected <!-- tests: NAME; NAME --> behind it",
            "SECURITY.md:8: there is no test 'two'"])

    def test_indexes_name_every_page(self):
        self.write(how_to="", readme="[do](docs/how-to/do.md)", docs="[do](how-to/do.md)")
        self.assertEqual(list(pages.unlisted(self.root)), [])
        self.write(readme="\n" * 270, docs="")
        self.assertEqual(list(pages.unlisted(self.root)), [
            "docs/README.md:1: no line for docs/how-to/do.md",
            "README.md:1: no line for docs/how-to/do.md",
            "README.md:270: expected fewer than 270 lines"])

    def test_decisions_are_listed_and_say_what_replaced_them(self):
        self.write(decision=DECISION, decisions=INDEX)
        self.assertEqual(list(pages.decisions(self.root)), [])
        self.write(decisions=INDEX + INDEX)
        self.assertEqual(list(pages.decisions(self.root)), [
            "docs/decisions/README.md:1: 0001-first.md has 2 lines: expected one"])
        self.write(decisions=INDEX)
        self.write(third="# 3. Third\n\nReplaced by [0001](0001-first.md).\n\n**Context.** None.\n")
        self.assertEqual(list(pages.decisions(self.root)), [
            "docs/decisions/README.md:1: expected the line | [0003](0003-third.md) | Third | AREA | in force | |",
            "docs/decisions/README.md:1: expected the sentence: There are no pages 0002: these numbers were left out."])
        self.write(decisions=INDEX + "There are no pages 0002: so. | [0003](0003-third.md)\n"
                   "| [0003](0003-third.md) | Third | core | replaced | [0001](0001-first.md) |\n")
        self.assertEqual(list(pages.decisions(self.root)), [])
        self.write(third="# 3. Third\n\n**Context.** Replaced by [0001](0001-first.md).\n")
        self.assertEqual(list(pages.decisions(self.root)), [
            "docs/decisions/0003-third.md:1: its head does not say: Replaced by [0001](0001-first.md)"])

    def test_lists_are_those_of_berth(self):
        listed = {"queue-sorts": [{"name": "fifo", "summary": "by time"}], "metrics": [{"name": "wait_s"}]}
        self.write(scope="| order, `berth list queue-sorts` | `fifo` |\n")
        self.write(policies="| `queueSort` | `fifo` | by time |\n")
        self.assertEqual(list(pages.lists(self.root, listed)), [])
        listed["queue-sorts"].append({"name": "fifo-two", "summary": "twice"})
        listed["scores"] = [{"name": "best-fit", "summary": "best"}]
        self.write(scope="| order, `berth list queue-sorts` | `fifo`, `drf` |\n")
        self.assertEqual(list(pages.lists(self.root, listed)), [
            "docs/reference/scope.md:1: the row of `berth list queue-sorts` does not name fifo-two",
            "docs/reference/scope.md:1: the row of `berth list queue-sorts` names drf, which is not there",
            "docs/reference/policies.md:1: expected a row | `fifo-two` | twice |",
            "docs/reference/scope.md:1: the row of `berth list scores` does not name best-fit",
            "docs/reference/policies.md:1: expected a row | `best-fit` | best |"])

    def test_the_first_use_of_a_term_is_a_link(self):
        self.write(glossary="# Glossary\n\n## Job\n\n## Pod\n", readme="# Jobs\n`job` [a job](x.md)\n"
                   "[Pods](docs/reference/glossary.md#pod) are in jobs.\n", docs="A job.\n")
        self.assertEqual(list(pages.glossary(self.root)), [])
        self.write(how_to="Its jobs, [pods](../reference/glossary.md#pod).\n", scope="No term at all.\n")
        self.assertEqual(list(pages.glossary(self.root)), [
            "docs/how-to/do.md:1: the first use of a term of the glossary, 'jobs', is no link to it"])


if __name__ == "__main__":
    unittest.main()
