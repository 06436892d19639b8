#!/usr/bin/env bash
# KCL's functions that write amounts for Kubernetes cut off what is not a whole unit: 1.5 GiB are 1Gi, and 0.7 CPUs are
# 699m.
#
# Seen with kcl_lib 0.13.2 (Python), which is KCL itself; its module `units` says of each function only that it makes a
# text with a suffix of a number:
# - to_Gi() of 1610612736, which is 1.5 GiB, is 1Gi, so a pod asks for a third less. to_Ti() of 1.5 TiB is 1Ti, to_G()
#   of 1999999999 is 1G, and to_Gi() of 1023 MiB is 0Gi, which asks for nothing.
# - to_m() has as many digits as it needs, but divides by a thousandth as a double and cuts, too: 0.35, 0.57 and 0.7
#   CPUs are a thousandth less. Of the 4000 amounts of whole thousandths up to four CPUs, 521 are. So ten pods of 0.7
#   CPUs fit where 6.995 are free. to_n() of one whole CPU is 999999999n.
# - The text of the literal 1536Mi is 1536Mi, and its number 1610612736, so the amounts are right before they are
#   written.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check kcl_lib==0.13.2
cd "$place"
cat > pod.k <<'KCL'
import units

memory = {
    "1.5 GiB, to_Gi" = units.to_Gi(1536 * 1024 * 1024)
    "1.5 GiB, to_Mi" = units.to_Mi(1536 * 1024 * 1024)
    "1.5 TiB, to_Ti" = units.to_Ti(1536 * 1024 * 1024 * 1024)
    "1999999999 bytes, to_G" = units.to_G(1999999999)
    "1023 MiB, to_Gi" = units.to_Gi(1023 * 1024 * 1024)
    "the literal 1536Mi" = str(1536Mi)
}
cpus = {
    "0.3 CPUs, to_m" = units.to_m(0.3)
    "0.35 CPUs, to_m" = units.to_m(0.35)
    "0.57 CPUs, to_m" = units.to_m(0.57)
    "0.7 CPUs, to_m" = units.to_m(0.7)
    "1 CPU, to_u" = units.to_u(1)
    "1 CPU, to_n" = units.to_n(1)
}
thousandths = [units.to_m(float(i) / 1000.0) for i in range(1, 4001)]
KCL
cat > seen.py <<'PYTHON'
import json

from kcl_lib import api

result = json.loads(api.API().exec_program(api.ExecProgramArgs(k_filename_list=["pod.k"])).json_result)
for name, text in {**result["memory"], **result["cpus"]}.items():
    print(f"{name}: {text}")
less = [(i, text) for i, text in enumerate(result["thousandths"], 1) if text == f"{i - 1}m"]
right = [i for i, text in enumerate(result["thousandths"], 1) if text == f"{i}m"]
print(f"of 4000 amounts, {len(right)} are right and {len(less)} a thousandth less")
PYTHON
HOME=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
1.5 GiB, to_Gi: 1Gi
1.5 GiB, to_Mi: 1536Mi
1.5 TiB, to_Ti: 1Ti
1999999999 bytes, to_G: 1G
1023 MiB, to_Gi: 0Gi
the literal 1536Mi: 1536Mi
0.3 CPUs, to_m: 300m
0.35 CPUs, to_m: 349m
0.57 CPUs, to_m: 569m
0.7 CPUs, to_m: 699m
1 CPU, to_u: 1000000u
1 CPU, to_n: 999999999n
of 4000 amounts, 3479 are right and 521 a thousandth less
SEEN
