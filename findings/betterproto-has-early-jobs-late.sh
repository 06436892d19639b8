#!/usr/bin/env bash
# A job that ended half a second before its deadline ended half a second after it, once betterproto has written the
# difference, and fifteen microseconds become a whole second.
#
# Seen with betterproto 1.2.5 and protobuf 7.36.2 (Python), for google.protobuf.Duration, by which services say lengths
# of time, and which may be negative; betterproto has it as Python's timedelta:
# - Of a negative length, its bytes have the whole seconds with a minus, and the rest as a plus: -0.5 s is 0.5 s, and
#   -0.25 s is 0.75 s, for betterproto itself as well as for Google's library, without an error. -1.25 s is -0.25 s for
#   betterproto, while Google's library refuses to write out what it has read, as the signs are mixed. Whole seconds are
#   right, so tests with those do not show it. As JSON, the same lengths are right.
# - As JSON, less than 100 microseconds have an exponent, as Python writes them, and what stands behind the point is
#   filled up with zeros at its end, which is the exponent's: 15 microseconds are "1.5e-050s". betterproto reads that as
#   0, and Google's library as one second, since it parts the text at the point: "1", and ".5e-050". 50 microseconds are
#   "5e-05s", which betterproto reads correctly and Google's library refuses.
# - 2.0.0b7, the newest version before a release, has both.
# So a sum of lateness has early jobs as late ones, and a time of a kernel on a GPU is 66 thousand times as long.
# Expected was the same length, as the comments in Google's definition require: both fields have one sign. The exponent
# was reported in 2022, and the signs were not found reported.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
python3 -m venv "$place/beta"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check betterproto==1.2.5 protobuf==7.36.2
"$place/beta/bin/pip" install --quiet --disable-pip-version-check betterproto==2.0.0b7 protobuf==7.36.2
cd "$place"
cat > seen.py <<'PYTHON'
import dataclasses
import json
from datetime import timedelta

import betterproto
from google.protobuf import duration_pb2


@dataclasses.dataclass
class Job(betterproto.Message):
    late: timedelta = betterproto.message_field(1)


def googles(read, given):
    length = duration_pb2.Duration()
    try:
        read(length, given)
        return length.ToJsonString()
    except ValueError:
        return "refused"


for microseconds in (-500_000, -250_000, -1_250_000, -2_000_000, 500_000, 15, 11, 50, 100):
    length = timedelta(microseconds=microseconds)
    job = Job(late=length)
    content, text = bytes(job), json.loads(job.to_json())["late"]
    print(
        f"{microseconds} us: bytes are {Job().parse(content).late / timedelta(microseconds=1):g} us,",
        f"for Google {googles(duration_pb2.Duration.ParseFromString, content[2:])};",
        f"JSON {text} is {Job().from_json(job.to_json()).late / timedelta(microseconds=1):g} us,",
        f"for Google {googles(duration_pb2.Duration.FromJsonString, text)}",
    )
PYTHON
venv/bin/python seen.py | tee seen
beta/bin/python seen.py | diff seen - && echo "2.0.0b7 has the same" | tee -a seen
diff - seen <<'SEEN'
-500000 us: bytes are 500000 us, for Google 0.500s; JSON -0.500s is -500000 us, for Google -0.500s
-250000 us: bytes are 750000 us, for Google 0.750s; JSON -0.250s is -250000 us, for Google -0.250s
-1250000 us: bytes are -250000 us, for Google refused; JSON -1.250s is -1.25e+06 us, for Google -1.250s
-2000000 us: bytes are -2e+06 us, for Google -2s; JSON -2.000s is -2e+06 us, for Google -2s
500000 us: bytes are 500000 us, for Google 0.500s; JSON 0.500s is 500000 us, for Google 0.500s
15 us: bytes are 15 us, for Google 0.000015s; JSON 1.5e-050s is 0 us, for Google 1s
11 us: bytes are 11 us, for Google 0.000011s; JSON 1.1e-050s is 0 us, for Google 1s
50 us: bytes are 50 us, for Google 0.000050s; JSON 5e-05s is 50 us, for Google refused
100 us: bytes are 100 us, for Google 0.000100s; JSON 0.000100s is 100 us, for Google 0.000100s
2.0.0b7 has the same
SEEN
