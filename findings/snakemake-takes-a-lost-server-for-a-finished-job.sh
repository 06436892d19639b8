#!/usr/bin/env bash
# A job whose server LSF cannot reach for the moment has finished successfully for Snakemake, which goes on with what
# was written until then; and a job that is paused by an administrator has failed, but is left in the queue.
#
# Seen with snakemake-executor-plugin-lsf 0.3.3 and snakemake 9.27.1, with an LSF of small scripts here:
# - bjobs says UNKWN while LSF has lost contact with the server where a job runs; the job usually runs on, and is RUN
#   again when the network is back. The plugin reports it as a success, as it does with DONE. Snakemake looks whether
#   the output is there, and a training that has written one of four epochs has a file. So the next step summarises one
#   epoch, all steps are "done", the exit status is 0, and the job is still running. What it writes later is newer than
#   what was made of it.
# - A comment in the plugin says that the job "probably does not exist anymore". Another comment in the same file says
#   what LSF's documentation says of the state: the server's daemon "has lost contact" with LSF's.
# - USUSP is a running job that its owner or an administrator has suspended, as before a maintenance, and bresume lets
#   it go on. It counts as an error. No bkill is asked for: Snakemake deletes the output and stops, and the job goes on
#   writing later, beside the one that the next start of the workflow submits. SSUSP, which is a pause by LSF itself,
#   is waited for.
# Expected was that both are jobs that have not ended, as they hold their slots and GPUs. Nothing is said of the first.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check snakemake-executor-plugin-lsf==0.3.3 \
  snakemake==9.27.1 snakemake-interface-executor-plugins==9.4.0
cd "$place"
mkdir -p bin lsf/lsbatch/here/configdir lsf/here/logdir
echo 'DEFAULT_QUEUE = normal' > lsf/lsbatch/here/configdir/lsb.params
touch lsf/here/logdir/lsb.events
cat > bin/badmin <<BADMIN
#!/bin/sh
printf '%s\n' 'MBD configuration' ' LSF_CONFDIR = $place/lsf' ' LSB_SHAREDIR = $place/lsf'
BADMIN
cat > bin/lsclusters <<'LSCLUSTERS'
#!/bin/sh
printf '%s\n' 'CLUSTER_NAME STATUS' 'here ok'
LSCLUSTERS
cat > bin/bsub <<'BSUB'
#!/bin/sh
echo 1 > losses
echo 'Job <101> is submitted to queue <normal>.'
BSUB
cat > bin/bjobs <<BJOBS
#!/bin/sh
echo "101 \$(cat $place/state)"
BJOBS
cat > bin/bkill <<BKILL
#!/bin/sh
echo "bkill \$*" >> $place/killed
BKILL
chmod +x bin/*
for state in UNKWN USUSP; do
    echo $state > state
    : > killed
    mkdir "$state"
    cat > "$state/Snakefile" <<'SNAKEFILE'
rule report:
    input: "losses"
    output: "report"
    localrule: True
    shell: "echo $(wc -l < {input}) of 4 epochs > {output}"

rule train:
    output: "losses"
    resources: mem_mb=1000, runtime=60
    shell: "for epoch in 1 2 3 4; do echo $epoch >> {output}; sleep 600; done"
SNAKEFILE
    status=0
    (
        cd "$state"
        HOME=$place PATH="$place/bin:$place/venv/bin:$PATH" nice snakemake --executor lsf --jobs 1 \
            --default-resources lsf_project=p > said 2>&1
    ) || status=$?
    echo "bjobs says 101 $state, and Snakemake:"
    grep -oE '^Finished jobid: 1.*|^[0-9] of 2 steps.*|^Error in rule train|^Removing output files of failed job' \
        "$state/said" | sort -u
    echo "exit status $status, losses: $(cat "$state/losses" 2> /dev/null || echo none), report:" \
        "$(cat "$state/report" 2> /dev/null || echo none), asked to kill: $(wc -l < killed)"
done | tee seen
diff - seen <<'SEEN'
bjobs says 101 UNKWN, and Snakemake:
1 of 2 steps (50%) done
2 of 2 steps (100%) done
Finished jobid: 1 (Rule: train)
exit status 0, losses: 1, report: 1 of 4 epochs, asked to kill: 0
bjobs says 101 USUSP, and Snakemake:
Error in rule train
Removing output files of failed job
exit status 1, losses: none, report: none, asked to kill: 0
SEEN
