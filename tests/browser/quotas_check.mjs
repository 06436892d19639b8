// The part about quotas, used as by a reader: the tree by mouse and by keyboard, the resource, the
// filter.

import {pointed} from "./patience.mjs";

const title = (page) => page.locator("#quota-charts h3").first().innerText();
const rows = (page) => page.locator(".quota-tree [role=treeitem]");
const focused = (page) => page.evaluate(() => document.activeElement.dataset.quota ?? document.activeElement.id);

async function checkMouse(page) {
  const before = await title(page);
  const row = rows(page).nth(3);
  const name = await row.locator(".quota-name").innerText();
  await row.locator(".quota-name").click();
  const after = await title(page);
  const selected = await page.locator(".quota-tree [aria-selected=true]").count();
  return !after.startsWith(`${name}:`) || before === after ? `the chart is of ${after}` : selected !== 1 && `${selected} are selected`;
}

async function checkKeyboard(page) {
  await page.focus("#quota-when");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Home");
  if ((await focused(page)) !== "0") return `Home leads to ${await focused(page)}`;
  const count = await rows(page).count();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  const more = await rows(page).count();
  if (more <= count) return "the right arrow opens nothing";
  await page.keyboard.press("ArrowRight");
  const row = await focused(page);
  const level = await page.getAttribute(`#quota-${row}`, "aria-level");
  await page.keyboard.press("Enter");
  const name = await page.locator(`#quota-${row} .quota-name`).innerText();
  if (level !== "3" || !(await title(page)).startsWith(`${name}:`)) return `Enter on ${name} (level ${level}) shows ${await title(page)}`;
  if ((await focused(page)) !== row) return "Enter loses the focus";
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  return (await rows(page).count()) !== count && "the left arrow does not close";
}

async function checkResource(page, resources) {
  const problems = [];
  const first = await page.inputValue("#quota-resource");
  for (const [i, resource] of resources.entries()) {
    await page.focus("#quota-resource");
    await page.selectOption("#quota-resource", String(i));
    for (const id of ["#quota-charts h3", "#quota-table h3"]) {
      const text = await page.locator(id).first().innerText();
      if (!text.endsWith(resource)) problems.push(`${id} says ${text}`);
    }
    if ((await focused(page)) !== "quota-resource") problems.push("the focus is lost");
  }
  await page.selectOption("#quota-resource", first);
  return problems[0];
}

async function checkFilter(page, names) {
  const part = names.at(-2).slice(-9);
  const count = await rows(page).count();
  await page.fill("#quota-filter", part.toUpperCase());
  const found = names.filter((name) => name.includes(part)).length;
  const status = await page.locator(".quota-pick [role=status]").innerText();
  const shown = await page.locator(".quota-tree .quota-name").allInnerTexts();
  const all = names.filter((name) => name.includes(part) && !shown.includes(name));
  await page.fill("#quota-filter", "no such quota");
  const none = await rows(page).count();
  await page.fill("#quota-filter", "");
  return !status.startsWith(`${found.toLocaleString("en-US")} quota`) ? `it says '${status}' of ${found}`
    : all.length > 0 ? `${all[0]} is not shown` : none > 0 ? `${none} rows for a name that is none`
    : (await rows(page).count()) !== count && "an empty filter does not show what was there";
}

async function checkTime(page) {
  const amounts = () => page.locator(".quota-amount").allInnerTexts();
  const mean = (await amounts()).join();
  await page.selectOption("#quota-when", "2");
  await page.focus("#quota-time");
  await page.keyboard.press("Home");
  const first = (await amounts()).join();
  await page.keyboard.press("End");
  const last = (await amounts()).join();
  await page.selectOption("#quota-when", "0");
  const visible = await page.locator("#quota-time").isVisible();
  return mean === first || first === last ? "the bars stay" : visible && "the slider stays";
}

async function checkTable(page) {
  const head = page.locator("#quota-table th", {hasText: "over min"});
  const column = await head.evaluate((cell) => cell.cellIndex);
  await head.locator("button").click();
  const order = await page.locator("#quota-table th").nth(column).getAttribute("aria-sort");
  const first = await page.locator("#quota-table tbody tr").first().locator("td").nth(column).innerText();
  await page.locator("#quota-table th").nth(column).locator("button").click();
  const last = await page.locator("#quota-table tbody tr").first().locator("td").nth(column).innerText();
  return order !== "descending" ? `aria-sort is ${order}` : first === last && `both orders begin with ${first}`;
}

/** The message of a refused change is in the tooltip beside its mark. */
async function checkRefused(page, [time, , , , message]) {
  await page.locator("#quota-0 .quota-name").click();
  await page.locator("#chart-quota").scrollIntoViewIfNeeded();
  const place = () => page.evaluate((t) => {
    const chart = window.berth.charts.get("quota");
    const box = chart.getDom().getBoundingClientRect();
    return {x: box.left + chart.convertToPixel({xAxisIndex: 0}, t), y: box.top + 120};
  }, time);
  const shown = page.locator("#chart-quota > div").filter({hasText: message.slice(0, 30)});
  await pointed(page, place, shown.first());
  await page.mouse.move(1, 1);
}

export async function checkQuotas(page, label, {check, emptyCharts}) {
  const quotas = await page.evaluate(() => {
    const run = window.berth.data.runs[window.berth.state.run];
    return run.quotas && {names: run.quotas.names, resources: run.quotas.resources, runs: window.berth.data.runs.length,
      refused: run.quotas.changes.marks.find(([, , , accepted, message]) => !accepted && message)};
  });
  if (!quotas) return;
  await check(`${label}: metrics of quotas are in their own part`, async () => {
    const texts = await page.locator("#metrics td.name, #metric option, #compared option").allInnerTexts();
    return texts.find((text) => text.includes("quota/"));
  });
  await check(`${label}: the mouse chooses a quota`, () => checkMouse(page));
  await check(`${label}: the keyboard opens the tree and chooses a quota`, () => checkKeyboard(page));
  await check(`${label}: another resource changes the charts`, () => checkResource(page, quotas.resources));
  await check(`${label}: the filter finds quotas at any depth`, () => checkFilter(page, quotas.names));
  await check(`${label}: the bars show a time`, () => checkTime(page));
  await check(`${label}: the table sorts`, () => checkTable(page));
  if (quotas.refused) {
    await check(`${label}: a refused change tells why`, () => checkRefused(page, quotas.refused));
  }
  if (quotas.runs > 1) {
    await check(`${label}: waits stand side by side`, async () =>
      (await page.locator("#quota-waits th").count()) < 3 && "columns are missing");
  }
  await check(`${label}: no chart of quotas is empty after all that`, () => emptyCharts(page));
}
