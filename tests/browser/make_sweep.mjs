// Writes the tables of an invented sweep: node make_sweep.mjs DIR [large]
// The small sweep is kept as data/tiny-sweep; the large one has 1 000 points, 20 replications and
// 60 metrics.
import {createHash} from "node:crypto";
import {mkdirSync, writeFileSync} from "node:fs";
import path from "node:path";

const [directory, size] = process.argv.slice(2);
if (!directory || (size && size !== "large")) {
  console.error("usage: node make_sweep.mjs DIR [large]");
  process.exit(2);
}
const large = size === "large";

let state = 1;
/** The same numbers every time: a small generator of our own. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
const noise = () => random() + random() + random() - 1.5;

const loads = (large ? [...Array(20).keys()].map((i) => 0.05 * (i + 1)) : [0.2, 0.4, 0.6, 0.8]).map((v) => String(Number(v.toFixed(2))));
const policies = large ? ["pack", "spread", "best-fit", "random", "descent"] : ["pack", "spread", "a <b>third</b>"];
const sizes = large ? [...Array(10).keys()].map((i) => String(10 * (i + 1))) : ["16", "4"];
const replications = large ? 20 : 4;
const extra = large ? 54 : 0;

const points = [];
for (const load of loads) {
  for (const policy of policies) {
    for (const size of sizes) points.push({load, policy, size});
  }
}
const key = (point) => createHash("md5").update(JSON.stringify(point)).digest("hex");

/** The measured values at a point: waits grow with the load, and more so for larger groups. */
function measured({load, policy, size}) {
  const p = policies.indexOf(policy);
  const l = Number(load);
  const wait = 40 * l ** 2 * (1 + 0.4 * p) * (1 + Number(size) / 40) + 3 * noise();
  const used = Math.round(Number(size) * (1 + 0.6 * p) * (0.4 + l) + noise());
  const row = [Math.max(0, wait).toFixed(3), used, (0.7 * l + 0.05 * noise()).toFixed(6), Math.round((2 + l) * 2 ** 30), 480,
    l < 0.3 && p === 2 ? "" : (120 + 30 * noise()).toFixed(2)];
  for (let i = 0; i < extra; ++i) row.push((i + l * (i % 7) + p * (i % 3) + noise()).toFixed(6));
  return row;
}
const metrics = ["wait_s_mean", "server_used", "cpu_utilization", "peak_memory_bytes", "servers", "jct_s_mean",
  ...[...Array(extra).keys()].map((i) => `metric_${i}`)];

const unfinished = points.length - 2;
const results = [`load,policy,size,replication,seed,${metrics.join(",")}`];
points.forEach((point, i) => {
  if (!large && i === unfinished) return;
  for (let r = 0; r < replications; ++r) {
    results.push(`${point.load},${point.policy},${point.size},${r},${7 + r},${measured(point).join(",")}`);
  }
});

mkdirSync(directory, {recursive: true});
const write = (name, lines) => writeFileSync(path.join(directory, name), lines.join("\n") + "\n");
write("points.csv", ["point,key,load,policy,size", ...points.map((p, i) => `${i},${key(p)},${p.load},${p.policy},${p.size}`)]);
write("results.csv", results);
write("sweep.yaml", [
  "apiVersion: berth/v1",
  "kind: Sweep",
  `metadata: {name: ${large ? "a thousand points" : "load, policy & size"}}`,
  "spec:",
  "  experiment: {file: experiment.yaml}",
  "  axes:",
  `    - {name: load, path: spec.load, values: [${loads.join(", ")}]}`,
  `    - {name: policy, path: spec.policy, values: [${policies.join(", ")}]}`,
  `    - {name: size, path: spec.size, values: [${sizes.join(", ")}]}`,
  `  replications: ${replications}`,
].map((line) => line.replace("load, policy & size", '"load, policy & size"')));
