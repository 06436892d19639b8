#!/usr/bin/env python3
"""Checks that Python is as pyproject.toml says: all files by the rules of ruff, the package and its tests also by its
format.

python.py ROOT        prints `FILE:LINE:COLUMN: ...` for each finding, and the command that mends it

Without the test environment, which contains ruff, the check is skipped (status 77); if CI is set, it fails instead.
"""

import os
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "build/test-environment/bin/ruff"
FOLDERS = ("experiments", "tests", "docs")
FORMATTED = ("experiments/python", "tests/python")


def main():
    root = Path(sys.argv[1]).resolve()
    if not TOOL.exists():
        print("build/test-environment has no ruff: Python was not checked; experiments/setup.sh "
              "--packages-only --for-tests installs it")
        return 1 if os.environ.get("CI") else 77
    files = [file for folder in FOLDERS for file in sorted((root / folder).rglob("*.py*"))
             if file.suffix in (".py", ".pyi") and "node_modules" not in file.parts]
    formatted = [folder for folder in FORMATTED if (root / folder).exists()]
    commands = [["check", "--output-format", "concise", *files]]
    if formatted:
        commands.append(["format", "--check", *formatted])
    # Both commands run, so that all findings are shown at once.
    ended = [subprocess.run([TOOL, *words, "--no-cache"], cwd=root).returncode for words in commands]
    if any(ended):
        print("Mend it with: build/test-environment/bin/ruff check --fix; "
              f"build/test-environment/bin/ruff format {' '.join(FORMATTED)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
