#!/usr/bin/env bash
# Workflows that WfCommons makes of what Nextflow wrote have tasks that run for hours, where they waited for hours and
# ran for minutes, so a simulator lets them wait once more.
#
# Seen with wfcommons 1.6 and networkx 3.6.1, on a trace file with Nextflow's columns and a small crate that names the
# tasks without their times, for three tasks that ran for 21.5 minutes together:
# - Nextflow has two lengths of time for each task: duration, which it documents as the time from the submission on,
#   and realtime, which is that of the execution. WfCommons takes duration. Three tasks that ran for ten, ten and one
#   and a half minutes on a busy cluster have a runtimeInSeconds of 70, 130 and 110 minutes.
# - executedAt, which WfFormat documents as the start of a task, is the submission. Of two equal tasks that were
#   submitted together, of which one waited for an hour more, both have the same start, and one is nearly twice as
#   long.
# - sumTaskRuntimesInSeconds, documented as a measure of total work, is 14 times the work here. It depends on how full
#   the cluster was.
# - With trace.raw = true in Nextflow, times are numbers of milliseconds. Then all tasks have 0 seconds and no start,
#   and nothing is said.
# Expected was realtime, and start, which are in the same file.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check \
    wfcommons==1.6 networkx==3.6.1 numpy==2.4.6 scipy==1.17.1
cd "$place"
cat > seen.py <<'PYTHON'
import json
from pathlib import Path

from wfcommons.wfinstances import NextflowLogsParser

tasks = (("ALIGN (a)", ["a.fastq"], ["a.bam"]), ("ALIGN (b)", ["b.fastq"], ["b.bam"]),
         ("MERGE", ["a.bam", "b.bam"], ["all.bam"]))
graph = [{"@id": "./", "@type": "Dataset", "mainEntity": {"@id": "main.nf"}},
         {"@id": "#run", "@type": "CreateAction", "name": "Nextflow workflow run busy_cluster",
          "startTime": "2026-01-01T10:00:00Z", "endTime": "2026-01-01T14:00:00Z"}]
for number, (name, read, written) in enumerate(tasks):
    graph.append({"@id": f"#task/{number}", "@type": "CreateAction", "name": name,
                  "instrument": {"@id": "#" + name.split()[0]},
                  "object": [{"@id": file} for file in read], "result": [{"@id": file} for file in written]})
graph += [{"@id": file, "@type": "File"} for file in ("a.fastq", "b.fastq", "a.bam", "b.bam", "all.bam")]
columns = "task_id hash native_id name status exit submit start duration realtime".split()
text = (("2026-01-01 10:00:00.000", "2026-01-01 11:00:00.000", "1h 10m", "10m"),
        ("2026-01-01 10:00:00.000", "2026-01-01 12:00:00.000", "2h 10m", "10m"),
        ("2026-01-01 12:10:00.000", "2026-01-01 13:58:30.000", "1h 50m", "1m 30s"))
raw = (("1767261600000", "1767265200000", "4200000", "600000"),
       ("1767261600000", "1767268800000", "7800000", "600000"),
       ("1767269400000", "1767275910000", "6600000", "90000"))
for kind, times in (("text", text), ("raw", raw)):
    folder = Path(kind)
    folder.mkdir()
    (folder / "ro-crate-metadata.json").write_text(json.dumps({"@graph": graph}))
    rows = [columns] + [[str(number), f"ab/{number}", str(70 + number), task[0], "COMPLETED", "0", *time]
                        for number, (task, time) in enumerate(zip(tasks, times), 1)]
    (folder / "execution_trace.txt").write_text("".join("\t".join(row) + "\n" for row in rows))
    NextflowLogsParser(folder, "25.10.0").build_workflow("busy").write_json(folder / "workflow.json")
    execution = json.loads((folder / "workflow.json").read_text())["workflow"]["execution"]
    print(f"{kind}: {execution.get('metrics', {}).get('sumTaskRuntimesInSeconds')} s of work")
    for task, time in zip(execution["tasks"], times):
        print(f"  ran for {time[3]:6} from {time[1]}: {task['runtimeInSeconds']:6} s from", task.get("executedAt"))
PYTHON
HOME=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
text: 18600.0 s of work
  ran for 10m    from 2026-01-01 11:00:00.000: 4200.0 s from 2026-01-01T10:00:00+00:00
  ran for 10m    from 2026-01-01 12:00:00.000: 7800.0 s from 2026-01-01T10:00:00+00:00
  ran for 1m 30s from 2026-01-01 13:58:30.000: 6600.0 s from 2026-01-01T12:10:00+00:00
raw: None s of work
  ran for 600000 from 1767265200000:    0.0 s from None
  ran for 600000 from 1767268800000:    0.0 s from None
  ran for 90000  from 1767275910000:    0.0 s from None
SEEN
