// The first screen, figures that are right by default, and tables: what a stranger relies on.

/** Texts of charts that reach beyond their picture, or that end in an ellipsis. */
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
    const {expected, several} = await page.evaluate(() => {
      const {data, state} = window.berth;
      return {expected: data.runs[state.run].answer, several: data.runs.length > 1};
    });
    const shown = await page.locator("#answer").innerText();
    if (!shown.includes(expected.question)) return "the question is missing";
    if (several) return "";
    const cards = page.locator("#answer .answer-number");
    if ((await cards.count()) !== expected.numbers.length) return `${await cards.count()} numbers`;
    for (const [i, one] of expected.numbers.entries()) {
      const text = await cards.nth(i).innerText();
      const missing = [one.value, one.unit, one.interval].filter((part) => !text.includes(part));
      if (missing.length > 0) return `${one.title} lacks ${missing.join()}`;
      const box = await cards.nth(i).boundingBox();
      if (box.y + box.height > 900) return `${one.title} is below the first screen`;
    }
    for (const text of [...expected.limits, ...expected.warnings, expected.intervals]) {
      if (!shown.includes(text)) return `it does not say: ${text}`;
    }
    return "";
  });
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
      await tip.waitFor({state: "visible", timeout: 2000});
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
  await check(`${label}: no name is cut, no tick is clipped`, () => cutTexts(page));
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
    const box = page.locator("section > .table-box:has(.table-below button)").first();
    if ((await box.count()) === 0) return "";
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
    await page.waitForTimeout(200);
    const problem = await page.evaluate(() => {
      const whole = [...document.querySelectorAll("td .defined, td.name")].find((node) => node.textContent.includes("_") && !node.querySelector("wbr"));
      if (whole) return `${whole.textContent} cannot break`;
      for (const scroll of document.querySelectorAll(".table-box .scroll")) {
        const wide = scroll.scrollWidth > scroll.clientWidth + 1;
        const hint = scroll.parentElement.querySelector(".hint");
        if (scroll.checkVisibility() && wide === hint.hidden) return `${scroll.getAttribute("aria-label")}: ${wide ? "no hint" : "a hint without need"}`;
      }
      const last = [...document.querySelectorAll("#answer .answer-number")].at(-1)?.getBoundingClientRect();
      // Of several runs the verdict comes first.
      const fits = window.berth.data.runs.length > 1 || !last || last.bottom + window.scrollY <= 844;
      return fits ? "" : "the numbers do not fit on the first screen";
    });
    const cut = await cutTexts(page);
    await page.setViewportSize(before);
    return problem || cut;
  });
}

export async function checkAnswer(page, label, {check}) {
  await checkFirstScreen(page, label, check);
  await checkDefaults(page, label, check);
  await checkTables(page, label, check);
  await checkPhone(page, label, check);
}
