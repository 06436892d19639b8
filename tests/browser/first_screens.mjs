// Pictures of the report's first screen, for people to look at:
//
//   node first_screens.mjs BERTH FOLDER [KIND...]
//
// Ten kinds of page and five more, on a desktop and on a phone, light and dark:
// FOLDER/KIND-SCREEN-THEME.png; FOLDER/KIND-SCREEN-whole.png shows the whole page. Nothing is
// compared: only a person can judge what a picture has to look like.
import {execFileSync} from "node:child_process";
import {mkdirSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const project = path.join(here, "../..");
const require = createRequire(path.join(project, "experiments/program/report/package.json"));
const {chromium} = require("playwright-core");

const [berth, given, ...wanted] = process.argv.slice(2);
const folder = given && path.resolve(given);
if (!folder) {
  console.error("usage: node first_screens.mjs BERTH FOLDER [KIND...]");
  process.exit(2);
}

mkdirSync(path.join(folder, "runs"), {recursive: true});

/** Writes a file of this script, beside the runs. */
function written(name, text) {
  const file = path.join(folder, "runs", name);
  writeFileSync(file, text);
  return file;
}

/**
 * The output of `kubectl get nodes,pods -o json` for twelve servers with GPUs and six without, in
 * two zones, two thirds of them in use.
 */
function importedCluster() {
  const nodes = Array.from({length: 18}, (_, i) => ({kind: "Node", apiVersion: "v1",
    metadata: {name: `${i < 12 ? "gpu" : "cpu"}-${i}`, labels: {"topology.kubernetes.io/zone": `zone-${i % 2}`}},
    status: {allocatable: {cpu: "96", memory: "1Ti", ...(i < 12 ? {"nvidia.com/gpu": "8"} : {})}, conditions: [{type: "Ready", status: "True"}]}}));
  const pods = Array.from({length: 32}, (_, i) => ({kind: "Pod", apiVersion: "v1", metadata: {name: `train-${i}`, namespace: "research"},
    spec: {nodeName: nodes[i % 12].metadata.name, containers: [{name: "main", resources: {requests: {cpu: "8", "nvidia.com/gpu": "2"}}}]},
    status: {phase: "Running"}}));
  written("cluster.json", JSON.stringify({kind: "List", apiVersion: "v1", items: [...nodes, ...pods]}));
  return written("imported.yaml", `apiVersion: berth/v1
kind: Experiment
metadata: {name: imported}
spec:
  topology: {nodes: {format: kubernetes, file: cluster.json}}
  types: {four: {cpu: 8, nvidia.com/gpu: 4}, web: {cpu: 4}}
  workload:
    - running: {file: cluster.json, lifetime: 6h}
    - generate: {name: new, arrivals: {distribution: exponential, mean: 9m}, service: {distribution: exponential, mean: 3h}, until: 2d,
        mix: [{name: four, type: four, weight: 2}, {name: web, type: web, weight: 1}]}
`);
}

/** A week of sacct records of five users, on 16 servers with eight GPUs each. */
function accounting() {
  const stamp = (seconds) => new Date(Date.UTC(2026, 0, 5) + 1000 * seconds).toISOString().slice(0, 19);
  let state = 1;
  const draw = (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const rows = Array.from({length: 1500}, (_, i) => {
    const [submit, gpus, run] = [400 * i + draw(400), [1, 1, 1, 2, 4, 8, 8, 32][draw(8)], 600 + draw(40000)];
    const nodes = Math.ceil(gpus / 8);
    return [i + 1, `user-${draw(5)}`, "lab", "gpu", stamp(submit), stamp(submit + 60), stamp(submit + 60 + run), run, "1-00:00:00", "COMPLETED",
      `cpu=${8 * gpus},gres/gpu=${gpus},mem=${64 * gpus}G,node=${nodes}`, nodes].join("|");
  });
  written("accounting.sacct", ["JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|AllocTRES|NNodes", ...rows, ""].join("\n"));
  return written("accounting.yaml", `apiVersion: berth/v1
kind: Experiment
metadata: {name: accounting}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 4}, {name: server, count: 4}]
      machines: [{type: node}]
      machineTypes: {node: {capacity: {cpu: 128, memory: 1Ti, nvidia.com/gpu: 8}}}
  workload: [{trace: {format: sacct, file: accounting.sacct}}]
`);
}

/** An experiment's file with its settings. */
const experiment = (file, ...settings) => ({command: "run", file, settings});
const twoTeams = (queue) => experiment("docs/examples/two-teams.yaml", "spec.replications=5",
  `spec.scheduler.profile.queueSort=${queue}`, `metadata.name=${queue}`);
const kinds = {
  paper: ["worked-example", "pack-rack-soft", "spread-rack-soft", "spread-rack-server-soft", "random-pack-rack-soft", "group-size"]
    .map((name) => experiment(`experiments/paper/${name}.yaml`)),
  unlike: [experiment("docs/examples/two-teams.yaml", "spec.replications=5"), experiment("experiments/fgd/fgd.yaml")],
  run: [experiment("docs/examples/training.yaml")],
  "two-runs": [twoTeams("fcfs"), twoTeams("easy-backfill")],
  sweep: [{command: "sweep", file: "docs/examples/two-teams-policies.yaml", settings: ["spec.replications=5"]}],
  kueue: [experiment("experiments/kueue/fair-sharing.yaml", "spec.replications=2")],
  reliability: [experiment("experiments/reliability/research-cluster.yaml", "spec.replications=2")],
  quotas: [experiment("experiments/quota/company.yaml")],
  devices: [experiment("experiments/devices/jobs.yaml")],
  imported: [experiment(importedCluster())],
  accounting: [experiment(accounting())],
  placement: [experiment("experiments/paper/pack-rack-soft.yaml", "spec.replications=1")],
  window: [experiment("docs/examples/two-teams.yaml", "spec.replications=5", "spec.record={warmUp: auto, sampleEvery: 1h}")],
  fragments: [experiment("experiments/fgd/fgd.yaml")],
  censored: [experiment("tests/browser/data/crowd.yaml")],
};

/** Runs what a kind needs, and returns its page; a failed expectation is not an error here. */
function pageOf(kind) {
  const directories = kinds[kind].map(({command, file, settings}, i) => {
    const from = path.resolve(project, file);
    const to = path.join(folder, "runs", `${kind}-${i}`);
    try {
      execFileSync(berth, [command, from, "-o", to, "--quiet", ...settings.flatMap((one) => ["--set", one])], {stdio: ["ignore", "ignore", "pipe"]});
    } catch (error) {
      if (error.status !== 1) throw error;
      console.error(String(error.stderr));
    }
    return to;
  });
  const page = path.join(folder, "runs", `${kind}.html`);
  execFileSync(berth, [kind === "two-runs" ? "compare" : "report", ...directories, "-o", page], {stdio: ["ignore", "ignore", "inherit"]});
  return page;
}

const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]});
for (const kind of wanted.length > 0 ? wanted : Object.keys(kinds)) {
  const address = pathToFileURL(path.resolve(pageOf(kind))).href;
  const heights = [];
  for (const [screen, width, height] of [["desk", 1400, 900], ["phone", 390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({viewport: {width, height}, colorScheme, offline: true});
      await page.goto(address);
      await page.screenshot({path: path.join(folder, `${kind}-${screen}-${colorScheme}.png`)});
      if (colorScheme === "light") heights.push(await page.evaluate(() => document.documentElement.scrollHeight));
      if (colorScheme === "light") await page.screenshot({path: path.join(folder, `${kind}-${screen}-whole.png`), fullPage: true});
      await page.close();
    }
  }
  console.log(`${kind}: ${heights.join(" and ")} pixels high`);
}
await browser.close();
