// Checks that what BERTH writes into pages has the types of
// experiments/program/report/page/data.d.ts:
//
//   written_data.mjs BERTH [INVENT...]
//
// An INVENT is a program that invents a run directory: those of tests/browser. The data becomes a
// literal of its type, so that tsc reports what is missing, has another type, or is not in
// data.d.ts.

import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import {fileURLToPath} from "node:url";

const project = fileURLToPath(new URL("../../", import.meta.url));
const require = createRequire(path.join(project, "experiments/program/report/package.json"));
const [berth, ...inventors] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), "berth-page-"));
const quiet = {stdio: ["ignore", "ignore", "ignore"]};

/** Runs the example with a queue order and other settings, and returns its directory. */
function run(queue, ...more) {
  const to = path.join(folder, queue);
  const settings = ["spec.replications=3", "spec.record={sampleEvery: 1h}", `spec.scheduler.profile.queueSort=${queue}`, ...more];
  execFileSync(berth, ["run", path.join(project, "docs/examples/two-teams.yaml"), "-o", to, "--quiet", ...settings.flatMap((one) => ["--set", one])], quiet);
  return to;
}

/** Writes the data of a page as a file that tsc reads. */
function written(name, command, directories) {
  const page = path.join(folder, `${name}.html`);
  execFileSync(berth, [command, ...directories, "-o", page], quiet);
  const [, data] = /<script type="application\/json" id="data">([^<]*)</.exec(readFileSync(page, "utf8"));
  const file = path.join(folder, `${name}.ts`);
  writeFileSync(file, `import type {WrittenPage} from "${path.join(project, "experiments/program/report/page/data.d.ts")}";\n` +
    `export const data: WrittenPage = ${JSON.stringify(JSON.parse(data), null, 1)};\n`);
  return file;
}

try {
  const runs = ["fcfs", "easy-backfill"].map((queue) => run(queue));
  const failing = run("fifo", "spec.failures={random: [{name: board, level: server, mtbf: 5d, repair: {mean: 4h}}], detection: 10m}");
  const admitted = path.join(folder, "kueue");
  execFileSync(berth, ["run", path.join(project, "experiments/kueue/fair-sharing.yaml"), "-o", admitted, "--quiet",
    "--set", "spec.replications=2", "--set", "spec.record={from: 1d, to: 3d}", "--set", "spec.until=3d"], quiet);
  const files = [
    written("kueue", "report", [admitted]),
    written("run", "report", [path.join(project, "tests/browser/data/tiny-run")]),
    written("sweep", "report", [path.join(project, "tests/browser/data/tiny-sweep")]),
    written("comparison", "compare", runs),
    written("failing", "report", [failing]),
    ...inventors.map((invent, i) => {
      const to = path.join(folder, `invented-${i}`);
      execFileSync(invent, [to], quiet);
      return written(`page-${i}`, "report", [to]);
    }),
  ];
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler",
    "--allowImportingTsExtensions"];
  execFileSync(process.execPath, [require.resolve("typescript/bin/tsc"), ...options, ...files], {stdio: ["ignore", "inherit", "inherit"]});
} catch (error) {
  if (error.status == null) throw error;
  process.exitCode = 1;
} finally {
  rmSync(folder, {recursive: true});
}
