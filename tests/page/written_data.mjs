// Checks that what BERTH writes into pages and gives to the script that draws figures has the types of
// experiments/program/report/page/data.d.ts and paper/given.d.ts, and those that schedulers add to them:
//
//   written_data.mjs BERTH TYPES [INVENT...]
//
// TYPES is the folder of written.d.ts, with a tsconfig.json that finds it. An INVENT is a program that
// invents a run directory: those of tests/browser. The data becomes a literal of its type, so that tsc
// reports what is missing, has another type, or is not in data.d.ts.

import {execFileSync} from "node:child_process";
import {chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import {fileURLToPath} from "node:url";

const project = fileURLToPath(new URL("../../", import.meta.url));
const require = createRequire(path.join(project, "experiments/program/report/package.json"));
const [berth, types, ...inventors] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), "berth-page-"));
const quiet = {stdio: ["ignore", "ignore", "ignore"]};

/** Runs the example with a queue order and other settings, and returns its directory. */
function run(queue, ...more) {
  const to = path.join(folder, queue);
  const settings = ["spec.replications=3", "spec.record={sampleEvery: 1h}", `spec.scheduler.profile.queueSort=${queue}`, ...more];
  execFileSync(berth, ["run", path.join(project, "docs/examples/two-teams.yaml"), "-o", to, "--quiet", ...settings.flatMap((one) => ["--set", one])], quiet);
  return to;
}

/** Writes JSON as a file that tsc reads, as a literal of a type. */
function typed(name, json, type, declared) {
  const file = path.join(folder, `${name}.ts`);
  writeFileSync(file, `import type {${type}} from "${path.join(project, "experiments/program/report/page", declared)}";\n` +
    `export const data: ${type} = ${JSON.stringify(JSON.parse(json), null, 1)};\n`);
  return file;
}

/** The data of a page. */
function written(name, command, directories) {
  const page = path.join(folder, `${name}.html`);
  execFileSync(berth, [command, ...directories, "-o", page], quiet);
  const [, data] = /<script type="application\/json" id="data">([^<]*)</.exec(readFileSync(page, "utf8"));
  return typed(name, data, "WrittenPage", "data.d.ts");
}

/** The data of a figure, which a program in the place of Node.js keeps. */
function given(directory, figure) {
  const programs = path.join(folder, "programs");
  const kept = path.join(folder, "kept.json");
  mkdirSync(programs, {recursive: true});
  const node = path.join(programs, "node");
  writeFileSync(node, `#!/bin/sh\ncat <&3 >"${kept}"\necho "<svg></svg>"\n`);
  chmodSync(node, 0o755);
  execFileSync(berth, ["plot", directory, "--figure", figure, "-o", path.join(folder, "a.svg")],
    {...quiet, env: {...process.env, PATH: `${programs}:${process.env.PATH}`}});
  return typed(`figure-${figure}`, readFileSync(kept, "utf8"), "WrittenPaper", "paper/given.d.ts");
}

try {
  const runs = ["fcfs", "easy-backfill"].map((queue) => run(queue));
  const failing = run("fifo", "spec.failures={random: [{name: board, level: server, mtbf: 5d, repair: {mean: 4h}}], detection: 10m}");
  const admitted = path.join(folder, "kueue");
  execFileSync(berth, ["run", path.join(project, "experiments/kueue/fair-sharing.yaml"), "-o", admitted, "--quiet",
    "--set", "spec.replications=2", "--set", "spec.record={from: 1d, to: 3d}", "--set", "spec.until=3d"], quiet);
  const trained = path.join(folder, "training");
  execFileSync(berth, ["run", path.join(project, "tests/schema/examples/scheduler-rounds-ticks.yaml"), "-o", trained, "--quiet"], quiet);
  const files = [
    written("kueue", "report", [admitted]),
    written("training", "report", [trained]),
    written("run", "report", [path.join(project, "tests/browser/data/tiny-run")]),
    written("sweep", "report", [path.join(project, "tests/browser/data/tiny-sweep")]),
    written("comparison", "compare", runs),
    written("failing", "report", [failing]),
    ...["cluster", "comparison", "distribution", "gantt", "jct-cdf", "levels", "timeseries", "wait-cdf"].map((figure) => given(runs[0], figure)),
    ...["quotas", "quota-areas", "gpu-time"].map((figure) => given(runs[0], figure)),
    ...["mttf", "outages"].map((figure) => given(failing, figure)),
    ...["lines", "heat-map", "small-multiples", "sweep-distributions"].map((figure) => given(path.join(project, "tests/browser/data/tiny-sweep"), figure)),
    ...inventors.map((invent, i) => {
      const to = path.join(folder, `invented-${i}`);
      execFileSync(invent, [to], quiet);
      return written(`page-${i}`, "report", [to]);
    }),
  ];
  const schedulers = path.join(project, "schedulers");
  const ofSchedulers = readdirSync(schedulers, {recursive: true}).filter((file) => file.endsWith(".d.ts")).map((file) => path.join(schedulers, file));
  writeFileSync(path.join(folder, "tsconfig.json"),
    JSON.stringify({extends: path.join(types, "tsconfig.json"), include: [], files: [...ofSchedulers, ...files]}));
  execFileSync(process.execPath, [require.resolve("typescript/bin/tsc"), "--project", folder], {stdio: ["ignore", "inherit", "inherit"]});
} catch (error) {
  if (error.status == null) throw error;
  process.exitCode = 1;
} finally {
  rmSync(folder, {recursive: true});
}
