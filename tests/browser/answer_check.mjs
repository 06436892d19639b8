// The first screen, figures that are right by default, and tables: what a new reader relies on.

import {soon} from "./patience.mjs";

/** Texts of charts that extend beyond their picture, or that end in an ellipsis. */
const cutTexts = (page) => page.evaluate(() => {
  const problems = [];
  for (const svg of document.querySelectorAll(".chart svg")) {
    const picture = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      const hidden = box.width === 0 || box.bottom < picture.top || text.closest("[clip-path]");
      if (!hidden && (box.left < picture.left - 1 || box.right > picture.right + 1)) {
        problems.push(`'${text.textContent}' of ${svg.closest(".chart").id}`);
      }
      if (/…$|\.\.\.$/.test(text.textContent)) problems.push(`'${text.textContent}' is cut`);
    }
  }
  return problems.slice(0, 3).join("; ");
});

async function checkFirstScreen(page, label, check) {
  await check(`${label}: the first screen says what was asked and the numbers`, async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    const {expected, several, screen} = await page.evaluate(() => {
      const {data, state} = window.berth;
      return {expected: data.runs[state.run].answer, several: data.runs.length > 1, screen: window.innerHeight};
    });
    const shown = await page.locator("#answer").innerText();
    if (!shown.includes(expected.question)) return "the question is missing";
    if (!shown.includes(expected.window)) return "the window of the numbers is missing";
    if (several) {
      const rows = page.locator("#answer .answer-verdict:first-of-type tbody tr");
      const box = (await rows.count()) > 0 && await rows.last().boundingBox();
      return box && box.y + box.height > screen && "the numbers are below the first screen";
    }
    const cards = page.locator("#answer .answer-number");
    if ((await cards.count()) !== expected.numbers.length) return `${await cards.count()} numbers`;
    for (const [i, one] of expected.numbers.entries()) {
      const text = await cards.nth(i).innerText();
      const missing = [one.value, one.unit, one.interval].filter((part) => !text.includes(part));
      if (missing.length > 0) return `${one.title} lacks ${missing.join()}`;
      const box = await cards.nth(i).boundingBox();
      if (box.y + box.height > 900) return `${one.title} is below the first screen`;
    }
    const asSentence = (text) => text.slice(1);  // the text begins with a capital there
    for (const text of [...expected.limits, ...expected.broken, ...expected.warnings.map(asSentence), expected.intervals]) {
      if (!shown.includes(text)) return `it does not say: ${text}`;
    }
    return "";
  });
  await check(`${label}: the course of a run is on its first screen, and who pays beside it`, async () => page.evaluate(() => {
    const {data} = window.berth;
    const [run] = data.runs;
    if (data.runs.length > 1 || !run.course) return "";
    const box = document.getElementById("chart-course")?.getBoundingClientRect();
    if (!box) return "it is missing";
    for (const {by, rows} of run.answer.payers) {
      const text = document.querySelector(`#answer table[aria-label="Waits by ${by}"]`)?.textContent ?? "";
      const missing = rows.flatMap(({name, mean, tail}) => [name, mean, tail]).filter((part) => !text.includes(part));
      if (missing.length > 0) return `of ${by} ${missing[0]} is missing`;
    }
    return box.bottom + window.scrollY > 900 ? `it ends at ${box.bottom + window.scrollY}` : "";
  }));
  await check(`${label}: nobody has to read more than two minutes in seconds`, async () => page.evaluate(() => {
    const read = [...document.querySelectorAll("#answer, main > section:not(#configuration):not(#origin):not(#differences)")].map((part) => part.innerText).join("\n");
    return [...read.matchAll(/(?<![\d.,])([\d,]+(?:\.\d+)?) s(?![\w/])/g)].map(([text, value]) => [text, Number(value.replaceAll(",", ""))])
      .filter(([, value]) => value > 120).map(([text]) => text).slice(0, 3).join("; ");
  }));
  await check(`${label}: several runs begin with their verdict`, async () => {
    const verdicts = await page.evaluate(() => window.berth.data.verdicts ?? []);
    const boxes = page.locator("#answer .answer-verdict");
    if ((await boxes.count()) !== verdicts.length) return `${await boxes.count()} verdicts of ${verdicts.length}`;
    for (const [i, {rows}] of verdicts.entries()) {
      const text = await boxes.nth(i).innerText();
      const missing = rows.flatMap((row) => [row.title, row.baseline, row.run]).filter((part) => !text.includes(part));
      if (missing.length > 0) return `${missing[0]} is missing`;
      if ((await boxes.nth(i).locator(".verdict-said").innerText()).length < 20) return "no sentence";
    }
    return "";
  });
  await check(`${label}: a metric's name tells its meaning, to the mouse and to the keyboard`, async () => {
    const name = page.locator("#metrics .defined").first();
    if ((await name.count()) === 0) return "";
    const {metric, meaning} = await name.evaluate((node) => ({metric: node.dataset.metric, meaning: window.berth.data.definitions[node.dataset.metric].meaning}));
    for (const reach of [() => name.hover(), () => name.focus()]) {
      await page.mouse.move(1, 1);
      await page.keyboard.press("Escape");
      await reach();
      const tip = page.locator("#definition");
      await tip.waitFor({state: "visible", timeout: 20000});
      const text = await tip.innerText();
      if (!text.includes(metric) || !text.includes(meaning)) return text;
    }
    await page.keyboard.press("Escape");
    return (await page.locator("#definition").isVisible()) && "Escape leaves it";
  });
  await check(`${label}: metrics stand in groups, and the machine comes last`, async () => {
    const {parts, wanted, last, origin} = await page.evaluate(() => {
      const {data, state} = window.berth;
      const run = data.runs[state.run];
      return {parts: document.querySelectorAll("#metrics .metric-part").length,
        wanted: new Set(run.metrics.map((m) => data.definitions[m.name]?.part ?? "Others")).size,
        last: document.querySelector("main section:last-of-type")?.id, origin: run.origin.length + run.machine.length};
    });
    return parts !== wanted ? `${parts} groups of ${wanted}` : origin > 0 && last !== "origin" && `the last part is ${last}`;
  });
}

async function checkDefaults(page, label, check) {
  await check(`${label}: figures begin with what people pay for`, async () => page.evaluate(() => {
    const {data, state} = window.berth;
    const cluster = data.runs[state.run].cluster;
    const gpu = cluster?.resources.findIndex((name) => name.endsWith("gpu")) ?? -1;
    if (gpu < 0) return "";
    const chosen = document.getElementById("resource")?.value;
    const ofQuotas = document.getElementById("quota-resource")?.selectedOptions[0].textContent;
    const limited = data.runs[state.run].quotas?.resources ?? [];
    if (ofQuotas && limited.some((name) => name.endsWith("gpu")) && !ofQuotas.endsWith("gpu")) return `of quotas it is ${ofQuotas}`;
    return chosen !== undefined && Number(chosen) !== gpu ? `it is ${cluster.resources[chosen]}` : "";
  }));
  await check(`${label}: what takes no time has no figure over time`, async () => page.evaluate(() => {
    const {data, state} = window.berth;
    const over = ["film", "gantt", "series"].filter((id) => document.getElementById(id));
    return !data.runs[state.run].answer.takesTime && over.length > 0 ? `there is ${over.join()}` : "";
  }));
  await check(`${label}: samples are steps, and the legend is as the lines are`, async () => page.evaluate(() => {
    for (const [id, chart] of window.berth.charts) {
      const option = chart.getOption();
      const lines = option.series.filter((s) => s.type === "line" && s.data.length > 1);
      if ((id === "series" || id.startsWith("cdf-")) && lines.some((s) => s.step !== "end")) return `${id} slopes`;
      if (lines.some((s) => s.lineStyle?.type === "dashed") && option.legend?.[0]?.icon) return `the legend of ${id} hides the dashes`;
    }
    return "";
  }));
  await check(`${label}: a metric that does not vary is named instead of drawn`, async () => page.evaluate(() => {
    const {data, state} = window.berth;
    const run = data.runs[state.run];
    const constant = run.distributions.filter((d) => d.box[0] === d.box[4]);
    const options = [...document.querySelectorAll("#metric option")].map((o) => o.textContent);
    const offered = constant.find((d) => d.of === "replication" && options.includes(d.name));
    if (offered) return `${offered.name} is offered`;
    const said = document.querySelector("#distributions .lead")?.textContent ?? "";
    return options.length > 0 && constant.length > 0 && !said.includes(constant[0].name) ? `${constant[0].name} is not named` : "";
  }));
  await check(`${label}: ratios that pass 1 share no axis with shares or counts`, async () => page.evaluate(() => {
    const option = window.berth.charts.get("series")?.getOption();
    if (!option) return "";
    for (const line of option.series.filter((s) => s.type === "line" && /ratio|factor|slowdown|utilization/.test(s.name))) {
      const most = Math.max(...line.data.map(([, v]) => v ?? 0));
      const title = option.yAxis[line.yAxisIndex].name;
      if (most > 1.0001 ? title !== "ratio" : title !== "share") return `${line.name} up to ${most} is on the axis of ${title}`;
    }
    return option.yAxis.some((a) => !a.name) ? "an axis has no unit" : "";
  }));
  await check(`${label}: one colour has one meaning`, async () => page.evaluate(() => {
    // An area is identified by its fill, whatever its edge is.
    const colourOf = (one) => (one.areaStyle?.opacity === 1 ? one.areaStyle.color : one.lineStyle?.color) ?? one.itemStyle?.color;
    const lookOf = (one) => [colourOf(one), one.lineStyle?.type ?? "solid"].join(" ");
    const everywhere = new Map();
    for (const [id, chart] of window.berth.charts) {
      const here = new Map();
      for (const one of chart.getOption().series ?? []) {
        const named = one.name && !/^series\u0000/.test(one.name) && ["line", "bar"].includes(one.type) && one.lineStyle?.opacity !== 0;
        if (!named || typeof colourOf(one) !== "string") continue;
        const look = lookOf(one);
        if (here.has(look) && here.get(look) !== one.name) return `in ${id}, ${one.name} looks like ${here.get(look)}`;
        here.set(look, one.name);
        if (one.areaStyle?.opacity === 1) continue;  // the part beyond the min is paler
        const before = everywhere.get(`${one.type} ${one.name}`);
        if (before && before.look !== look) return `${one.name} has another colour in ${id} than in ${before.id}`;
        everywhere.set(`${one.type} ${one.name}`, {id, look});
      }
    }
    return "";
  }));
  await check(`${label}: the cluster is shown when it is fullest`, async () => page.evaluate(() => {
    const {data, state, charts} = window.berth;
    const {cluster, film} = data.runs[state.run];
    const view = cluster?.views[0];
    if (!charts.get("film") || !/^all /.test(view?.label ?? "") || !view.members.amounts || film.parts.every((part) => part.resource !== cluster.paid)) return "";
    if ((document.getElementById("film-resource")?.selectedOptions[0].textContent ?? cluster.resources[cluster.paid]) !== cluster.resources[cluster.paid]) return "";
    const at = (column, i) => (typeof column === "number" ? column : column[i]);
    const held = (some) => some.cells.reduce((sum, _, i) => sum + (some.amounts ? at(some.amounts[cluster.paid], i) : 0), 0);
    const all = (column) => cluster.names.reduce((sum, _, i) => sum + at(column[cluster.paid], i), 0);
    const shown = (held(view.members) + held(view.others) + all(cluster.background)) / all(cluster.capacity);
    // The cells of one moment follow each other; a cell's value is the share of its capacity in
    // use.
    const rows = charts.get("film").csv().trimEnd().split("\n").slice(1).map((line) => Number(line.split(",").at(-1)));
    if (rows.length !== film.moments * cluster.names.length) return "";  // the cells are other ones
    let most = 0;
    for (let m = 0; m < film.moments; ++m) {
      const used = cluster.names.reduce((sum, _, i) => sum + rows[m * cluster.names.length + i] * at(cluster.capacity[cluster.paid], i), 0);
      most = Math.max(most, used / all(cluster.capacity));
    }
    return shown < most - 0.5 / film.levels ? `${shown} of ${cluster.resources[cluster.paid]} is in use in the picture, ${most} at another time` : "";
  }));
  await check(`${label}: the window that the numbers are of is marked on the time series`, async () => page.evaluate(() => {
    const {data, state, charts} = window.berth;
    const {window: measured, series} = data.runs[state.run];
    const option = charts.get("series")?.getOption();
    if (!option) return "";
    const marks = option.series.filter((one) => one.name === "not measured");
    if (!measured) return marks.length > 0 ? "there is a mark without a window" : "";
    const last = option.xAxis[0].max;
    const inside = [measured.from, measured.to ?? last].filter((t) => t > 0 && t < last);
    if (inside.length === 0 || !series) return "";
    if (marks.length !== option.grid.length) return `${marks.length} marks on ${option.grid.length} axes`;
    const lines = marks[0].markLine.data.map((line) => line.xAxis);
    return lines.join() !== inside.join() ? `lines at ${lines}, not at ${inside}` : "";
  }));
  await check(`${label}: no name is cut, no tick is clipped`, () => soon(() => cutTexts(page)));
}

async function checkTables(page, label, check) {
  await check(`${label}: tables sort by their headings, and find rows`, async () => {
    const box = page.locator("section > .table-box:has(button.sort):has(.table-filter)").first();
    if ((await box.count()) === 0) return "";
    const cells = () => box.locator("tbody tr td:first-child").allInnerTexts();
    const before = await cells();
    await box.locator("button.sort").first().click();
    const order = await box.locator("th").first().getAttribute("aria-sort");
    const after = await cells();
    if (!["ascending", "descending"].includes(order)) return `aria-sort is ${order}`;
    const sorted = [...after].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
    if (after.join() !== (order === "ascending" ? sorted : sorted.reverse()).join()) return `it is not sorted: ${after.slice(0, 4)}`;
    await box.locator("input").fill(before[0]);
    const found = await box.locator("tbody tr").allInnerTexts();
    await box.locator("input").fill("");
    return found.length === 0 || found.some((text) => !text.includes(before[0])) ? `the filter finds ${found.length} rows` : "";
  });
  await check(`${label}: all rows of a long table can be reached`, async () => {
    const long = page.locator("section > .table-box:has(.table-below button)").first();
    if ((await long.count()) === 0) return "";
    // Once all rows are shown, the table can no longer be found by its button.
    const name = await long.locator("table").getAttribute("aria-label");
    const box = page.locator("section > .table-box", {has: page.locator(`table[aria-label="${name}"]`)});
    const all = Number((await box.locator(".table-below button").first().innerText()).replace(/\D/g, ""));
    await box.locator(".table-below button").first().click();
    let seen = 0;
    for (let turn = 0; turn < 500; ++turn) {
      seen += await box.locator("tbody tr").count();
      const next = box.locator(".table-below button", {hasText: "Next"});
      if ((await next.count()) === 0 || await next.isDisabled()) break;
      await next.click();
    }
    return seen !== all && `${seen} of ${all} rows`;
  });
}

async function checkPhone(page, label, check) {
  await check(`${label}: on a phone names break behind underscores, and wide tables say so`, async () => {
    const before = page.viewportSize();
    await page.setViewportSize({width: 390, height: 844});
    const problem = await soon(() => page.evaluate(() => {
      const whole = [...document.querySelectorAll("td .defined, td.name")].find((node) => node.textContent.includes("_") && !node.querySelector("wbr"));
      if (whole) return `${whole.textContent} cannot break`;
      for (const scroll of document.querySelectorAll(".table-box .scroll")) {
        const wide = scroll.scrollWidth > scroll.clientWidth + 1;
        const hint = scroll.parentElement.querySelector(".hint");
        if (scroll.checkVisibility() && wide === hint.hidden) return `${scroll.getAttribute("aria-label")}: ${wide ? "no hint" : "a hint without need"}`;
      }
      // With several runs, the numbers are those of the first verdict.
      const numbers = window.berth.data.runs.length > 1 ? document.querySelectorAll("#answer .answer-verdict:first-of-type tbody tr")
        : document.querySelectorAll("#answer .answer-number");
      const boxes = [...numbers].flatMap((one) => [one, ...one.children].map((part) => part.getBoundingClientRect()));
      if (boxes.some((box) => box.right > window.innerWidth)) return "a number sticks out";
      // A verdict stands after its title, the values stand below.
      const rows = [...document.querySelectorAll("#answer .answer-verdict tbody tr")].map((row) => [...row.children].map((cell) => cell.getBoundingClientRect()));
      if (rows.some(([title, baseline, , , verdict]) => baseline.top < title.bottom - 2 || verdict.top > title.top + 6)) return "a row's parts are not in their lines";
      return boxes.some((box) => box.bottom + window.scrollY > 844) ? "the numbers do not fit on the first screen" : "";
    }));
    const cut = await soon(() => cutTexts(page));
    await page.setViewportSize(before);
    return problem || cut;
  });
}

/**
 * On the comparison's page, every compared metric that differs and every named fate can be reached.
 */
async function checkComparison(page, label, check) {
  const expected = await page.evaluate(() => (window.berth.data.comparison?.comparisons ?? [])[0] ?? null);
  if (!expected) return;
  await check(`${label}: all rows of the comparison can be reached, sorted and found`, async () => {
    for (const [name, count] of [["Differences", expected.metrics.length], ["Fates of pods", expected.pods.most_changed.length],
      ["Fates of groups", expected.groups.most_changed.length]]) {
      const box = page.locator("#differences .table-box", {has: page.locator(`table[aria-label="${name}"]`)});
      if (count === 0) continue;
      if (await box.locator(".table-below button", {hasText: "Show all"}).count()) await box.locator(".table-below button").first().click();
      let seen = 0;
      for (let turn = 0; turn < 500; ++turn) {
        seen += await box.locator("tbody tr").count();
        const next = box.locator(".table-below button", {hasText: "Next"});
        if ((await next.count()) === 0 || await next.isDisabled()) break;
        await next.click();
      }
      if (seen !== count) return `${name}: ${seen} of ${count} rows`;
      if (count > 1 && (await box.locator("button.sort").count()) === 0) return `${name} does not sort`;
      if (count > 8 && (await box.locator(".table-filter").count()) === 0) return `${name} has no filter`;
    }
    return "";
  });
}

export async function checkAnswer(page, label, {check}) {
  await checkFirstScreen(page, label, check);
  await checkDefaults(page, label, check);
  await checkTables(page, label, check);
  await checkComparison(page, label, check);
  await checkPhone(page, label, check);
}
