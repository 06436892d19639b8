// Pictures of the report's first screen, for a person to look at: node first_screens.mjs BERTH FOLDER [KIND...]
// Ten kinds of page, on a desk and on a phone, light and dark: FOLDER/KIND-SCREEN-THEME.png; and FOLDER/KIND-whole.png
// is all of the page. Nothing is compared: what a picture has to be like, only who looks at it can say.
import {execFileSync} from "node:child_process";
import {mkdirSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const project = path.join(here, "../..");
const require = createRequire(path.join(project, "experiments/program/report/package.json"));
const {chromium} = require("playwright-core");

const [berth, folder, ...wanted] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node first_screens.mjs BERTH FOLDER [KIND...]");
  process.exit(2);
}

/** An experiment's file, and what is set in it. */
const experiment = (file, ...settings) => ({command: "run", file, settings});
const twoTeams = (queue) => experiment("docs/examples/two-teams.yaml", "spec.replications=5",
  `spec.scheduler.profile.queueSort=${queue}`, `metadata.name=${queue}`);
const kinds = {
  window: [experiment("docs/examples/two-teams.yaml", "spec.replications=5", "spec.record={warmUp: auto, sampleEvery: 1h}")],
  placement: [experiment("experiments/paper/pack-rack-soft.yaml", "spec.replications=1")],
  fragments: [experiment("experiments/fgd/fgd.yaml")],
  quotas: [experiment("experiments/quota/company.yaml")],
  devices: [experiment("experiments/devices/jobs.yaml")],
  sweep: [{command: "sweep", file: "docs/examples/two-teams-policies.yaml", settings: ["spec.replications=5"]}],
  comparison: [twoTeams("fcfs"), twoTeams("easy-backfill")],
  paper: ["worked-example", "pack-rack-soft", "spread-rack-soft", "spread-rack-server-soft", "random-pack-rack-soft", "group-size"]
    .map((name) => experiment(`experiments/paper/${name}.yaml`)),
  unlike: [experiment("docs/examples/two-teams.yaml", "spec.replications=5"), experiment("experiments/fgd/fgd.yaml")],
  censored: [experiment("tests/browser/data/crowd.yaml")],
};

/** Runs what a kind needs, and gives its page; an expectation that does not hold is no failure here. */
function pageOf(kind) {
  const directories = kinds[kind].map(({command, file, settings}, i) => {
    const from = path.join(project, file);
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
  execFileSync(berth, [kind === "comparison" ? "compare" : "report", ...directories, "-o", page], {stdio: ["ignore", "ignore", "inherit"]});
  return page;
}

mkdirSync(path.join(folder, "runs"), {recursive: true});
const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]});
for (const kind of wanted.length > 0 ? wanted : Object.keys(kinds)) {
  const address = pathToFileURL(path.resolve(pageOf(kind))).href;
  for (const [screen, width, height] of [["desk", 1400, 900], ["phone", 390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({viewport: {width, height}, colorScheme, offline: true});
      await page.goto(address);
      await page.screenshot({path: path.join(folder, `${kind}-${screen}-${colorScheme}.png`)});
      if (colorScheme === "light") await page.screenshot({path: path.join(folder, `${kind}-${screen}-whole.png`), fullPage: true});
      await page.close();
    }
  }
  console.log(kind);
}
await browser.close();
