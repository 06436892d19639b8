#!/usr/bin/env python3
"""The checks of form see a fault that is planted, and name its line.

planted.py CHECK.py EXPECTED: runs the check over a small tree with a file of which line 5 is wrong.
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


def main():
    check, expected = sys.argv[1:]
    source = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("core", "topologies", "sim", "workloads", "experiments", "tests"):
            (root / name).mkdir()
        shutil.copy(source / ".clang-format", root)
        (root / "core" / "faulty.hpp").write_text(FAULTY)
        done = subprocess.run([sys.executable, check, str(root)], text=True, stdout=subprocess.PIPE)
    print(done.stdout)
    if done.returncode == 77:
        return 77
    return 0 if done.returncode == 1 and expected in done.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
