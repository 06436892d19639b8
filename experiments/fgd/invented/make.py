#!/usr/bin/env python3
"""Makes the trace beside this file: sixty servers, and pods that ask for a little less than the servers have. It was
not recorded; the numbers are made up. Running this again writes the same files."""

import os
import random

dice = random.Random(7)
here = os.path.dirname(os.path.abspath(__file__))

machines = [(8, 96, 384, "M8", 30), (4, 64, 256, "M4", 14), (2, 32, 128, "M2", 16)]
with open(os.path.join(here, "openb_node_list_gpu_node.csv"), "w", encoding="ascii") as out:
    out.write("sn,cpu_milli,memory_mib,gpu,model\n")
    rows = [m[:4] for m in machines for _ in range(m[4])]
    dice.shuffle(rows)
    for i, (gpus, cpus, gib, model) in enumerate(rows):
        out.write(f"node-{i:04},{cpus * 1000},{gib * 1024},{gpus},{model}\n")

kinds = [  # CPUs, GiB, GPUs, thousandths of each, models, weight
    (8, 16, 0, 0, "", 12),
    (4, 8, 1, 250, "", 14),
    (4, 16, 1, 500, "", 18),
    (6, 24, 1, 700, "", 10),
    (2, 8, 1, 120, "", 8),
    (10, 40, 1, 1000, "", 24),
    (12, 48, 1, 1000, "M8|M4", 5),
    (20, 96, 2, 1000, "", 4),
    (40, 160, 4, 1000, "", 3),
    (88, 320, 8, 1000, "M8", 2),
]
with open(os.path.join(here, "openb_pod_list_default.csv"), "w", encoding="ascii") as out:
    out.write("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n")
    now = 0
    for i in range(400):
        cpus, gib, gpus, milli, models, _ = dice.choices(kinds, [k[5] for k in kinds])[0]
        now += dice.randint(1, 120)
        runs = dice.choice([300, 900, 1800, 3600, 7200, 14400, 28800])
        out.write(
            f"pod-{i:04},{cpus * 1000},{gib * 1024},{gpus},{milli},{models},LS,Succeeded,{now},{now + runs},{now}\n"
        )
