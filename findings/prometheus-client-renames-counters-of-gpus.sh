#!/usr/bin/env bash
# Counters that DCGM's exporter writes of GPUs have other names once Prometheus' Python client has read them.
#
# Seen with prometheus_client 0.26.0, on the text format as the exporter has it:
# - Each metric of type counter whose name has no _total at its end gets one: DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION is
#   DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_total. In capitals it does not suffice: ..._VOL_TOTAL is ..._VOL_TOTAL_total.
#   Gauges keep their names, so some series of a GPU are found by theirs, and others are not; the answer is None.
# - A program that reads the text and exposes it again exposes the new names, though in the same text format, which asks
#   for no such ending.
# - If the line with the type is missing, which the format permits, the name stays. So the same sample has two names.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check prometheus_client==0.26.0
cd "$place"
cat > seen.py <<'PYTHON'
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

TEXT = """\
# HELP DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION Energy in mJ.
# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0"} 287234
# TYPE DCGM_FI_DEV_ECC_DBE_VOL_TOTAL counter
DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu="0"} 0
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0"} 61
"""


class Exporter:
    def __init__(self, text):
        self.text = text

    def collect(self):
        yield from text_string_to_metric_families(self.text)


untyped = "".join(line + "\n" for line in TEXT.splitlines() if "TYPE" not in line)
for name, text in (("typed", TEXT), ("untyped", untyped)):
    registry = CollectorRegistry()
    registry.register(Exporter(text))
    for metric in ("TOTAL_ENERGY_CONSUMPTION", "ECC_DBE_VOL_TOTAL", "POWER_USAGE"):
        print(name, metric, "is", registry.get_sample_value(f"DCGM_FI_DEV_{metric}", {"gpu": "0"}))
    for line in generate_latest(registry).decode().splitlines():
        if not line.startswith("# HELP"):
            print(" ", line)
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
typed TOTAL_ENERGY_CONSUMPTION is None
typed ECC_DBE_VOL_TOTAL is None
typed POWER_USAGE is 61
  # TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_total counter
  DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_total{gpu="0"} 287234.0
  # TYPE DCGM_FI_DEV_ECC_DBE_VOL_TOTAL_total counter
  DCGM_FI_DEV_ECC_DBE_VOL_TOTAL_total{gpu="0"} 0.0
  # TYPE DCGM_FI_DEV_POWER_USAGE gauge
  DCGM_FI_DEV_POWER_USAGE{gpu="0"} 61.0
untyped TOTAL_ENERGY_CONSUMPTION is 287234
untyped ECC_DBE_VOL_TOTAL is 0
untyped POWER_USAGE is 61
  # TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION untyped
  DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0"} 287234.0
  # TYPE DCGM_FI_DEV_ECC_DBE_VOL_TOTAL untyped
  DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu="0"} 0.0
  # TYPE DCGM_FI_DEV_POWER_USAGE untyped
  DCGM_FI_DEV_POWER_USAGE{gpu="0"} 61.0
SEEN
