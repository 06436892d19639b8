// Drives the report of a sweep in Chromium, as a reader would: node sweep_check.mjs REPORT.html
// LINES.csv
//
// LINES.csv is what berth plot writes for the sweep: the page must show the same numbers, rounded
// to six digits. The check fails if a chart has drawn nothing. The sweep is data/tiny-sweep: load
// (4) x policy (3) x size (2).
import {createRequire} from "node:module";
import {readFile} from "node:fs/promises";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

import {pointed, soon} from "./patience.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, "../../experiments/program/report/package.json"));
const {chromium} = require("playwright-core");

let passed = 0;
let failed = 0;

/** Runs one check; what it throws or returns is the problem. */
async function check(name, run) {
  let problem;
  try {
    problem = await run();
  } catch (error) {
    problem = String(error.message ?? error).split("\n")[0];
  }
  if (problem) {
    ++failed;
    console.log(`FAIL  ${name}: ${problem}`);
  } else {
    ++passed;
    console.log(`ok    ${name}`);
  }
}

/** Waits for charts below the window, which are drawn a little later. */
const settled = (page) => page.waitForFunction(() => document.querySelectorAll(".chart").length === window.berth.charts.size);

/**
 * What is wrong with the charts, or nothing: each series has data, has drawn something visible, and
 * is described in words.
 */
async function emptyNow(page) {
  await settled(page);
  return page.evaluate(() => {
    const problems = window.berth.charts.size < 3 ? ["fewer than three charts"] : [];
    for (const [id, chart] of window.berth.charts) {
      const box = chart.getDom();
      const {width, height} = box.getBoundingClientRect();
      const inked = (shape) => {
        if (shape.isGroup || shape.ignore || shape.invisible || ["text", "tspan"].includes(shape.type)) return false;
        const {fill, stroke, opacity} = shape.style;
        if (opacity === 0 || ![fill, stroke].some((ink) => ink && ink !== "none")) return false;
        const at = shape.getBoundingRect().clone();
        const transform = shape.getComputedTransform();
        if (transform) at.applyTransform(transform);
        return at.x < width && at.y < height && at.x + at.width > 0 && at.y + at.height > 0;
      };
      const series = chart.getModel().getSeries();
      if (series.length === 0) problems.push(`${id} has no series`);
      for (const one of series) {
        let shapes = 0;
        chart.getViewOfSeriesModel(one).group.traverse((shape) => { shapes += inked(shape); });
        const values = one.getData().count();
        // A field of colours and a set of boxes have at least one shape per value; a line, and a
        // band along it, have one for all.
        const wanted = one.subType === "heatmap" || id === "sweep-boxes" ? values : 1;
        if (values === 0 || shapes < wanted) problems.push(`${id}, ${one.subType} ${one.name}: ${shapes} shapes for ${values} values`);
      }
      if (!box.getAttribute("aria-label")?.match(/\d/)) problems.push(`${id} is not told in words`);
      if (box.querySelectorAll("svg path").length < 3 && !box.querySelector("canvas")) problems.push(`${id} is blank`);
    }
    return problems.join("; ");
  });
}

/** What is wrong with the charts once they had time to be drawn. */
const emptyCharts = (page) => soon(() => emptyNow(page));

const titleOf = (page, id) => page.locator(`figure:has(#chart-${id}) h3`).innerText();
const seriesOf = (page, id) => page.evaluate((chart) => window.berth.charts.get(chart).getOption().series
  .filter((s) => s.type === "line").map((s) => ({name: s.name, dash: JSON.stringify(s.lineStyle.type), symbol: s.symbol,
    values: s.data.map((d) => d.value)})), id);
const rowsOf = (page) => page.locator("table.points tbody tr").count();

async function checkNumbers(page, plotted) {
  await check("the page and berth plot tell the same numbers", async () => {
    const table = (text) => text.trimEnd().split("\n").map((line) => line.split(","));
    const ours = table(await page.evaluate(() => window.berth.charts.get("sweep-lines").csv()));
    const theirs = table(await readFile(plotted, "utf8"));
    if (ours.length !== theirs.length || ours[0].join() !== theirs[0].join()) return `${ours.length} and ${theirs.length} rows, ${ours[0]}`;
    const same = (a, b) => a === b || Math.abs(Number(a) - Number(b)) <= 1e-5 * Math.abs(Number(b));
    const wrong = ours.findIndex((row, i) => row.some((value, k) => !same(value, theirs[i][k])));
    return wrong >= 0 && `${ours[wrong]} is not ${theirs[wrong]}`;
  });
}

async function checkSelectors(page) {
  await check("the first figure has a line a policy, each with its own dash and symbol", async () => {
    const lines = await seriesOf(page, "sweep-lines");
    const looks = new Set(lines.map((line) => `${line.dash} ${line.symbol}`));
    return (lines.length !== 3 || looks.size !== 3 || lines.some((line) => line.values.length !== 4)) && JSON.stringify(lines);
  });
  await check("another metric changes every figure, and the address", async () => {
    const before = await seriesOf(page, "sweep-lines");
    await page.selectOption("#sweep-metric", {label: "cpu_utilization"});
    for (const id of ["sweep-lines", "sweep-panels", "sweep-heat", "sweep-boxes"]) {
      const title = await titleOf(page, id);
      if (!title.includes("cpu_utilization")) return `${id} says ${title}`;
    }
    const hash = await page.evaluate(() => location.hash);
    if (!hash.includes("metric=cpu_utilization")) return hash;
    const after = await seriesOf(page, "sweep-lines");
    return JSON.stringify(before) === JSON.stringify(after) ? "the values stay" : emptyCharts(page);
  });
  await check("a value of another axis replaces the average over it", async () => {
    const before = await seriesOf(page, "sweep-lines");
    await page.selectOption("#sweep-where-2", {label: "16"});
    const after = await seriesOf(page, "sweep-lines");
    const said = await page.locator("#sweep-lines-part .lead").innerText();
    return JSON.stringify(before) === JSON.stringify(after) ? "the values stay" : !said.includes("size 16") ? said : emptyCharts(page);
  });
  await check("panels have one scale, or each its own", async () => {
    const tops = async () => await settled(page) && page.evaluate(() => new Set(window.berth.charts.get("sweep-panels").getOption().yAxis.map((a) => a.max)).size);
    await page.selectOption("#sweep-metric", {label: "server_used"});
    const same = await tops();
    await page.selectOption("#sweep-scales", "1");
    await settled(page);
    const own = await tops();
    const problem = await emptyCharts(page);
    await page.selectOption("#sweep-scales", "0");
    return same !== 1 || own !== 2 ? `${same} and ${own} scales` : problem;
  });
  await check("axes change their places", async () => {
    await page.selectOption("#sweep-x", {label: "policy"});  // the lines now show load
    const title = await titleOf(page, "sweep-lines");
    const lines = await seriesOf(page, "sweep-lines");
    return !title.includes("over policy by load") || lines.length !== 4 ? `${title}, ${lines.length} lines` : emptyCharts(page);
  });
  await check("without lines there is one, and the rest is averaged", async () => {
    await page.selectOption("#sweep-by", "0");
    const lines = await seriesOf(page, "sweep-lines");
    const said = await page.locator("#sweep-lines-part .lead").innerText();
    return lines.length !== 1 || !said.includes("averaged over load") ? `${lines.length} lines: ${said}` : emptyCharts(page);
  });
  await check("the keyboard works a selector, and stays there", async () => {
    await page.focus("#sweep-metric");
    const before = await page.inputValue("#sweep-metric");
    await page.keyboard.press("ArrowDown");
    const after = await page.inputValue("#sweep-metric");
    const focused = await page.evaluate(() => document.activeElement.id);
    return before === after ? "nothing is chosen" : focused !== "sweep-metric" ? `the focus is on ${focused}` : emptyCharts(page);
  });
  await check("a link shows the same", async () => {
    const address = await page.evaluate(() => location.href);
    const shown = async () => [await titleOf(page, "sweep-lines"), JSON.stringify(await seriesOf(page, "sweep-lines"))].join();
    const before = await shown();
    await page.goto("about:blank");
    await page.goto(address);
    await settled(page);
    return before !== await shown() && "it differs";
  });
}

async function checkHover(page) {
  await check("pointing at a field of colours tells its values", async () => {
    await page.locator("#chart-sweep-heat").scrollIntoViewIfNeeded();
    const at = () => page.evaluate(() => {
      const chart = window.berth.charts.get("sweep-heat");
      const [x, y] = chart.convertToPixel({seriesIndex: 0}, [0, 0]);
      const box = chart.getDom().getBoundingClientRect();
      return {x: box.left + x, y: box.top + y};
    });
    const text = await pointed(page, at, page.locator("#chart-sweep-heat > div").filter({hasText: "replications"}).first());
    await page.mouse.move(1, 1);
    return !/policy pack[^]*4 replications/.test(text) && text;
  });
}

/**
 * The values of a metric at each point by seed; points are named by the text that the page has for
 * them.
 */
async function valuesByPoint(metric) {
  const [head, ...rows] = (await readFile(path.join(here, "data/tiny-sweep/results.csv"), "utf8")).trim().split("\n").map((line) => line.split(","));
  const values = new Map();
  for (const row of rows) {
    const at = (name) => row[head.indexOf(name)];
    const point = ["load", "policy", "size"].map((axis) => `${axis} ${at(axis)}`).join(", ");
    if (at(metric) !== "") values.set(point, [...(values.get(point) ?? []), Number(at(metric))]);
  }
  return values;
}

/** The two-sided p of Student's t with three degrees of freedom, in closed form. */
const pOfThree = (t) => 1 - 2 / Math.PI * (Math.atan(t / Math.sqrt(3)) + t / Math.sqrt(3) / (1 + t * t / 3));

/** Student's t for four pairs. */
function tested(values, baseline) {
  const differences = values.map((value, i) => value - baseline[i]);
  const mean = differences.reduce((a, b) => a + b) / 4;
  const sd = Math.sqrt(differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / 3);
  return {mean, half: 3.182 * sd / 2, p: pOfThree(Math.abs(mean) / (sd / 2))};
}

/** Holm's correction of the first of several p, by its definition. */
const holm = (all) => Math.max(...all.filter((p) => p <= all[0]).map((p) => Math.min(1, p * all.filter((q) => q >= p).length)));

async function checkAgainst(page) {
  const tableRows = () => page.locator("#sweep-against-part tbody tr").evaluateAll((rows) => rows.map((row) =>
    [...row.children].map((cell) => cell.textContent.replaceAll(",", "").trim())));
  await check("every point is compared with the chosen one, by pairs of seeds", async () => {
    await page.selectOption("#sweep-metric", {label: "wait_s_mean"});
    const headline = ["wait_s_mean", "cpu_utilization", "jct_s_mean"];
    const metrics = await Promise.all(headline.map(valuesByPoint));
    const names = await page.locator("#sweep-against option").allTextContents();
    await page.selectOption("#sweep-against", {label: names[3]});
    const wanted = names.filter((name, i) => i !== 3 && metrics[0].has(name)).map((name) => {
      const all = metrics.filter((metric) => metric.has(name) && metric.has(names[3])).map((metric) => tested(metric.get(name), metric.get(names[3])));
      return {name: name.replaceAll(",", ""), ...all[0], corrected: holm(all.map(({p}) => p))};
    });
    const rows = await tableRows();
    if (rows.length !== wanted.length) return `${rows.length} rows for ${wanted.length} points`;
    for (const [i, {name, mean, half, corrected}] of wanted.entries()) {
      const [point, , difference, interval, p, verdict] = rows[i];
      if (point !== name) return `row ${i} is ${point}, not ${name}`;
      if (Math.abs(parseFloat(difference) - mean) > 0.06 * half) return `${name}: ${difference}, not ${mean}`;
      const [low, high] = interval.split(" to ").map(parseFloat);
      if (Math.abs(high - low - 2 * half) > 0.2 * half) return `${name}: ${interval}, not ${mean} ± ${half}`;
      if (Math.abs(Number(p.replace("< ", "")) - corrected) > 0.05 * corrected + 1e-4) return `${name}: p ${p}, not ${corrected}`;
      if (verdict !== (corrected >= 0.05 ? "○ no difference shown" : mean < 0 ? "▲ better" : "▼ worse")) return `${name}: ${verdict} with p ${p}`;
    }
    return !(await page.evaluate(() => location.hash)).includes("against=3") && "the address does not keep it";
  });
}

async function checkTarget(page) {
  const said = () => page.locator(".answer-target [role=status]").innerText();
  await check("a target says from which value on it is met, and what to do where none is", async () => {
    for (const [target, wanted] of [["wait_s_mean<=1h", /policy pack, size 4: at all 4 values of load\./], ["wait_s_mean<=15", /policy pack, size 16: up to load 0\.\d/],
      ["cpu_utilization>=30%", /policy spread, size 4: from load 0\.\d on/], ["wait_s_mean<=1ms", /^No point meets wait_s_mean<=1ms: the nearest is .* with load 0\.2, policy .* Add values/],
      ["wait<=1", /^wait is no metric/], ["wait_s_mean", /^Write METRIC<=VALUE/]]) {
      await page.fill("#sweep-target", target);
      if (!wanted.test(await said())) return `${target}: ${await said()}`;
    }
    await page.fill("#sweep-target", "wait_s_mean<=15");
    const before = await said();
    await page.reload();
    if (await said() !== before) return `after a reload: ${await said()}`;
    await page.fill("#sweep-target", "");
    return await said();
  });
}

async function checkTable(page) {
  const tally = () => page.locator("#sweep-points-body .tally").innerText();
  await check("the table filters by text, by an axis and by a metric", async () => {
    for (const [filter, rows] of [["", 24], ["spread", 8], ["load>0.4 policy=pack", 4], ["servers<1", 0], ["size!=16 load<=0.2", 3]]) {
      await page.fill("#points-filter", filter);
      const shown = await rowsOf(page);
      if (shown !== rows) return `'${filter}' shows ${shown} rows: ${await tally()}`;
    }
    await page.fill("#points-filter", "policy=spread");
    const hash = await page.evaluate(() => location.hash);
    return !hash.includes("filter=policy%3Dspread") && hash;
  });
  await check("a heading sorts both ways", async () => {
    const first = () => page.locator("table.points tbody tr").first().locator("td").first().innerText();
    const head = () => page.locator("table.points button.sort").first();
    await head().click();
    const up = await first();
    await head().click();
    const down = await first();
    const told = await page.locator("table.points th[aria-sort=descending]").count();
    return (up !== "0.2" || down !== "0.8" || told !== 1) && `${up}, ${down}, ${told} headings say so`;
  });
  await check("metrics are found by a part of their name", async () => {
    await page.fill("#points-names", "wait");
    const heads = await page.locator("table.points thead th").allInnerTexts();
    await page.fill("#points-names", "");
    await page.fill("#points-filter", "");
    return heads.join() !== "point,load ▼,policy,size,wait_s_mean" && heads.join();
  });
  await check("an unfinished point says so", async () => (await page.locator("table.points td", {hasText: "not finished"}).count()) !== 1 && "none does");
}

async function checkCsv(page) {
  await check("the data of figures and tables is saved as CSV", async () => {
    for (const [place, lines, columns] of [["figure:has(#chart-sweep-lines)", 0, "replications,points"],
      ["#sweep-points-body", 25, "point,key,load,policy,size"], ["#sweep-best-part", 6, "metric,least"]]) {
      const [saved] = await Promise.all([page.waitForEvent("download"), page.locator(`${place} button.csv`).click()]);
      const text = await readFile(await saved.path(), "utf8");
      const count = text.trimEnd().split("\n").length;
      if (!text.split("\n")[0].includes(columns) || (lines > 0 && count !== lines) || count < 2) return `${place}: ${count} lines of ${text.split("\n")[0]}`;
    }
    return "";
  });
}

async function checkLooks(page) {
  await check("dark mode and back", async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await paper();
    await page.click("#theme");
    const after = await paper();
    const problem = await emptyCharts(page);
    await page.click("#theme");
    return before === after ? "the colours stay" : problem;
  });
  for (const width of [1280, 800, 420]) {
    await check(`nothing sticks out at ${width} pixels`, async () => {
      await page.setViewportSize({width, height: 900});
      return soon(async () => {
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        return over > 0 ? `${over} pixels too wide` : emptyNow(page);
      });
    });
  }
}

const [file, plotted] = process.argv.slice(2);
if (!plotted) {
  console.error("usage: node sweep_check.mjs REPORT.html LINES.csv");
  process.exit(2);
}
const address = pathToFileURL(path.resolve(file)).href;
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const context = await browser.newContext({viewport: {width: 1280, height: 900}, offline: true, colorScheme: "light"});
const page = await context.newPage();
const complaints = [];
const requests = [];
page.on("console", (message) => {
  if (["error", "warning"].includes(message.type())) complaints.push(message.text());
});
page.on("pageerror", (error) => complaints.push(error.message));
page.on("request", (request) => {
  if (!/^(data|blob|about):/.test(request.url()) && request.url().split("#")[0] !== address) requests.push(request.url());
});
await page.goto(address);
await check("the page of a sweep runs", async () => !(await page.title()).includes("load, policy & size") && (complaints[0] ?? await page.title()));
await check("no chart is empty", () => emptyCharts(page));
await check("the first screen says the best points, and by how much", async () => {
  const {question, numbers, averages} = await page.evaluate(() => window.berth.data.sweep.answer);
  const shown = await page.locator("#answer").innerText();
  if (numbers.length === 0) return "no number";
  const missing = [question, ...averages, ...numbers.flatMap((n) => [n.value, n.at, n.next, n.by])].find((text) => !shown.includes(text));
  return missing && `it does not say: ${missing}`;
});
await check("each warning is a sentence", async () => {
  const warnings = await page.locator(".answer-warnings li").allInnerTexts();
  return warnings.length === 0 ? "no warning" : warnings.find((text) => !/^[A-Z0-9].*[.!?]$/s.test(text));
});
await check("on a phone the numbers stand on the first screen", async () => {
  await page.setViewportSize({width: 390, height: 844});
  const problem = await soon(() => page.evaluate(() => {  // charts follow the new width later
    const bottom = Math.max(...[...document.querySelectorAll("#answer .answer-number")].map((one) => one.getBoundingClientRect().bottom + window.scrollY));
    const over = document.documentElement.scrollWidth - window.innerWidth;
    return bottom > 844 ? `they end at ${bottom}` : over > 0 && `the page is ${over} pixels too wide`;
  }));
  await page.setViewportSize({width: 1280, height: 900});
  return problem;
});
await check("between names there are no lines", async () => {
  await page.selectOption("#sweep-x", {label: "policy"});
  const lines = await page.evaluate(() => window.berth.charts.get("sweep-lines").getOption().series.filter((s) => s.type === "line").map((s) => s.lineStyle.width));
  await page.selectOption("#sweep-x", {label: "load"});
  return (lines.length === 0 || lines.some((width) => width > 0)) && `widths ${lines}`;
});
await check("a metric that is equal everywhere is told, not drawn", async () => {
  await page.selectOption("#sweep-metric", {label: "servers"});
  const said = await page.locator("#sweep-lines-part .constant").innerText();
  await page.selectOption("#sweep-metric", {label: "wait_s_mean"});
  return !said.includes("servers does not vary: it is 480") && said;
});
await checkNumbers(page, plotted);
await checkSelectors(page);
await checkHover(page);
await checkAgainst(page);
await checkTarget(page);
await checkTable(page);
await checkCsv(page);
await checkLooks(page);
await check("the console is silent", async () => complaints[0]);
await check("nothing else is requested", async () => requests[0]);
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
