#!/usr/bin/env bash
# Fractions of a CPU are other amounts for two Kubernetes clients of Python, and each is wrong in its own way.
#
# Seen with kubernetes 37.0.2, the official client, lightkube 1.0.1 and PyYAML 6.0.4:
# - A manifest may say cpu: 0.1 without quotes, which YAML reads as a double. The official client's parse_quantity()
#   takes doubles beside texts, and keeps all their binary digits: 0.1 is not 100m, and ten of them do not fit into one
#   CPU, while ten of 0.3 are less than three. With quotes all is exact.
# - lightkube rounds every amount up to a thousandth, and compares afterwards: its equals_canonically() says that limits
#   of 0.0001 and 0.0009 are the same, of which one is nine times the other. So it stands in the comments of Kubernetes'
#   Quantity, but Kubernetes itself, v0.37.2 of apimachinery, keeps 100u and 900u. The official client keeps both, too.
# - lightkube has no suffixes u and n, as the API of metrics writes CPUs, and reads 1e3 but not 1E3. Those are errors,
#   which are seen. The others are not.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check kubernetes==37.0.2 lightkube==1.0.1 pyyaml==6.0.4
cd "$place"
cat > seen.py <<'PYTHON'
import yaml
from kubernetes.utils.quantity import parse_quantity
from lightkube.utils import quantity as lightkube


def compared(sum_, whole):
    return "less than" if sum_ < whole else "more than" if sum_ > whole else "exactly"


def tried(what):
    try:
        return what()
    except ValueError as error:
        return f"refused: {error}"


for each, whole in (("0.1", "1"), ("0.3", "3"), ("0.5", "5")):
    for written in (each, f"'{each}'"):
        cpu = yaml.safe_load(f"cpu: {written}")["cpu"]
        total = sum(parse_quantity(cpu) for _ in range(10))
        print(f"official, ten of cpu: {written} are", compared(total, parse_quantity(whole)), whole)
print("official, 0.0001 and 0.0009 are equal:", parse_quantity("0.0001") == parse_quantity("0.0009"))
print("lightkube, 0.0001 and 0.0009 are equal:", lightkube.equals_canonically({"cpu": "0.0001"}, {"cpu": "0.0009"}))
for amount in ("250u", "156340n", "1e3", "1E3"):
    print(f"{amount}: official {int(parse_quantity(amount) * 10**9)} billionths,",
          f"lightkube {tried(lambda: lightkube.parse_quantity(amount))}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
official, ten of cpu: 0.1 are more than 1
official, ten of cpu: '0.1' are exactly 1
official, ten of cpu: 0.3 are less than 3
official, ten of cpu: '0.3' are exactly 3
official, ten of cpu: 0.5 are exactly 5
official, ten of cpu: '0.5' are exactly 5
official, 0.0001 and 0.0009 are equal: False
lightkube, 0.0001 and 0.0009 are equal: True
250u: official 250000 billionths, lightkube refused: Invalid unit suffix: u
156340n: official 156340 billionths, lightkube refused: Invalid unit suffix: n
1e3: official 1000000000000 billionths, lightkube 1000.000
1E3: official 1000000000000 billionths, lightkube refused: Invalid unit suffix: E3
SEEN
