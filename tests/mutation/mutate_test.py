"""Tests of the mutants and of the reports about them. Run by unittest."""
import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import mutants  # noqa: E402
import mutate  # noqa: E402
import tree  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]


def made_of(text):
    """The texts of all mutants of a text."""
    return {mutants.mutated(text, mutant) for mutant in mutants.mutants_of(text)}


class Mutants(unittest.TestCase):
    def test_of_each_kind(self):
        for text, expected in (
                ("a = b < c;", {"a = b <= c;", "a = b >= c;", ";"}),
                ("a = b == c &&\\n    d;",
                 {"a = b != c &&\\n    d;", "a = b == c ||\\n    d;", ";"}),
                ("return b + c * d;", {"return b - c * d;", "return b + c / d;"}),
                ("return !a;", {"return a;"}),
                ("return a[0];", {"return a[1];"}),
                ("return 1'000;", {"return 1001;", "return 999;"}),
                ("return std::min(a, b);", {"return std::max(a, b);"}),
                ("return std::ranges::max_element(a);", {"return std::ranges::min_element(a);"}),
                ("{ break; }", {"{ continue; }"}),
                ("{ ++a; }", {"{ --a; }", "{ ; }"}),
                ("{ a.b(c)->d += e; }", {"{ a.b(c)->d -= e; }", "{ ; }"}),
                ("if (a(b)) {", {"if (!(a(b))) {"}),
                ("if (const int a = b(); a.c()) {", {"if (const int a = b(); !(a.c())) {"})):
            with self.subTest(text=text):
                text = text.replace("\\n", "\n")
                # A statement is recognised by what stands before it.
                before = "" if text.startswith("return") else ";\n"
                made = {made.removeprefix(before) for made in made_of(before + text)}
                self.assertEqual(made, {mutant.replace("\\n", "\n") for mutant in expected})

    def test_none_where_nothing_is_decided(self):
        for text in ("// a < b", "/* a\n + 1 */", '"a < b && 3"', 'R"(a < "1)"',
                     "#include <a-1.hpp>", "#define A \\\n    (b < 1)",
                     'BERTH_ASSERT(a < b(c) && !d, "why");',
                     "BERTH_AUDIT(\n    a < 1, why);", "static_assert(a < 1);",
                     "template <class T>", "std::vector<int> a;", "T&& a", "const T* a", "a->b",
                     "a <=> b", "'1'", "a1 b2", "numeric_limits<T>::max()",
                     "if (const auto* a = b()) {", "return a;", "int a(b);",
                     "    requires std::integral<T> && A<T>\n{"):
            with self.subTest(text=text):
                self.assertEqual(made_of(";\n" + text), set())

    def test_of_the_cores_differ_in_one_place(self):
        found = mutate.drawn(PROJECT, mutate.CORES, seed=1)
        self.assertGreater(len(found), 5000)
        self.assertEqual(len({(str(file), mutant) for file, _, mutant in found}), len(found))
        for file, text, mutant in found[:500]:
            with self.subTest(place=mutate.place_of(file, text, mutant)):
                new = mutants.mutated(text, mutant)
                self.assertNotEqual(new, text)
                self.assertEqual(new[:mutant.start], text[:mutant.start])
                self.assertTrue(new.endswith(text[mutant.end:]))

    def test_one_seed_draws_one_order(self):
        only = ["core/placement"]
        self.assertEqual(mutate.drawn(PROJECT, only, 7), mutate.drawn(PROJECT, only, 7))
        self.assertNotEqual(mutate.drawn(PROJECT, only, 7), mutate.drawn(PROJECT, only, 8))


LEAST = "int least(int a, int b) {\n    return a < b ? a : b;\n}\n"
CHECKED = "int least(int, int);\nint main() { return least(1, 2) + least(4, 3) == 4 ? 0 : 1; }\n"
UNCHECKED = "int main() { return 0; }\n"
BUILD = """cmake_minimum_required(VERSION 3.25)
project(small CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_compile_options(-Wall -Wextra -Werror)
add_executable(berth_core_test core/placement/least.cpp tests/test.cpp)
"""


class Studies(unittest.TestCase):
    """Studies of a small project with two mutants, neither of which any test can detect: `<=` means the same there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = Path(folder.name)
        for part in tree.PARTS:
            if "." not in part:
                (self.project / part).mkdir()
        shutil.copy(PROJECT / "CMakePresets.json", self.project)
        (self.project / "CMakeLists.txt").write_text(BUILD)
        (self.project / "core" / "placement").mkdir()
        (self.project / "core" / "placement" / "least.cpp").write_text(LEAST)

    def study(self, test, *options):
        (self.project / "tests" / "test.cpp").write_text(test)
        told = io.StringIO()
        arguments = ["mutate.py", "--only", "core/placement", *options]
        with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(told), \
                contextlib.redirect_stderr(told):
            status = mutate.main(self.project, (("core", "*", "core"),))
        return status, told.getvalue()

    def test_what_a_test_catches_and_what_it_cannot(self):
        status, told = self.study(CHECKED, "--least", "0.5")
        self.assertEqual(status, 0, told)
        self.assertIn("caught        core/placement/least.cpp:2:14: < -> >=: by core", told)
        self.assertIn("SURVIVED      core/placement/least.cpp:2:14: < -> <=\n", told)
        self.assertIn("core/placement/least.cpp:2:14:\n    -    return a < b ? a : b;\n"
                      "    +    return a <= b ? a : b;\n", told)
        self.assertIn("1 of 2 mutants caught (50.0%), seed 1", told)
        self.assertEqual(self.study(CHECKED, "--least", "0.51")[0], 1)
        # Neither the project nor the copy keeps a mutant.
        for root in (self.project, self.project / "build" / "mutation" / "tree-1"):
            self.assertEqual((root / "core" / "placement" / "least.cpp").read_text(), LEAST)

    def test_tests_that_check_nothing_let_all_survive(self):
        status, told = self.study(UNCHECKED, "--least", "0.01")
        self.assertEqual(status, 1, told)
        self.assertEqual(told.count("SURVIVED"), 2)
        self.assertIn("0 of 2 mutants caught (0.0%)", told)

    def test_a_project_that_fails_without_mutants_is_an_error(self):
        status, told = self.study("int main() { return 3; }\n")
        self.assertEqual(status, 2, told)
        self.assertIn("without a mutant, core, which ended with 3 fails", told)

    def test_what_does_not_end_is_ended(self):
        process = subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.PIPE)
        self.assertIsNone(tree.wait_or_kill(process, 0.1))
        self.assertLess(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
