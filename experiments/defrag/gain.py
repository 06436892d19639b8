"""What a descheduler gains and costs in a run: for each budget, the GPUs that its moves make whole and the work that
they lose, as a table and a figure.

  gain.py BERTH FOLDER OUT [--rate R]    FOLDER has openb_node_list_gpu_node.csv and openb_pod_list_default.csv;
                                         OUT is a new folder for the runs and gain.svg
"""

import argparse
import csv
import math
import os
import subprocess

BUDGETS = (0, 2, 5, 10, 20, 50)
DAYS = 2  # of the three that a run takes, the metrics cover these


def run(arguments, budget):
    """Runs the experiment with so many moves an hour, and returns what it says."""
    out = os.path.join(arguments.out, str(budget))
    nodes = os.path.join(arguments.folder, "openb_node_list_gpu_node.csv")
    pods = os.path.join(arguments.folder, "openb_pod_list_default.csv")
    moves = "null" if budget == 0 else f"{{every: 1h, policy: whole-gpus, budget: {budget}}}"
    subprocess.run(
        [arguments.berth, "run", os.path.join(os.path.dirname(__file__), "openb.yaml"), "-q", "-o", out,
         "--set", f"spec.topology.nodes.file={nodes}", "--set", f"spec.workload[0].trace.file={pods}",
         "--set", f"spec.scheduler.typicalPods.file={pods}", "--set", f"spec.descheduler={moves}",
         "--set", f"spec.workload[0].rate={arguments.rate}",
         "--set", f"spec.workload[0].bootstrap.count={arguments.jobs}"],
        check=True, stderr=subprocess.DEVNULL)
    with open(os.path.join(out, "replications.csv"), encoding="utf-8", newline="") as file:
        metrics = next(csv.DictReader(file))
    rows = []
    if budget > 0:
        with open(os.path.join(out, "moves.csv"), encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if float(row["time_s"]) >= 86400]
    return {
        "moves": len(rows) / DAYS,
        "whole": sum(int(row["gained"]) for row in rows) / DAYS,
        "lost": float(metrics.get("work_lost_s") or 0) / 3600 / DAYS,
        "wait": float(metrics["gpu_wait_s_mean"]),
        "used": 100 * float(metrics["nvidia.com/gpu_utilization"]),
    }


def end_of_axis(most):
    """The least of 1, 2, 3, 4, 6 and 8 times a power of ten that is at least 5 % above what is shown."""
    power = 10 ** math.floor(math.log10(max(most, 1)))
    return next(step * power for step in (1, 2, 3, 4, 6, 8, 10, 20) if step * power >= most * 1.05)


def figure(results):
    """The GPUs made whole against the work lost, a point for each budget, as SVG."""
    left, top, width, height = 90, 20, 560, 300
    most_lost = end_of_axis(max(one["lost"] for one in results.values()))
    most_whole = end_of_axis(max(one["whole"] for one in results.values()))
    points = {budget: (left + width * one["lost"] / most_lost, top + height * (1 - one["whole"] / most_whole))
              for budget, one in results.items()}
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 70} {top + height + 60}" '
             'role="img" aria-label="GPUs made whole a day against work lost a day, by moves an hour">',
             "<style>text { font: 13px sans-serif; fill: #222 } .e { text-anchor: end } .m { text-anchor: middle }"
             "</style>",
             f'<rect width="{left + width + 70}" height="{top + height + 60}" fill="#fff"/>',
             f'<path d="M{left} {top}v{height}h{width}" fill="none" stroke="#222"/>']
    for share in (0, 0.5, 1):
        x, y = left + width * share, top + height * (1 - share)
        lines += [f'<text class="m" x="{x:.0f}" y="{top + height + 20}">{most_lost * share:.0f}</text>',
                  f'<text class="e" x="{left - 8}" y="{y + 5:.0f}">{most_whole * share:.0f}</text>']
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.values())
    lines.append(f'<polyline points="{path}" fill="none" stroke="#4477aa" stroke-width="2"/>')
    for budget, (x, y) in points.items():
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#4477aa"/>')
        if budget > 0:
            moves = f"{budget} moves an hour" if budget == BUDGETS[1] else str(budget)
            lines.append(f'<text x="{x + 9:.1f}" y="{y + 16:.1f}">{moves}</text>')
    lines += [f'<text class="m" x="{left + width / 2}" y="{top + height + 45}">work lost, GPU-hours a day</text>',
              f'<text class="m" transform="translate(24 {top + height / 2}) rotate(-90)">GPUs made whole a day</text>']
    return "\n".join(lines) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("berth")
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--rate", type=int, default=3, help="how much faster than in the trace pods come")
    parser.add_argument("--jobs", type=int, default=20000, help="how many pods are drawn from it")
    arguments = parser.parse_args()
    arguments.folder = os.path.abspath(arguments.folder)
    os.makedirs(arguments.out)
    results = {}
    print(f"{'moves an hour':>14}{'moves a day':>13}{'GPUs made whole a day':>23}{'GPU-hours lost a day':>22}"
          f"{'mean GPU wait, s':>18}{'GPUs in use, %':>16}")
    for budget in BUDGETS:
        one = results[budget] = run(arguments, budget)
        print(f"{budget:>14}{one['moves']:>13.0f}{one['whole']:>23.0f}{one['lost']:>22.1f}{one['wait']:>18.0f}"
              f"{one['used']:>16.2f}", flush=True)
    with open(os.path.join(arguments.out, "gain.svg"), "w", encoding="utf-8") as file:
        file.write(figure(results))


main()
