// The page of several runs that carry claims, or that ask different questions: its beginning, its
// figures, its links.

import {soon} from "./patience.mjs";

const runsOf = (page) => page.evaluate(() => window.berth.data.runs.length);

/** Chooses a run from the list, as a reader does, and waits for its page. */
export async function openRun(page, run) {
  await page.selectOption("#run", String(run));
  await soon(async () => ((await runsOf(page)) === 1 && new URL(page.url()).hash === `#run-${run + 1}` ? "" : "the run is not shown"));
}

async function checkSentence(page, label, check) {
  await check(`${label}: the list begins with how many claims hold, and with those that do not`, async () => {
    const {all, held, title, broken, runs} = await page.evaluate(() => {
      const {runs: list, title: about} = window.berth.data;
      const claims = list.flatMap((run) => run.claims.filter((claim) => !claim.expectation));
      return {all: claims.length, held: claims.filter((claim) => claim.holds).length, title: about, runs: list.length,
        broken: list.flatMap((run) => run.answer.broken)};
    });
    const heading = await page.locator("h1").innerText();
    const wanted = all === 0 ? `${runs} runs of different questions` : held === all && all === 1 ? "The one claim holds" : `${held} of ${all} claim`;
    if (!heading.startsWith(wanted)) return `the heading is ${heading}`;
    const answer = await page.locator("#answer").innerText();
    const missing = [title ?? "", ...broken].filter((text) => !answer.includes(text));
    return missing.length > 0 ? `it does not say: ${missing[0]}` : "";
  });
}

async function checkClaims(page, label, check) {
  await check(`${label}: each figure stands beside what was measured, with its claim and its source`, async () => {
    const figures = await page.evaluate(() => window.berth.data.runs.flatMap((run) => run.claims.filter((claim) => claim.figure)
      .map(({text, source, figure, holds}) => ({id: `published-${run.experiment}-${figure.level}`, text, source, figure, holds}))));
    for (const {id, text, source, figure, holds} of figures) {
      const chart = page.locator(`[id="chart-${id}"]`);
      if ((await chart.count()) !== 1) return `${await chart.count()} charts ${id}`;
      const card = await page.locator("article.published", {has: chart}).innerText();
      const said = [text, holds ? "✓ holds" : "✗ does not hold"];
      const missing = said.find((part) => !card.includes(part)) ?? (source && !card.toLowerCase().includes(source.toLowerCase()) ? source : "");
      if (missing) return `${id} does not say ${missing}`;
      const csv = await page.evaluate((name) => window.berth.charts.get(name).csv(), id);
      const rows = csv.trimEnd().split("\n").slice(1).map((line) => line.split(","));
      for (const [column, side] of [[1, "published"], [2, "measured"]]) {
        const drawn = Object.fromEntries(rows.filter((row) => row[column] !== "0").map((row) => [row[0], Number(row[column])]));
        const wanted = Object.entries(figure[side]);
        if (wanted.length !== Object.keys(drawn).length || wanted.some(([name, count]) => drawn[name] !== count)) return `${id} has other numbers as ${side}`;
      }
    }
    return "";
  });
  await check(`${label}: one table has all claims, those that fail first`, async () => {
    const claims = await page.evaluate(() => window.berth.data.runs.flatMap((run) => run.claims));
    if (claims.length === 0) return "";
    const rows = await page.locator("#claims tbody tr").allInnerTexts();
    if (rows.length !== Math.min(claims.length, 100)) return `${rows.length} rows of ${claims.length}`;
    const failing = claims.filter((claim) => !claim.holds).length;
    if (rows.findIndex((row) => row.includes("✓ holds")) < failing && failing < rows.length) return "one that holds is before one that does not";
    const missing = claims.find(({text, expected, measured, source}) => !rows.some((row) =>
      [text, expected, measured, source ?? ""].every((part) => row.includes(part))));
    return missing ? `${missing.text} has no row` : "";
  });
}

export async function checkIndex(page, label, {check}) {
  await checkSentence(page, label, check);
  await checkClaims(page, label, check);
  await check(`${label}: the list has the numbers of every run, and no empty cell`, async () => {
    const runs = await page.evaluate(() => window.berth.data.runs.map((run) => run.answer.numbers.map(({value}) => value)));
    const rows = await page.locator("#runs tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
    if (rows.length !== runs.length) return `${rows.length} rows of ${runs.length}`;
    const sorted = (lists) => lists.map((list) => list.join()).sort().join("\n");
    const shown = rows.map((row) => row.slice(row.length - runs.find((numbers) => numbers.every((value, i) =>
      row[row.length - numbers.length + i]?.startsWith(value)))?.length));
    if (shown.some((row) => row.some((cell) => cell === "" || cell === "–"))) return "a cell is empty";
    return sorted(shown.map((row) => row.map((cell) => cell.split(" ")[0]))) === sorted(runs.map((row) => row.map((value) => value.split(" ")[0])))
      ? "" : "other numbers";
  });
  await check(`${label}: a name leads to the run's own page, and back`, async () => {
    const all = await runsOf(page);
    const name = page.locator("#runs a").first();
    const wanted = await name.innerText();
    await name.click();
    const problem = await soon(async () => ((await page.locator("h1").innerText()) === wanted && (await runsOf(page)) === 1 ? "" : "it is not shown"));
    if (problem) return problem;
    await page.locator("#contents a").last().click();
    if ((await runsOf(page)) !== 1) return "a link to a part leaves the run";
    await page.locator("#contents a", {hasText: "All runs"}).click();
    return soon(async () => ((await runsOf(page)) === all ? "" : "there is no way back"));
  });
  await check(`${label}: on a phone nothing sticks out`, async () => {
    const before = page.viewportSize();
    await page.setViewportSize({width: 390, height: 844});
    const problem = await soon(() => page.evaluate(() => {
      const over = document.documentElement.scrollWidth - window.innerWidth;
      return over > 0 ? `${over} pixels too wide` : "";
    }));
    await page.setViewportSize(before);
    return problem;
  });
}
