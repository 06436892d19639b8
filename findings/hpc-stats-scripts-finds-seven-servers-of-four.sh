#!/usr/bin/env bash
# A job on four servers has seven for hpc-stats-scripts, some of which are named (gpu2:ncpus=8:ngpus=4), and the most
# recent of a user's finished jobs are 999, 998 and 997, where 1003 is the last one.
#
# Seen with hpc-stats-scripts 1.3.3, whose pbs-bulk-user-stats reports what a user's jobs on PBS had and used, with a
# qstat that prints what is given here, in the order and with the indentation of PBS:
# - It takes for exec_host, the servers of a job, all indented lines that follow. Those are the rest of a long line,
#   which begin with a tab, and all other attributes of the job as well, which begin with four spaces. It parts what it
#   has at each plus, and so finds the parts of exec_vnode, too: one false server for each server but the first. The
#   last goes on with the next attributes up to a slash, and as mtime is among them, it is another one for each job.
#   Four jobs on four servers have nine "unique nodes", and one on 64 servers would have 127. A job on one has one.
# - "--include-finished 3" is for "the N most recent finished jobs", but orders jobs by their numbers as texts, so that
#   999 is later than 1003, by both strategies. That lasts for as long as PBS remembers a job with fewer digits, two
#   weeks if nobody says otherwise, in which the newest jobs are never shown.
# - PBS has the letter F for finished jobs, and X for finished parts of an array. The summary, as its documentation, has
#   X for all of them, so that three finished jobs are none, and three others.
# Expected were the servers of exec_host, and the last three jobs. One who counts over how many servers the jobs of a
# user are spread, or looks at what the last jobs used, gets nearly twice as many servers, and jobs from before.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check hpc-stats-scripts==1.3.3 psutil==7.2.2
cd "$place"
export TZ=UTC
mkdir bin
cat > bin/qstat <<'PYTHON'
#!/usr/bin/env python3
import sys

JOBS = {number: ("F", 1 + number % 2) for number in range(997, 1004)} | {1004: ("R", 4)}


def details(number):
    """What qstat -f says of a job, in lines of at most 79 columns."""
    state, servers = JOBS[number]
    at = range(1, servers + 1)
    said = {
        "Job_Name": "train", "Job_Owner": "ann@login", "resources_used.cput": "04:00:00",
        "resources_used.mem": "8388608kb", "resources_used.ncpus": 8 * servers, "resources_used.walltime": "01:00:00",
        "job_state": state, "queue": "gpu", "server": "pbs", "ctime": "Tue Dec  1 00:00:00 2026",
        "exec_host": "+".join(f"gpu{server}/0*8" for server in at),
        "exec_vnode": "+".join(f"(gpu{server}:ncpus=8:ngpus=4)" for server in at),
        "Hold_Types": "n", "Join_Path": "oe", "mtime": f"Tue Dec  1 00:00:{number % 60:02} 2026",
        "Output_Path": f"login:/home/ann/train.o{number}", "Priority": 0,
        "Resource_List.mem": f"{64 * servers}gb", "Resource_List.ncpus": 8 * servers,
        "Resource_List.ngpus": 4 * servers, "Resource_List.nodect": servers, "Resource_List.place": "scatter",
        "Resource_List.select": f"{servers}:ncpus=8:ngpus=4:mem=64gb", "Resource_List.walltime": "24:00:00",
    }
    print(f"Job Id: {number}.pbs")
    for name, value in said.items():
        line = f"    {name} = {value}"
        while len(line) > 79:
            print(line[:79])
            line = "\t" + line[79:]
        print(line)
    print()


asked = sys.argv[1:]
numbers = [int(word) for word in asked if word.isdigit()]
shown = numbers or [number for number, (state, _) in JOBS.items() if state != "F" or "-x" in asked]
if "-f" in asked or "-fx" in asked:
    for number in shown:
        details(number)
else:
    print("\npbs:\nJob ID  Username Queue Jobname  S\n------- -------- ----- -------- -")
    for number in shown:
        print(f"{number}.pbs ann gpu train {JOBS[number][0]}")
PYTHON
chmod +x bin/qstat
export PATH="$place/bin:$PATH"
for strategy in fetch post; do
  echo "$strategy:"
  venv/bin/pbs-bulk-user-stats --user ann --include-finished 3 --finished-limit-strategy "$strategy" > table
  awk '/^[0-9]/ { printf "%s %s:", $1, $2; n = split($4, on, ",")
                  for (at = 1; at <= n; at++) printf " %.25s", on[at]; print "" }' table
  grep -E 'unique|states|breakdown' table
done | tee seen
diff - seen <<'SEEN'
fetch:
1004.pbs R: gpu1 gpu2 gpu3 gpu4 (gpu2:ncpus=8:ngpus=4) (gpu3:ncpus=8:ngpus=4) (gpu4:ncpus=8:ngpus=4)Hol
999.pbs F: gpu1 gpu2 (gpu2:ncpus=8:ngpus=4)Hol
998.pbs F: gpu1
997.pbs F: gpu1 gpu2 (gpu2:ncpus=8:ngpus=4)Hol
  unique nodes: 9
  states:       R=1  Q=0  X=0  other=3
    other breakdown: F=3
post:
1004.pbs R: gpu1 gpu2 gpu3 gpu4 (gpu2:ncpus=8:ngpus=4) (gpu3:ncpus=8:ngpus=4) (gpu4:ncpus=8:ngpus=4)Hol
999.pbs F: gpu1 gpu2 (gpu2:ncpus=8:ngpus=4)Hol
998.pbs F: gpu1
997.pbs F: gpu1 gpu2 (gpu2:ncpus=8:ngpus=4)Hol
  unique nodes: 9
  states:       R=1  Q=0  X=0  other=3
    other breakdown: F=3
SEEN
