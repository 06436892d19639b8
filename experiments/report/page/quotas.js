/* The part about quotas: its pieces together, the table of figures, and the waits of several runs. */

function quotasSection(run) {
  const quotas = run.quotas;
  if (!quotas) {
    return run.quotaMetrics ? [quotaTable(run, null)] : null;
  }
  const chosen = quotaState(quotas);
  const charts = el("div", {class: "quota-charts", id: "quota-charts"});
  const below = el("div", {class: "quota-below"});
  const fill = () => {
    for (const [box, make] of [[charts, [quotaFigure]], [below, [childrenFigure, lendingFigure]]]) {
      dropCharts(box);
      box.replaceChildren(...make.flatMap((one) => one(quotas)).filter(Boolean));
    }
  };
  fill();
  const tree = quotaTree(quotas, () => {
    fill();
    startCharts();
  });
  const count = quotas.names.length - 1;
  const lead = [`${plural(count, "quota")}, ${plural(quotas.samples, "sample")} of replication 0.`,
    "The tree's bars: blue up to the min, orange what is beyond it, a mark at the min, the end at the max (faded when there is none near)."];
  if (quotas.leftOut > 0) {
    lead.push(`To keep the page small, ${plural(quotas.leftOut, "quota")} have no series here: those that borrowed and over-used least.`);
  }
  if (quotas.thinned) lead.push("Long series keep the least and the greatest value of each interval.");
  if (quotas.evictions.total > quotas.evictions.marks.length) {
    lead.push(`Of ${number(quotas.evictions.total)} evictions, ${number(quotas.evictions.marks.length)} are drawn; all are counted.`);
  }
  if (quotas.changes.total > quotas.changes.marks.length) {
    lead.push(`Of ${number(quotas.changes.total)} changes, ${number(quotas.changes.marks.length)} are here, the refused ones first.`);
  }
  return {
    controls: quotas.resources.length > 1
      ? el("div", {class: "controls"}, choice("Resource", quotas.resources, chosen.resource, (r) => {
        chosen.resource = r;
        redrawSections(["quotas"]);
      }, "quota-resource")) : null,
    content: [
      el("p", {class: "lead"}, lead.join(" ")),
      el("div", {class: "quota-layout"}, tree, charts),
      below,
      quotaTable(run, quotas),
    ],
  };
}

/** A table that keeps how it is sorted in `order`. Columns: {title, value(row), text(value), cell(row), number, help}. */
function keptTable(columns, rows, order, label) {
  const cell = (row) => (c) => {
    const v = c.value(row);
    return c.cell ? c.cell(row) : v == null ? "–" : c.text(v);
  };
  return table(columns, rows.map((row) => columns.map(cell(row))),
    {label, order, shown: 12, keys: () => rows.map((row) => columns.map((c) => c.value(row)))});
}

/** The figures of all quotas: those of quotas.csv for the chosen resource, then the metrics that the run has. */
function quotaTable(run, quotas) {
  const metrics = run.quotaMetrics;
  const place = new Map((metrics?.names ?? []).map((name, i) => [name, i]));
  const figure = (name) => (row) => metrics?.figures[name]?.mean[place.get(row.name)] ?? null;
  const has = (name) => metrics?.figures[name]?.mean.some((v) => v != null);
  const rows = quotas
    ? quotas.names.map((name, q) => ({name, q, order: q})).slice(1)
    : metrics.names.map((name, i) => ({name, q: null, order: i}));
  const columns = [{title: "Quota", class: "name", value: (row) => row.order, cell: (row) => row.name}];
  const number0 = (v) => number(Number(v.toPrecision(4)));
  const r = quotas ? quotaState(quotas).resource : 0;
  const resource = quotas?.resources[r];
  if (quotas) {
    const figures = quotas.figures[r];
    columns.push(
      {title: "used of min", number: true, help: "mean amount used, as a share of the mean min", text: percent,
        value: (row) => (figures.min[row.q] > 0 && figures.used[row.q] != null ? figures.used[row.q] / figures.min[row.q] : null)},
      {title: "over min", number: true, help: "time with more in use than min", text: duration, value: (row) => (borrows(quotas, row.q) ? figures.overMin[row.q] : null)},
      {title: "borrowed", number: true, help: `in use beyond min, ${resource} times hours`,
        text: (v) => (inBytes(resource) ? `${bytes(v)} h` : `${number0(v)} h`), value: (row) => (borrows(quotas, row.q) ? figures.borrowed[row.q] : null)});
    if (!has("over_use_s")) {
      columns.push({title: "over-use", number: true, help: "time with more in use than runtime", text: duration, value: (row) => figures.overUse[row.q]});
    }
  }
  const known = [
    [`${resource}_lent_h`, "lendable", (v) => (inBytes(resource) ? `${bytes(v)} h` : `${number0(v)} h`), "of its min, neither used nor asked for, times hours"],
    ["min_violation_s", "min not met", duration, "time in which the min was not met though it was asked for"],
    ["over_use_s", "over-use", duration, "time with more in use than runtime"],
    ["revoked", "revoked", number0, "pods that had to give back what was borrowed"],
    ["preempted", "preempted", number0, "pods that made room for more important ones"],
    ["node_failed", "node failed", number0, "pods that lost their node"],
    ["lost_s", "lost work", duration, "run time of evicted pods that was for nothing"],
    ["dominant_share", "dominant share", percent, "the largest share of a resource of the cluster"],
    ["wait_s_mean", "mean wait", duration, "from submit to start"],
  ];
  for (const [name, title, text, help] of known) {
    const never = title === "node failed" && metrics?.figures[name]?.mean.every((v) => !v);
    if (has(name) && !never) columns.push({title, number: true, help, text, value: figure(name)});
  }
  if (columns.length < 2) return null;
  const sort = quotas ? quotaState(quotas).sort : {column: 0, descending: false};
  sort.column = Math.min(sort.column, columns.length - 1);
  return el("div", {class: "quota-table", id: "quota-table"},
    el("h3", {}, resource ? `All quotas: ${resource}` : "All quotas"),
    metrics && run.replications > 1 ? el("p", {class: "faint"}, "What is counted or waited for is a mean over the replications.") : null,
    keptTable(columns, rows, sort, "Figures by quota"));
}

/** Mean waits of the runs that have them: quotas by rows, runs by columns. */
function quotaWaitsSection() {
  const runs = data.runs.map((run, i) => ({label: runNames[i], metrics: run.quotaMetrics, waits: run.quotaMetrics?.figures.wait_s_mean}))
    .filter((run) => run.waits);
  if (runs.length < 2) return null;
  const names = [...new Set(runs.flatMap((run) => run.metrics.names))];
  const places = runs.map((run) => new Map(run.metrics.names.map((name, i) => [name, i])));
  const wait = (name, k) => runs[k].waits.mean[places[k].get(name)] ?? null;
  const longest = (name) => Math.max(...runs.map((_, k) => wait(name, k) ?? 0));
  const rows = names.filter((name) => runs.some((_, k) => wait(name, k) != null)).map((name) => ({name})).sort((a, b) => longest(b.name) - longest(a.name));
  if (rows.length === 0) return null;
  const shown = rows.slice(0, 12);
  const lower = runs.map((_, k) => rows.filter(({name}) => runs.every((_, other) => other === k ||
    (wait(name, k) != null && wait(name, other) != null && wait(name, k) < wait(name, other)))).length);
  const sort = {column: 0, descending: false};
  return [
    figure({
      id: "quota-waits",
      title: "Mean wait by quota",
      height: 70 + shown.length * (12 + 13 * runs.length),
      summary: runs.map((run, k) => `${run.label} has the shortest wait in ${number(lower[k])} of ${plural(rows.length, "quota")}`).join("; ") +
        (rows.length > shown.length ? `. The chart shows the ${shown.length} with the longest.` : "."),
      columns: [{title: "quota", class: "name"}, ...runs.map((run) => ({title: run.label, number: true}))],
      rows: () => rows.map(({name}) => [name, ...runs.map((_, k) => (wait(name, k) == null ? "–" : duration(wait(name, k))))]),
      option: (width) => ({
        legend: legend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 18, data: runs.map((run) => run.label)}),
        grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 14 + 7.4 * Math.max(...shown.map((s) => s.name.length))), right: 40, top: 34, bottom: 30},
        tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
          formatter: (list) => `<b>${markup(list[0].name)}</b><table class="tip">` + list.map((p) =>
            `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${p.value == null ? "–" : duration(p.value)}</td></tr>`).join("") + "</table>"}),
        xAxis: axis({type: "value", axisLabel: {formatter: (v) => duration(v)}, ...timeTicks(2 * longest(shown[0].name))}),
        yAxis: axis({type: "category", inverse: true, data: shown.map((s) => s.name), splitLine: {show: false}, axisLine: {show: false},
          axisLabel: nameLabels(width * 0.32, {color: colour("ink")})}),
        series: runs.map((run, k) => ({name: run.label, type: "bar", barMaxWidth: 14, barGap: "10%", itemStyle: {color: palette()[k % 7]},
          data: shown.map(({name}) => wait(name, k))})),
      }),
    }),
    el("div", {class: "quota-table"}, keptTable([{title: "Quota", class: "name", value: (row) => names.indexOf(row.name), cell: (row) => row.name},
      ...runs.map((run, k) => ({title: run.label, number: true, value: (row) => wait(row.name, k), cell: (row) => {
        const [mean, ci95] = [wait(row.name, k), runs[k].waits.ci95[places[k].get(row.name)]];
        return mean == null ? "–" : ci95 > 0 ? `${duration(mean)} ± ${duration(ci95)}` : duration(mean);
      }}))], rows, sort, "Mean wait by quota and run")),
  ];
}
