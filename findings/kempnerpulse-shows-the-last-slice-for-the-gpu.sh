#!/usr/bin/env bash
# A GPU with a busy slice of three sevenths is idle for KempnerPulse, and uses 10 MiB, if an idle slice of it is listed
# later, and of seven busy slices it shows one.
#
# Seen with kempnerpulse 0.5.0, which says of the GPUs of a cluster how well they are used, on what DCGM's exporter
# writes where GPUs are parted by MIG: a line for each slice, with the GPU's number in each of them:
# - The lines are put together by the label gpu alone, and each replaces the one before it. So a GPU is as busy as the
#   slice that stands last, and has its used memory, and not the sum or the largest. One slice with 98 % and 19000 MiB
#   beside one with nothing is "idle", 0 % and 10 MiB, and with the same two lines the other way round it is 98 %.
# - A metric that one slice does not have is another's: the work of the idle slice and the memory of the busy one make a
#   GPU that is full and idle. Seven slices of 4700 MiB each are a GPU that uses 4700 MiB.
# - Its reader says in the source that a record is of a GPU or of a slice of it, but the labels of slices, GPU_I_ID and
#   GPU_I_PROFILE, are not used. Its documentation does not name MIG.
# Expected was a line for each slice, or a sum, or an error. So a GPU that is full looks free, and who takes the numbers
# to find wasted GPUs finds those whose last slice is idle.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check kempnerpulse==0.5.0
cd "$place"
export HOME="$place"
# The lines of DCGM's exporter for one GPU, of slices that are given as number, profile, share of time and MiB.
cat > metrics.py <<'PYTHON'
import sys

slices = [one.split() for one in sys.argv[1:]]
for metric, column in (("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 2), ("DCGM_FI_PROF_SM_ACTIVE", 2), ("DCGM_FI_DEV_FB_USED", 3)):
    print(f"# TYPE {metric} gauge")
    for one in slices:
        labels = {"gpu": 0, "UUID": "GPU-5c89852c", "device": "nvidia0", "modelName": "NVIDIA A100-SXM4-40GB"}
        if one[0] != "none":
            labels |= {"GPU_I_PROFILE": one[1], "GPU_I_ID": one[0]}
        if one[column] != "-":
            print(metric + "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "} " + one[column])
print("# TYPE DCGM_FI_DEV_GPU_TEMP gauge")
print('DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-5c89852c",device="nvidia0",modelName="NVIDIA A100-SXM4-40GB"} 61')
PYTHON
show() {
    printf '%s\n' "$@" | sed 's/^/  slice /'
    venv/bin/python metrics.py "$@" > metrics
    venv/bin/kempnerpulse --backend prometheus --source metrics --once --show-all \
        --export gpu_id,status,gr_engine_active_pct,mem_used_mib,gpu_temp_c | tail -n +2
}
{
    show "none whole 0.98 39000"
    show "1 3g.20gb 0.98 19000" "9 1g.5gb 0 10"
    show "9 1g.5gb 0 10" "1 3g.20gb 0.98 19000"
    show "7 1g.5gb 0.9 4700" "8 1g.5gb 0.9 4700" "9 1g.5gb 0.9 4700" "10 1g.5gb 0.9 4700" "11 1g.5gb 0.9 4700" \
        "12 1g.5gb 0.9 4700" "13 1g.5gb 0.9 4700"
    show "1 3g.20gb 0.98 19000" "9 1g.5gb 0 -"
} | tee seen
diff - seen <<'SEEN'
  slice none whole 0.98 39000
0,compute-heavy,98.00,39000.0000,61.0000
  slice 1 3g.20gb 0.98 19000
  slice 9 1g.5gb 0 10
0,idle,0.00,10.0000,61.0000
  slice 9 1g.5gb 0 10
  slice 1 3g.20gb 0.98 19000
0,compute-heavy,98.00,19000.0000,61.0000
  slice 7 1g.5gb 0.9 4700
  slice 8 1g.5gb 0.9 4700
  slice 9 1g.5gb 0.9 4700
  slice 10 1g.5gb 0.9 4700
  slice 11 1g.5gb 0.9 4700
  slice 12 1g.5gb 0.9 4700
  slice 13 1g.5gb 0.9 4700
0,compute-heavy,90.00,4700.0000,61.0000
  slice 1 3g.20gb 0.98 19000
  slice 9 1g.5gb 0 -
0,idle,0.00,19000.0000,61.0000
SEEN
