#!/usr/bin/env python3
"""Tests that a check of form finds a planted fault, and names its line.

planted.py CHECK.py EXPECTED: runs the check over a small tree, in which line 5 of core/faulty.hpp has faults of form,
and line 6 of core/moved.cpp uses what line 5 moved away. core/other.cpp defines a name that core/moved.cpp defines,
too: the two can only be read separately, and their clash is not a fault. tests/faulty.py has an unused import, and the
list in tests/python/faulty.py is not formatted. sim/naming.hpp names a scheduler.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FAULTY = """#pragma once

#include <string>

inline  std::string joined(const std::vector<std::string>& parts) { return parts.front(); }
"""

MOVED = """#include <string>
#include <utility>
static int same;
std::size_t length(std::string text) {
    const std::string taken = std::move(text);
    return taken.size() + text.size();
}
"""


def main():
    check, expected = sys.argv[1:]
    source = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("core", "topologies", "sim", "schedulers", "workloads", "experiments", "tests"):
            (root / name).mkdir()
        (root / "tests" / "python").mkdir()
        for name in (".clang-format", ".clang-tidy", "pyproject.toml"):
            shutil.copy(source / name, root)
        (root / "core" / "faulty.hpp").write_text(FAULTY)
        (root / "core" / "moved.cpp").write_text(MOVED)
        (root / "core" / "other.cpp").write_text("static long same;\n")
        (root / "schedulers" / "schedulers.def").write_text("BERTH_SCHEDULER(planted)\n")
        (root / "sim" / "naming.hpp").write_text("#pragma once\n\n// What PlantedSettings are.\n")
        (root / "tests" / "faulty.py").write_text("import os\n")
        (root / "tests" / "python" / "faulty.py").write_text("known = [1,2]\n")
        done = subprocess.run([sys.executable, check, str(root)], text=True, stdout=subprocess.PIPE)
    print(done.stdout)
    if done.returncode == 77:
        return 77
    found = done.returncode == 1 and expected in done.stdout
    return 0 if found and "clang-diagnostic-error" not in done.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
