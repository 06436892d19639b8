#!/usr/bin/env bash
# A space of Gymnasium that has all integers of its type draws one of them only, or none.
#
# Seen with gymnasium 1.4.0 and numpy 2.4.6, for spaces as an environment has them that shows bytes of memory or hashes:
# - Box(0, 2**63 - 1, dtype=int64) can be made, and contains what it should. sample() fails: "high - low < 0". To have
#   a bound that is included, it adds one to the largest number that there is.
# - Box(-2**63, 2**63 - 1, dtype=int64) draws -2**63 each time, and Box(0, 2**64 - 1, dtype=uint64) draws 0 each time,
#   without a warning. An agent that acts at random does the same thing for ever.
# - flatten() of a Dict of a space of integers and one of shares makes one array of doubles. 2**53 + 1 bytes come back
#   from unflatten() as 2**53, though both spaces are of integers: what an agent is shown depends on what stands beside it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check gymnasium==1.4.0 numpy==2.4.6
cd "$place"
cat > seen.py <<'PYTHON'
import numpy
from gymnasium import spaces

ends = {
    "all from zero": (0, 2**63 - 1, numpy.int64),
    "one fewer": (0, 2**63 - 2, numpy.int64),
    "all signed": (-2**63, 2**63 - 1, numpy.int64),
    "all unsigned": (0, 2**64 - 1, numpy.uint64),
}
for name, (low, high, type_) in ends.items():
    space = spaces.Box(low, high, (1000,), type_, seed=1)
    try:
        drawn = space.sample()
        print(f"{name}: {len(set(drawn.tolist()))} different numbers of 1000, the first is", end=" ")
        print(low if drawn[0] == low else "another than the least")
    except ValueError as error:
        print(f"{name}: {error}")

free = spaces.Box(0, 2**60, (1,), numpy.int64)
share = spaces.Box(0, 1, (1,), numpy.float32)
node = {"free": numpy.array([2**53 + 1]), "share": numpy.array([0.5], numpy.float32)}
for shown in ({"free": free}, {"free": free, "share": share}):
    space = spaces.Dict(shown)
    value = {key: node[key] for key in shown}
    again = spaces.unflatten(space, spaces.flatten(space, value))
    print(f"{' and '.join(shown)}: {again['free'][0] - 2**53:+d}")
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
all from zero: high - low < 0
one fewer: 1000 different numbers of 1000, the first is another than the least
all signed: 1 different numbers of 1000, the first is -9223372036854775808
all unsigned: 1 different numbers of 1000, the first is 0
free: +1
free and share: +0
SEEN
