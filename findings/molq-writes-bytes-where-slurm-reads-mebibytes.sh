#!/usr/bin/env bash
# A job that asks Molq for 1.3GB asks Slurm for 1.3 pebibytes, and one that asks an older Molq for 1.5TB gets one.
#
# Seen with molcrafts-molq 0.8.1, and with 0.1.0, which pip installs where Python is older than 3.12:
# - 0.8.1 counts bytes, and writes them with the largest unit of which they are a whole number. For 1.3GB, 4.1GB or
#   0.1TB there is none, as a tenth of 1024 is not whole, and the bytes are written without a unit. sbatch documents
#   that --mem without a unit is megabytes, of 1024 * 1024 bytes: 1.3GB is --mem=1395864371, a million times as much. No
#   node has that, so the job is rejected, or pending for ever. 1.5GB and 2.25GB are right, so it depends on the digits.
# - For PBS the same bytes have a b and are right, so one job fits on the one scheduler and not on the other.
# - 0.1.0 takes the largest unit that fits, and drops the rest: 1.5TB is 1T, and 1536MB are 1G. A job gets up to a half
#   less than it asked for, and is killed. 4.5GB, which its documentation has as an example, is 4G.
# - Both read 1h30 as an hour: the digits behind the last unit are dropped without a word.
# Nothing is said by either. Of 0.8.1 only the file of its types is loaded, which is all that this needs; the rest wants
# Python 3.12.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --ignore-requires-python \
  --target "$place/new" molcrafts-molq==0.8.1
"$place/venv/bin/pip" install --quiet --disable-pip-version-check molcrafts-molq==0.1.0 pydantic==2.14.4 click==8.3.1
cd "$place"
cat > seen.py <<'PYTHON'
import importlib.util
import sys

from molq.resources import MemoryParser, TimeParser

spec = importlib.util.spec_from_file_location("new_types", "new/molq/types.py")
new = importlib.util.module_from_spec(spec)
sys.modules["new_types"] = new
spec.loader.exec_module(new)
for text in ("64GB", "1.5GB", "2.25GB", "1.3GB", "4.1GB", "0.1TB", "4.5GB", "1536MB", "1.5TB"):
    memory = new.Memory.parse(text)
    slurm = memory.to_slurm()
    unit = slurm[-1] if slurm[-1].isalpha() else "M"
    read = int(slurm.rstrip("KMGT")) * 1024 ** " KMGT".index(unit)
    old = MemoryParser.to_slurm_format(text)
    pbs = memory.to_pbs()
    print(f"{text:>6}: --mem={slurm}, {read / memory.bytes:g} times as much; PBS mem={pbs}; 0.1.0 --mem={old}")
for text in ("1h30m", "1h30"):
    print(f"{text:>6}: --time={new.Duration.parse(text).to_slurm()}; 0.1.0 --time={TimeParser.to_slurm_format(text)}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
  64GB: --mem=64G, 1 times as much; PBS mem=64gb; 0.1.0 --mem=64G
 1.5GB: --mem=1536M, 1 times as much; PBS mem=1536mb; 0.1.0 --mem=1G
2.25GB: --mem=2304M, 1 times as much; PBS mem=2304mb; 0.1.0 --mem=2G
 1.3GB: --mem=1395864371, 1.04858e+06 times as much; PBS mem=1395864371b; 0.1.0 --mem=1G
 4.1GB: --mem=4402341478, 1.04858e+06 times as much; PBS mem=4402341478b; 0.1.0 --mem=4G
 0.1TB: --mem=109951162777, 1.04858e+06 times as much; PBS mem=109951162777b; 0.1.0 --mem=102G
 4.5GB: --mem=4608M, 1 times as much; PBS mem=4608mb; 0.1.0 --mem=4G
1536MB: --mem=1536M, 1 times as much; PBS mem=1536mb; 0.1.0 --mem=1G
 1.5TB: --mem=1536G, 1 times as much; PBS mem=1536gb; 0.1.0 --mem=1T
 1h30m: --time=01:30:00; 0.1.0 --time=01:30:00
  1h30: --time=01:00:00; 0.1.0 --time=01:00:00
SEEN
