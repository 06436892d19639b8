// Drives report pages in Chromium, as a reader would: node report_test.mjs REPORT.html...
// There is no network: every request other than the page itself is a failure.
import {createRequire} from "node:module";
import {readFile} from "node:fs/promises";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

import {checkAnswer} from "./answer_check.mjs";
import {checkIndex, openRun} from "./claims_check.mjs";
import {checkDevices} from "./devices_check.mjs";
import {pointed, soon} from "./patience.mjs";
import {checkPictures} from "./pictures_check.mjs";
import {checkQueues} from "./queues_check.mjs";
import {checkQuotas} from "./quotas_check.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, "../../experiments/program/report/package.json"));
const {chromium} = require("playwright-core");

let passed = 0;
let failed = 0;

function report(name, problem) {
  if (problem) {
    ++failed;
    console.log(`FAIL  ${name}: ${problem}`);
  } else {
    ++passed;
    console.log(`ok    ${name}`);
  }
}

/** Runs one check; what it throws or returns is the problem. */
async function check(name, run) {
  try {
    report(name, await run());
  } catch (error) {
    report(name, String(error.message ?? error).split("\n")[0]);
  }
}

/**
 * What is wrong with the page's charts, or nothing: each chart has data and has drawn something.
 */
function emptyNow(page) {
  return page.evaluate(() => {
    const problems = [];
    const boxes = document.querySelectorAll(".chart");
    if (boxes.length !== window.berth.charts.size) {
      problems.push(`${boxes.length} boxes for ${window.berth.charts.size} charts`);
    }
    for (const [id, chart] of window.berth.charts) {
      const data = chart.getOption().series.flatMap((series) => series.data ?? []);
      if (data.length === 0) problems.push(`${id} has no data`);
      // Each series with values has elements that cover an area, unless the legend hides it: axes
      // alone are not a chart.
      const covers = (element) => {
        if (element.isGroup || element.ignore || element.invisible) return false;
        const {width, height} = element.getBoundingRect();
        return Number.isFinite(width + height) && width + height > 0;
      };
      const values = chart._chartsViews ? chart.getOption().series.map(({data: list}) =>
        (list ?? []).some((value) => [value?.value ?? value].flat().some((v) => v != null && v !== 0 && v !== "-"))) : [];
      const empty = chart._chartsViews ? chart._chartsViews.filter((view) => {
        let marks = 0;
        view.group.traverse((element) => { marks += covers(element); });
        return marks === 0 && values[view.__model.seriesIndex] && !chart.getModel().isSeriesFiltered(view.__model);
      }).map((view) => `series ${view.__model.seriesIndex}`) : chart.drawn > 0 ? [] : ["it"];
      if (empty.length > 0) problems.push(`${id} has drawn nothing of ${empty[0]}`);
      const box = chart.getDom();
      if (!box.getAttribute("aria-label")) problems.push(`${id} has no text alternative`);
      const canvas = box.querySelector("canvas");
      if (canvas) {
        const {width, height} = canvas;
        // A copy, since Chromium warns about the canvas that is read.
        const copy = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
        copy.drawImage(canvas, 0, 0);
        const pixels = copy.getImageData(0, 0, width, height).data;
        const colours = new Set();
        for (let i = 0; i < pixels.length; i += 4) {
          colours.add((pixels[i] << 24) | (pixels[i + 1] << 16) | (pixels[i + 2] << 8) | pixels[i + 3]);
          if (colours.size > 3) break;
        }
        if (colours.size <= 3) problems.push(`${id} is blank`);
      } else if (box.querySelectorAll("svg path").length < 3) {
        problems.push(`${id} is blank`);
      }
    }
    return problems.join("; ");
  });
}

/** What is wrong with the charts once they had time to be drawn. */
const emptyCharts = (page) => soon(() => emptyNow(page));

/** Scrolls to a cell of the cluster, and returns its place in the window. */
function placeOfCell(page, cell) {
  return page.evaluate((index) => {
    const chart = window.berth.charts.get("cluster");
    const series = chart.getOption().series.find((s) => s.id === "cells");
    const [x, y] = chart.convertToPixel({seriesId: "cells"}, series.data[index].slice(0, 2));
    window.scrollBy(0, chart.getDom().getBoundingClientRect().top + y - window.innerHeight / 3);
    const box = chart.getDom().getBoundingClientRect();
    return {x: box.left + x + 3, y: box.top + y + 3};
  }, cell);
}

async function checkCluster(page, label) {
  if ((await page.locator("#chart-cluster").count()) === 0) return;
  const cluster = await page.evaluate(() => {
    const {data, state} = window.berth;
    const run = data.runs[state.run].cluster;
    return run && {cell: run.views[0]?.members.cells[0] ?? 0, names: run.names, levels: run.levels,
      members: run.views[0]?.members.counts[0], resources: run.resources, views: run.views.length};
  });
  if (!cluster) return;
  await check(`${label}: a cell tells its server, its place and its members`, async () => {
    const shown = page.locator("#chart-cluster > div").filter({hasText: cluster.names[cluster.cell]});
    const text = await pointed(page, () => placeOfCell(page, cluster.cell), shown.first());
    const wanted = [...cluster.levels, "background", "capacity", ...(cluster.members ? [String(cluster.members)] : [])];
    const missing = wanted.filter((word) => !text.includes(word));
    await page.mouse.move(1, 1);
    return missing.length > 0 && `the tooltip lacks ${missing.join(", ")}`;
  });
  if (cluster.resources.length > 1) {
    await check(`${label}: another resource redraws the cluster`, async () => {
      const before = await page.inputValue("#resource");
      const other = before === "0" ? 1 : 0;
      await page.selectOption("#resource", String(other));
      const caption = await page.locator("#cluster figcaption").innerText();
      await page.selectOption("#resource", before);
      return !caption.includes(cluster.resources[other]) && `the caption says: ${caption}`;
    });
  }
  if (cluster.views > 1) {
    await check(`${label}: another group redraws the cluster`, async () => {
      const before = await page.locator("#cluster figcaption").innerText();
      await page.selectOption("#view", "1");
      const after = await page.locator("#cluster figcaption").innerText();
      await page.selectOption("#view", "0");
      return before === after && "nothing changed";
    });
  }
}

async function checkSeries(page, label) {
  if ((await page.locator("#chart-series").count()) === 0) return;
  await check(`${label}: the time series zooms`, async () => {
    await page.locator("#chart-series").scrollIntoViewIfNeeded();
    const box = await page.locator("#chart-series").boundingBox();
    const y = box.y + box.height - 19;
    const left = box.x + 70;
    await page.mouse.move(left, y);
    await page.mouse.down();
    await page.mouse.move(left + box.width * 0.3, y, {steps: 8});
    await page.mouse.up();
    return soon(async () => {
      const start = await page.evaluate(() => window.berth.charts.get("series").getOption().dataZoom[0].start);
      return !(start > 5) && `it starts at ${start}%`;
    });
  });
  await check(`${label}: the legend hides a metric`, async () => {
    const more = await page.evaluate(() => {
      const chart = window.berth.charts.get("series");
      const hidden = () => Object.values(chart.getOption().legend[0].selected).filter((on) => !on).length;
      const before = hidden();
      const [first] = Object.entries(chart.getOption().legend[0].selected).find(([, on]) => on);
      chart.dispatchAction({type: "legendUnSelect", name: first});
      return hidden() - before;
    });
    return more !== 1 && `${more} more are hidden`;
  });
}

async function checkDistributions(page, label) {
  const metrics = await page.locator("#metric option").count();
  if (metrics < 2) return;
  await check(`${label}: the metric selector changes the distribution`, async () => {
    const before = await page.locator("#distributions h3").innerText();
    const count = await page.evaluate(() => window.berth.charts.size);
    await page.selectOption("#metric", "1");
    const after = await page.locator("#distributions h3").innerText();
    const left = await page.evaluate(() => window.berth.charts.size);
    return before === after ? "the title stays" : count !== left && "a chart is lost";
  });
}

async function checkDifferences(page, label) {
  const comparisons = await page.evaluate(() => window.berth.data.comparison?.comparisons ?? []);
  if (comparisons.length === 0) return;
  await check(`${label}: differences have their verdicts, in the table and in the chart`, async () => {
    const told = await page.locator("#differences table[aria-label=Differences] tbody tr").count();
    const drawn = await page.evaluate(() => window.berth.charts.get("differences")?.getOption().series.map((s) => s.data.length));
    const expected = comparisons[0].metrics.filter((m) => m.sd > 0).length;
    const all = comparisons[0].metrics.length;
    return told !== (all > 15 ? 12 : all) ? `${told} rows` : (drawn?.[1] ?? 0) !== Math.min(40, expected) && `${drawn} marks`;
  });
  if (comparisons.length > 1) {
    await check(`${label}: another run is compared`, async () => {
      const before = await page.locator("#differences h3").first().innerText();
      await page.focus("#compared-with");
      await page.keyboard.press("ArrowDown");
      const after = await page.locator("#differences h3").first().innerText();
      const focused = await page.evaluate(() => document.activeElement.id);
      await page.selectOption("#compared-with", "0");
      return before === after ? "the title stays" : focused !== "compared-with" && "the focus is lost";
    });
  }
}

async function checkTheme(page, label) {
  await check(`${label}: dark mode and back`, async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await paper();
    await page.click("#theme");
    const after = await paper();
    const offered = await page.locator("#theme").innerText();
    const problem = await emptyCharts(page);
    await page.click("#theme");
    return before === after ? "the colours stay" : offered !== "Light" ? `in the dark the button offers ${offered}` : problem;
  });
}

/**
 * Opens the parts that are closed at first, with the tables of metrics: they stay open for the
 * later checks.
 */
async function checkClosed(page, label) {
  await check(`${label}: on a phone the page of the first example has at most 6 000 pixels`, async () => {
    if (!(await page.evaluate(() => window.berth.data.runs.length === 1 && window.berth.data.runs[0].experiment === "training"))) return "";
    await page.setViewportSize({width: 390, height: 844});
    let height = 0;
    const problem = await soon(async () => {
      height = await page.evaluate(() => document.documentElement.scrollHeight);
      return height > 6000 ? `it has ${height}` : "";
    });
    await page.setViewportSize({width: 1280, height: 900});
    return problem;
  });
  await check(`${label}: what is closed at first draws its charts when it is opened`, async () => {
    const closed = page.locator("details.fold > summary");
    for (let i = 0; i < (await closed.count()); ++i) await closed.nth(i).click();
    const tables = page.locator("details.metric-part > summary");
    for (let i = 0; i < (await tables.count()); ++i) await tables.nth(i).click();
    return emptyCharts(page);
  });
}

async function checkPage(page, label, first) {
  await checkClosed(page, label);
  await check(`${label}: it has a title and sections`, async () => {
    const title = await page.title();
    const sections = await page.locator("main section").count();
    return (!title.endsWith("berth") || sections === 0) && `title '${title}', ${sections} sections`;
  });
  await check(`${label}: no chart is empty`, () => emptyCharts(page));
  await check(`${label}: every table of data opens`, async () => {
    const summaries = page.locator("details.data > summary");
    for (let i = 0; i < (await summaries.count()); ++i) {
      await summaries.nth(i).click();
    }
    const empty = await soon(() => page.evaluate(() => [...document.querySelectorAll("details.data")]
      .filter((d) => d.querySelectorAll("tbody tr").length === 0).length));
    for (let i = 0; i < (await summaries.count()); ++i) {
      await summaries.nth(i).click();
    }
    return empty > 0 && `${empty} are empty`;
  });
  await check(`${label}: a figure's data comes as CSV, in plain numbers`, async () => {
    const tables = await page.evaluate(() => [...window.berth.charts].map(([id, chart]) => [id, chart.csv()]));
    for (const [id, text] of tables) {
      const lines = text.trimEnd().split("\n");
      if (lines.length < 2) return `${id} has no rows`;
      if (/(^|,)"?-?[\d.,]+ (d|h|min|s|ms|[KMGTP]iB)\b/.test(lines.at(-1))) return `${id}: ${lines.at(-1)}`;
    }
    if (tables.length === 0) return "";
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button.csv").first().click()]);
    const saved = await readFile(await download.path(), "utf8");
    if (!download.suggestedFilename().endsWith(".csv")) return `it is saved as ${download.suggestedFilename()}`;
    if (!tables.some(([, text]) => text === saved)) return "what is saved is no table of the page";
    return "";
  });
  await checkDifferences(page, label);
  await checkAnswer(page, label, {check});
  await checkCluster(page, label);
  await checkSeries(page, label);
  await checkDistributions(page, label);
  if (first) await checkPictures(page, label, {check});
  await checkQuotas(page, label, {check, emptyCharts});
  await checkQueues(page, label, {check, emptyCharts});
  await checkDevices(page, label, {check, emptyCharts});
  await checkTheme(page, label);
  await check(`${label}: the keyboard reaches the controls, and shows where it is`, async () => {
    await page.focus(".skip");
    await page.keyboard.press("Tab");
    return page.evaluate(() => {
      const at = document.activeElement;
      const outline = getComputedStyle(at).outlineStyle;
      return ["BUTTON", "SELECT"].includes(at.tagName) && outline !== "none" ? "" : `${at.tagName} with outline ${outline}`;
    });
  });
  for (const width of [1280, 800]) {
    await check(`${label}: nothing sticks out at ${width} pixels`, async () => {
      await page.setViewportSize({width, height: 900});
      return soon(async () => {
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        return over > 0 ? `${over} pixels too wide` : emptyNow(page);
      });
    });
  }
  await check(`${label}: a choice with a long name fits on a phone`, async () => {
    await page.setViewportSize({width: 390, height: 844});
    const over = await soon(async () => Math.max(0, await page.evaluate(() => {
      const boxes = [...document.querySelectorAll("select")];
      const options = boxes.map((box) => box.appendChild(new Option("quota/research-training/nvidia.com/gpu_borrowed_h".repeat(2))));
      const wide = document.documentElement.scrollWidth - window.innerWidth;
      options.forEach((option) => option.remove());
      return wide;
    })));
    return over > 0 ? `${over} pixels too wide` : "";
  });
  await page.setViewportSize({width: 1280, height: 900});
}

async function checkReport(browser, file) {
  const address = pathToFileURL(path.resolve(file)).href;
  const name = path.basename(file);
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, offline: true, colorScheme: "light"});
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("data:")) requests.push(request.url());
  });
  await page.goto(address);
  const runs = await page.evaluate(() => window.berth?.data.runs.length ?? 0);
  report(`${name}: the page runs`, runs === 0 && (complaints[0] ?? "its script did not finish"));
  const index = await page.evaluate(() => window.berth?.data.index ?? false);
  if (index) {
    await check(`${name}: every chart of the list has data`, () => emptyCharts(page));
    await checkIndex(page, name, {check});
  }
  for (let run = 0; run < runs; ++run) {
    if (index) {
      await openRun(page, run);
    } else if (run > 0) {
      await page.selectOption("#run", String(run));
    }
    const label = runs === 1 ? name : `${name} (run ${run + 1})`;
    await checkPage(page, label, run === 0);
  }
  report(`${name}: the console is silent`, complaints[0]);
  report(`${name}: nothing else is requested`, requests[0]);
  await context.close();
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node report_test.mjs REPORT.html...");
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
for (const file of files) {
  await checkReport(browser, file);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
