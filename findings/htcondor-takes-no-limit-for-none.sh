#!/usr/bin/env bash
# An amount of 2^63 or more in a ClassAd of HTCondor, such as the one by which Linux says that there is no limit, is 0.
#
# Seen with htcondor 25.14.1 (Python), whose classad2 has the parser of HTCondor itself:
# - 18446744073709551615, which is 2^64 - 1 and RLIM_INFINITY, is read as 0, and so is 9223372036854775808, without an
#   error. 9223372036854775807 is kept. The ad, written again or as JSON, has 0. So a job that asks for 1024 does not fit
#   a machine without a limit.
# - In expressions, 2^64 - 1 and 1 are 1, while 9223372036854775807 and 1 are the smallest integer, and so is pow(2, 63).
# - int("9007199254740993"), of a text, is one less, as it is read by way of a double, and int("40Gi") is 40.
# - Numbers with fractions are written with sixteen digits, which do not suffice: 0.1 + 0.2 and 10^16 + 2, as doubles, do
#   not come back as they were. Each ad that is sent on is written and read once more.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check htcondor==25.14.1
cd "$place"
cat > seen.py <<'PYTHON'
import json

import classad2

for limit in (2**63 - 1, 2**63, 2**64 - 1):
    ad = classad2.ClassAd(f"[Limit = {limit}; Requirements = Limit >= 1024]")
    print(f"{limit}: read as {ad['Limit']}, in JSON {json.loads(ad.printJson())['Limit']}", end="; ")
    print("a job that asks for 1024 fits:", ad.eval("Requirements"))
for expression in (
    "18446744073709551615 + 1",
    "9223372036854775807 + 1",
    "pow(2, 62)",
    "pow(2, 63)",
    'int("9007199254740993")',
    'int("40Gi")',
):
    print(expression, "is", classad2.ExprTree(expression).eval())
for number in (0.1 + 0.2, 1e16 + 2, 0.5):
    again = classad2.ClassAd(str(classad2.ClassAd({"Number": number})))["Number"]
    print(f"{number!r} comes back as {again!r}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
9223372036854775807: read as 9223372036854775807, in JSON 9223372036854775807; a job that asks for 1024 fits: True
9223372036854775808: read as 0, in JSON 0; a job that asks for 1024 fits: False
18446744073709551615: read as 0, in JSON 0; a job that asks for 1024 fits: False
18446744073709551615 + 1 is 1
9223372036854775807 + 1 is -9223372036854775808
pow(2, 62) is 4611686018427387904
pow(2, 63) is -9223372036854775808
int("9007199254740993") is 9007199254740992
int("40Gi") is 40
0.30000000000000004 comes back as 0.3
1.0000000000000002e+16 comes back as 1e+16
0.5 comes back as 0.5
SEEN
