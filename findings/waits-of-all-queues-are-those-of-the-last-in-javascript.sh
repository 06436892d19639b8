#!/usr/bin/env bash
# Of the waits of two queues, in one histogram as Prometheus has it, only the last queue's are left for one library of
# JavaScript, and of each queue's waits only their number for another.
#
# Seen with parse-prometheus-text-format 1.1.1 and @platformatic/promotel 0.2.2 (npm), on what prom-client 15.1.3 writes
# of a queue for GPUs, in which 90 of 100 jobs waited for 50 minutes, and one for CPUs, in which no job of five did:
# - parse-prometheus-text-format puts the buckets of all series of a histogram into one object with the bounds as keys,
#   so each queue replaces the one before it, and throws away their labels, sums and counts. The answer is one histogram
#   of five short waits, of no queue. Where queues have other bounds, their buckets are mixed: ten waits of up to 60
#   seconds, and five of up to 600. So it is with the quantiles of summaries. Its documentation says that the output
#   aims to be compatible with that of prom2json, which has an entry for each series, as gauges have here, too.
# - promotel, which hands such metrics to OpenTelemetry, takes each bucket for the whole list, so that the last one
#   is left, which has no upper bound: a hundred waits of any length. Sums and counts are right.
# - It also takes a gauge whose name ends in _count for the count of a histogram, in spite of its TYPE: free_gpus_count,
#   of eight GPUs that are free, is eight observations of a histogram free_gpus, and a gauge that is +Inf, such as the
#   time until a job without a place may start, is left out.
# Nothing is said in any of these. A median of waits, or an alert on long ones, is that of another queue or of none.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm install --silent --no-audit --no-fund parse-prometheus-text-format@1.1.1 @platformatic/promotel@0.2.2 \
    prom-client@15.1.3
cat > seen.mjs <<'JAVASCRIPT'
import client from "prom-client";
import parse from "parse-prometheus-text-format";
import { convert, parse as read } from "@platformatic/promotel";

const registry = new client.Registry();
const known = { registers: [registry], labelNames: ["queue"] };
const waits = new client.Histogram({ ...known, name: "wait_seconds", help: "Waits", buckets: [60, 600, 3600] });
for (let job = 0; job < 100; job++) waits.observe({ queue: "gpu" }, job < 10 ? 30 : 3000);
for (let job = 0; job < 5; job++) waits.observe({ queue: "cpu" }, 30);
const summary = new client.Summary({ ...known, name: "size_gpus", help: "Sizes", percentiles: [0.5] });
summary.observe({ queue: "gpu" }, 8);
summary.observe({ queue: "cpu" }, 0.5);
new client.Gauge({ ...known, name: "free_gpus_count", help: "Free GPUs" }).set({ queue: "gpu" }, 8);
new client.Gauge({ ...known, name: "free_gpus_now", help: "Free GPUs" }).set({ queue: "gpu" }, 8);
new client.Gauge({ ...known, name: "start_seconds", help: "Until start" }).set({ queue: "gpu" }, Infinity);
const text = await registry.metrics();
console.log(text.split("\n").filter((line) => /^[a-z]/.test(line)).join("\n"));

console.log("parse-prometheus-text-format:");
for (const family of parse(text + "\n")) {
  for (const entry of family.metrics) console.log(`  ${family.name} ${family.type} ${JSON.stringify(entry)}`);
}
const mixed = `# TYPE wait_seconds histogram
${["gpu 60 10", "gpu 3600 100", "gpu +Inf 100", "cpu 600 5", "cpu +Inf 5"]
    .map((line) => line.split(" "))
    .map(([queue, bound, count]) => `wait_seconds_bucket{queue="${queue}",le="${bound}"} ${count}`)
    .join("\n")}
`;
console.log(`  two queues with other bounds: ${JSON.stringify(parse(mixed + "\n")[0].metrics)}`);

console.log("promotel:");
for (const metric of convert(read(text)).resource_metrics[0].scope_metrics[0].metrics) {
  const kind = ["histogram", "summary", "gauge", "sum"].find((name) => name in metric);
  for (const point of metric[kind].data_points) {
    const { time_unix_nano: _, attributes, ...rest } = point;
    console.log(`  ${metric.name} ${kind} ${attributes.map((one) => one.value.string_value)} ${JSON.stringify(rest)}`);
  }
}
JAVASCRIPT
node seen.mjs | tee seen
diff - seen <<'SEEN'
wait_seconds_bucket{le="60",queue="gpu"} 10
wait_seconds_bucket{le="600",queue="gpu"} 10
wait_seconds_bucket{le="3600",queue="gpu"} 100
wait_seconds_bucket{le="+Inf",queue="gpu"} 100
wait_seconds_sum{queue="gpu"} 270300
wait_seconds_count{queue="gpu"} 100
wait_seconds_bucket{le="60",queue="cpu"} 5
wait_seconds_bucket{le="600",queue="cpu"} 5
wait_seconds_bucket{le="3600",queue="cpu"} 5
wait_seconds_bucket{le="+Inf",queue="cpu"} 5
wait_seconds_sum{queue="cpu"} 150
wait_seconds_count{queue="cpu"} 5
size_gpus{quantile="0.5",queue="gpu"} 8
size_gpus_sum{queue="gpu"} 8
size_gpus_count{queue="gpu"} 1
size_gpus{quantile="0.5",queue="cpu"} 0.5
size_gpus_sum{queue="cpu"} 0.5
size_gpus_count{queue="cpu"} 1
free_gpus_count{queue="gpu"} 8
free_gpus_now{queue="gpu"} 8
start_seconds{queue="gpu"} +Inf
parse-prometheus-text-format:
  wait_seconds HISTOGRAM {"buckets":{"60":"5","600":"5","3600":"5","+Inf":"5"}}
  size_gpus SUMMARY {"quantiles":{"0.5":"0.5"}}
  free_gpus_count GAUGE {"value":"8","labels":{"queue":"gpu"}}
  free_gpus_now GAUGE {"value":"8","labels":{"queue":"gpu"}}
  start_seconds GAUGE {"value":"+Inf","labels":{"queue":"gpu"}}
  two queues with other bounds: [{"buckets":{"60":"10","600":"5","3600":"100","+Inf":"5"}}]
promotel:
  wait_seconds histogram gpu {"count":100,"sum":270300,"bucket_counts":[100],"explicit_bounds":[]}
  wait_seconds histogram cpu {"count":5,"sum":150,"bucket_counts":[5],"explicit_bounds":[]}
  size_gpus summary gpu {"count":1,"sum":8,"quantile_values":[{"quantile":0.5,"value":8}]}
  size_gpus summary cpu {"count":1,"sum":0.5,"quantile_values":[{"quantile":0.5,"value":0.5}]}
  free_gpus histogram gpu {"count":8,"sum":0,"bucket_counts":[],"explicit_bounds":[]}
  free_gpus_now gauge gpu {"as_double":8}
SEEN
