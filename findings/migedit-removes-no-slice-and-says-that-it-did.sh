#!/usr/bin/env bash
# migedit, which parts GPUs by MIG, removes no slice of any GPU, and says that it removed all of them, and it gives to a
# new slice the number under which DCGM measures an old one.
#
# Seen with migedit 0.3.4, with an nvidia-smi and a dcgmi that keep a list of slices in a file, and a sudo that only
# starts what follows:
# - Before it removes anything, it looks whether there are slices at all: for MIG in capitals, in a text of which it has
#   made all letters small. So there never are any. Its command without profiles asks for no removal and reports
#   success, and with profiles the old slices stay beside the new ones. Its documentation says of the function behind it
#   "to remove old MIG instances and create new ones". On a full GPU nothing new can be made.
# - Its answer has the number by which dcgmi names the slice, to measure its use. It takes the first line of what dcgmi
#   lists that has GPU and slice in it, as in 0/1, anywhere in the line, and 0/13 has it, too. Slices of a seventh have
#   the numbers 7 to 13 on an A100, and those of three sevenths 1 and 2. If the small slice 13 is listed before the new
#   slice 1, what is measured for the job on the new slice is that of the old one, which still is there.
# Expected was that a GPU has the slices afterwards that it was to have, as an experiment relies on that starts with it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check migedit==0.3.4
cd "$place"
mkdir bin
cat > bin/nvidia-smi <<'SHELL'
#!/usr/bin/env bash
# One GPU, whose slices are in the file slices: number, profile and the number that DCGM gives to it.
echo "nvidia-smi $*" >> asked
case "$*" in
    -L)
        echo "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5c89852c)"
        while read -r number profile _; do echo "  MIG $profile     Device  0: (UUID: MIG-$number)"; done < slices
        ;;
    "mig -lgip")
        for profile in 1g.5gb 2g.10gb 3g.20gb 7g.40gb; do
            echo "|   0  MIG $profile   1   1/1   4.75   No   14   0   0   |"
        done
        ;;
    "mig -i 0 -cgi 3g.20gb -C")
        echo "1 3g.20gb 8" >> slices
        echo "Successfully created GPU instance ID  1 on GPU  0 using profile MIG 3g.20gb (ID  9)"
        ;;
    "mig -dci" | "mig -dgi") : > slices ;;
esac
SHELL
cat > bin/dcgmi <<'SHELL'
#!/usr/bin/env bash
echo "| GPU 0             | GPU GPU-5c89852c (EntityID: 0)   |"
while read -r number _ entity; do
    echo "| -> I 0/$number         | GPU Instance (EntityID: $entity)       |"
    echo "|    -> CI 0/$number/0   | Compute Instance (EntityID: $entity)   |"
done < slices
SHELL
printf '#!/usr/bin/env bash\nexec "$@"\n' > bin/sudo
chmod +x bin/*
export PATH="$place/bin:$PATH"
slices() {
    echo "slices $1: $(paste -sd, slices)"
}
{
    echo "13 1g.5gb 6" > slices
    slices "at first"
    venv/bin/migedit -i 0 > said
    echo "exit status of the removal of all: $?, lines said: $(wc -l < said)"
    echo "removals that nvidia-smi was asked for: $(grep -c -e -dgi -e -dci asked)"
    slices "after the removal of all"
    venv/bin/python - <<'PYTHON'
import migedit

for gpu, profile, number, entity, _ in migedit.make_mig_devices(0, ["3g.20gb"]):
    print(f"new slice: GPU {gpu}, {profile}, number {number}, measured as {entity}")
PYTHON
    slices "after one of 3g.20gb was to be the only one"
} | tee seen
diff - seen <<'SEEN'
slices at first: 13 1g.5gb 6
exit status of the removal of all: 0, lines said: 1
removals that nvidia-smi was asked for: 0
slices after the removal of all: 13 1g.5gb 6
new slice: GPU 0, 3g.20gb, number 1, measured as i:6
slices after one of 3g.20gb was to be the only one: 13 1g.5gb 6,1 3g.20gb 8
SEEN
