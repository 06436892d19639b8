// The parts about Kueue's cohorts and queues, used as by a reader.

const title = (page) => page.locator("#quota-charts h3").first().innerText();
const rows = (page) => page.locator("#queues .quota-tree [role=treeitem]");

/**
 * A click on a row of the tree shows the chart of the row's name, with its kind and its nominal
 * quota in words.
 */
async function checkTree(page, {names, kinds}) {
  for (let at = 0; at < await rows(page).count(); ++at) {
    const row = rows(page).nth(at);
    const name = await row.locator(".quota-name").innerText();
    const kind = kinds[Number(await row.getAttribute("data-quota"))];
    await row.locator(".quota-name").click();
    if (!(await title(page)).startsWith(`${name}: `)) return `${name} shows the chart of ${await title(page)}`;
    const words = await page.locator("#quota-charts").innerText();
    if (!words.includes(`${kind} ${name} used `.trimStart())) return `the words of ${name} do not begin with its kind`;
    if (kind !== "LocalQueue" && !words.includes("of a nominal quota of ")) return `the words of ${name} have no nominal quota`;
    if (/\bmin\b|\bruntime\b/.test(words.replaceAll(/\d+ min/g, ""))) return `the words of ${name} are of elastic quotas`;
  }
  return (await rows(page).count()) > names.length && "there are more rows than names";
}

async function checkTable(page) {
  const head = page.locator("#quota-table th", {hasText: "mean wait"});
  const column = await head.evaluate((cell) => cell.cellIndex);
  await head.locator("button").click();
  const waits = await page.locator("#quota-table tbody tr").evaluateAll((lines, c) => lines.map((line) => line.cells[c].innerText), column);
  const order = await page.locator("#quota-table th").nth(column).getAttribute("aria-sort");
  const known = waits.findIndex((text) => text === "–");
  return order !== "descending" ? `aria-sort is ${order}` : known >= 0 && waits.slice(known).some((text) => text !== "–") && "a queue without a wait comes before one with a wait";
}

/** The filter of the table of preemptions finds rows by Kueue's term. */
async function checkPreemptions(page, reasons) {
  const box = page.locator("#preemptions").getByRole("searchbox");
  if ((await box.count()) === 0) return null;  // the table is short
  await box.fill(reasons[0]);
  const found = await page.locator("#preemptions table[aria-label=Preemptions] tbody tr").allInnerTexts();
  await box.fill("");
  return found.length === 0 ? `no row has ${reasons[0]}` : found.find((text) => !text.includes(reasons[0]));
}

export async function checkQueues(page, label, {check, emptyCharts}) {
  const queues = await page.evaluate(() => {
    const run = window.berth.data.runs[window.berth.state.run];
    return run.queues && {names: run.queues.names, kinds: run.queues.kueue.kinds, fair: run.queues.kueue.shares.some((one) => one !== null),
      preempted: run.queues.kueue.all[1], reasons: run.queues.kueue.reasons.map(([reason]) => reason),
      inVain: run.queues.kueue.inVain.length, asked: run.groups.columns.includes("asked") && run.groups.rows.length > 0,
      runs: window.berth.data.runs.length};
  });
  if (!queues) return;
  await check(`${label}: the tree of cohorts and queues chooses what the charts show`, () => checkTree(page, queues));
  await check(`${label}: the table of queues sorts`, () => checkTable(page));
  await check(`${label}: shares are there with fair sharing, and only then`, async () =>
    ((await page.locator("#chart-queue-shares").count()) > 0) !== queues.fair && "it is not so");
  await check(`${label}: preemptions have their part where there are any`, async () =>
    (((await page.locator("#preemptions").count()) > 0) !== queues.preempted > 0 ? "it is not so" : queues.preempted > 0 && checkPreemptions(page, queues.reasons)));
  await check(`${label}: what Kueue said is there where jobs got no quota`, async () =>
    ((await page.locator("#in-vain").count()) > 0) !== queues.inVain > 0 && "it is not so");
  await check(`${label}: groups tell what they asked for`, async () =>
    ((await page.locator("#groups table[aria-label='Groups by where they asked to lie']").count()) > 0) !== queues.asked && "it is not so");
  await check(`${label}: waits of ClusterQueues stand side by side with several runs`, async () =>
    ((await page.locator("#queue-waits th").count()) >= 3) !== queues.runs > 1 && "it is not so");
  await check(`${label}: no chart of queues is empty after all that`, () => emptyCharts(page));
}
