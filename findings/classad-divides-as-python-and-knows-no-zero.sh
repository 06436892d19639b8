#!/usr/bin/env bash
# Half of seven slots are three for HTCondor and three and a half for classad, a package that reads HTCondor's
# expressions, puts Xeon before opteron, and refuses each text with the digit 0 in it.
#
# Seen on 2026-11-30 with classad 0.4.1 and pyparsing 2.4.7, which evaluates ClassAds in Python without HTCondor, beside
# htcondor 25.14.1, HTCondor's own bindings, with their module classad2. classad takes MutableMapping from where older
# Pythons had it, so it is put there:
# - A quotient of two integers is an integer in ClassAds. classad has Python's: 7 / 2 is 3.5. A job's MemoryUsage is
#   (ResidentSetSize + 1023) / 1024, to round up to MiB. That is 1465 for HTCondor and 1465.84 for classad, so that a
#   server that has 1465 does not match. SlotID / 2 == 3 is true for slots 6 and 7, and for classad for 6 only.
# - HTCondor compares texts by < without regard to case, as by ==. classad does so for == only, so "opteron" < "Xeon" is
#   true and false. Where a requirement compares names of models or versions so, other servers fit.
# - Where a truth is needed, a number is true unless it is 0, as in 5 > 3 && 2. classad has an error as the value, which
#   in a requirement is no match. true + 1 is 2, and an error.
# - Its grammar has no 0 among the characters of a text: "Xeon" and "gpu1" can be read, and "gpu01", "Tesla V100" and
#   "10" cannot. The remainder, %, is unknown. Those are exceptions, which are seen. The others are not.
# Expected were HTCondor's values, since the package says that it follows HTCondor's manual.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check classad==0.4.1 pyparsing==2.4.7 htcondor==25.14.1
cd "$place"
cat > seen.py <<'PYTHON'
import collections
import collections.abc
from importlib.metadata import version

collections.MutableMapping = collections.abc.MutableMapping

import classad
import classad2
from pyparsing import ParseException


def written(value):
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind.__repr__(value)
    name = str(getattr(value, "name", type(value).__name__)).lower()
    return {"htcbool": lambda: str(bool(value))}.get(name, lambda: name)()


def by_package(text):
    try:
        return written(classad.parse(text).evaluate())
    except ParseException:
        return "refused"


print(*(f"{name} {version(name)}" for name in ("classad", "pyparsing", "htcondor")))
for text in ("7 / 2", "6 / 3", "6.0 / 4", "(1499999 + 1023) / 1024", "1465 >= (1499999 + 1023) / 1024", "6 / 2 == 3",
             "7 / 2 == 3", '"opteron" == "OPTERON"', '"opteron" < "Xeon"', '"Xeon" < "opteron"', "5 > 3 && 2",
             '1 ? "x" : "y"', "true + 1", '"Xeon"', '"gpu1"', '"gpu01"', '"Tesla V100"', '"10"', "7 % 2"):
    print(f"{text}: HTCondor {written(classad2.ExprTree(text).eval())}, classad {by_package(text)}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
classad 0.4.1 pyparsing 2.4.7 htcondor 25.14.1
7 / 2: HTCondor 3, classad 3.5
6 / 3: HTCondor 2, classad 2.0
6.0 / 4: HTCondor 1.5, classad 1.5
(1499999 + 1023) / 1024: HTCondor 1465, classad 1465.841796875
1465 >= (1499999 + 1023) / 1024: HTCondor True, classad False
6 / 2 == 3: HTCondor True, classad True
7 / 2 == 3: HTCondor True, classad False
"opteron" == "OPTERON": HTCondor True, classad True
"opteron" < "Xeon": HTCondor True, classad False
"Xeon" < "opteron": HTCondor False, classad True
5 > 3 && 2: HTCondor True, classad error
1 ? "x" : "y": HTCondor 'x', classad error
true + 1: HTCondor 2, classad error
"Xeon": HTCondor 'Xeon', classad 'Xeon'
"gpu1": HTCondor 'gpu1', classad 'gpu1'
"gpu01": HTCondor 'gpu01', classad refused
"Tesla V100": HTCondor 'Tesla V100', classad refused
"10": HTCondor '10', classad refused
7 % 2: HTCondor 1, classad refused
SEEN
