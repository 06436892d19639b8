/* The parts that are mostly tables. */

function claims(run) {
  if (run.claims.length === 0) return null;
  const held = run.claims.filter((c) => c.holds).length;
  const verdict = (holds) => el("span", {class: `verdict ${holds ? "holds" : "fails"}`},
    holds ? "✓ holds" : "✗ does not hold");
  return [
    el("p", {class: "lead"}, held === run.claims.length
      ? `All ${plural(held, "claim")} hold.`.replace("All 1 claim hold", "The one claim holds")
      : `${held} of ${plural(run.claims.length, "claim")} hold.`),
    table([{title: "Claim"}, {title: "Expected"}, {title: "Measured"}, {title: "Verdict"}],
      run.claims.map((c) => [data.definitions[c.text] ? el("span", {}, defined(c.text), unitBehind(c.text)) : c.text, c.expected, c.measured, verdict(c.holds)]), {label: "Claims"}),
  ];
}

/** ` (s)` behind a metric's name. */
const unitBehind = (metric) => (data.definitions[metric].unit ? ` (${data.definitions[metric].unit})` : "");

function groupsSection(run) {
  if (run.groups.rows.length === 0) return null;
  const columns = run.groups.columns;
  const place = (name) => columns.indexOf(name);
  const plain = (name) => (row) => {
    const text = row[place(name)];
    return text === "" ? "–" : Number.isNaN(Number(text)) ? text : name.endsWith("_s") ? duration(Number(text)) : number(Number(text));
  };
  const levels = columns.filter((c) => c.endsWith("_used")).map((c) => c.slice(0, -5));
  const inLevels = new Set(levels.flatMap((l) => [`${l}_used`, `${l}_min`, `${l}_max`]));
  const tells = (name) => name !== "start_s" && (!name.endsWith("_s") ||
    run.groups.rows.some((row) => Number(row[place(name)]) !== 0));
  const shown = columns.filter((c) => !inLevels.has(c) && tells(c)).map((name) => ({
    title: spaced(name.replace(/_s$/, "")), number: name !== "group" && name !== "satisfied", class: name === "group" ? "name" : null, cell: plain(name)}));
  const ofLevels = levels.map((level) => ({title: `${level}s`, number: true, cell: (row) => {
    const [used, min, max] = ["used", "min", "max"].map((what) => row[place(`${level}_${what}`)] ?? "");
    return used === "" ? "–" : min === "" || Number(used) === 0 ? used : `${used} × ${min === max ? min : `${min}–${max}`}`;
  }}));
  const distance = shown.findIndex((c) => c.title === "mean distance");
  shown.splice(distance < 0 ? shown.length : distance, 0, ...ofLevels);
  return [
    el("p", {class: "lead"}, `The groups of replication 0` + (run.groups.leftOut > 0
      ? `: the first ${run.groups.rows.length} of ${number(run.groups.rows.length + run.groups.leftOut)}.` : ".") +
      (levels.length > 0 ? " For each level: how many domains are used × how many members are in one, from the least to the greatest." : "")),
    table(shown, () => run.groups.rows.map((row) => shown.map((c) => c.cell(row))), {label: "Groups", shown: 12}),
  ];
}

function waitingSection(run) {
  const pods = run.pods;
  if (!pods || pods.causes.length === 0) return null;
  const causes = pods.causes;
  const longest = Math.max(...causes.map(([text]) => Math.min(text.length, 64)));
  return [
    el("p", {class: "lead"}, `${plural(pods.explained, "pod")} did not run for a reason that is known; ` +
      "a pod can have more than one. All pods: " +
      pods.outcomes.map(([name, count]) => `${number(count)} ${name}`).join(", ") + "."),
    figure({
      id: "waiting",
      title: "Pods by reason",
      height: (width) => 46 + 34 * causes.length * (width < 600 ? 1.6 : 1),
      summary: causes.slice(0, 5).map(([text, count]) => `${text}: ${plural(count, "pod")}`).join("; ") + ".",
      columns: [{title: "reason", class: "message"}, {title: "pods", number: true}],
      rows: () => causes.map(([text, count]) => [text, number(count)]),
      option: (width) => ({
        grid: {outerBoundsMode: "none", left: Math.min(width * 0.5, 14 + 6.8 * longest), right: 56, top: 6, bottom: 28},
        tooltip: tooltip({trigger: "item", extraCssText: "white-space:normal;max-width:420px",
          formatter: (p) => `${markup(causes[p.dataIndex][0])}<br><b>${plural(causes[p.dataIndex][1], "pod")}</b>`}),
        xAxis: axis({type: "value", minInterval: 1}),
        yAxis: axis({type: "category", inverse: true, data: causes.map(([text]) => text), splitLine: {show: false},
          axisLabel: nameLabels(Math.min(width * 0.5, 14 + 6.8 * longest) - 14, {color: colour("ink")})}),
        series: [{type: "bar", data: causes.map(([, count]) => count), barMaxWidth: 18, itemStyle: {color: colour("bar")},
          label: {show: true, position: "right", color: colour("muted"), formatter: (p) => number(p.value)}}],
      }),
    }),
    el("h3", {style: "margin-top:22px"}, "As the scheduler said it"),
    table([{title: "message", class: "message"}, {title: "pods", number: true}],
      () => pods.messages.map(([text, count]) => [text, number(count)]), {label: "Messages", shown: 8}),
  ];
}

/** Metrics under the headings of their documentation, in its order; what it does not tell comes last. */
function metricsSection(run) {
  if (run.metrics.length === 0) return null;
  const several = run.metrics.some((m) => m.n > 1);
  const parts = new Map();
  for (const m of run.metrics) {
    const part = data.definitions[m.name]?.part ?? "Others";
    parts.set(part, [...(parts.get(part) ?? []), m]);
  }
  const columns = [{title: "Metric"}, {title: "Unit"}, ...(several
    ? [{title: "mean ± 95%", number: true}, {title: "sd", number: true}, {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}]
    : [{title: "value", number: true}])];
  const open = (m) => [m.mean != null && m.atLeast > m.mean ? `with what had not ended, at least ${inUnit(m.name, m.atLeast)}` : "",
    m.neverStarted > 0 ? `${percent1(m.neverStarted)} never started` : ""].filter(Boolean).join("; ");
  const figures = (m) => (m.mean == null && m.atLeast != null ? `> ${inUnit(m.name, m.atLeast)}` : withInterval(m.name, m.mean, several ? m.ci95 : 0));
  const value = (m) => (plain || !open(m) ? figures(m) : el("span", {}, figures(m), el("span", {class: "delta"}, open(m))));
  const row = (m) => [el("code", {}, defined(m.name)), data.definitions[m.name]?.unit ?? "", value(m),
    ...(several ? [...[m.sd, m.min, m.max].map((v) => inUnit(m.name, v)), number(m.n)] : [])];
  const boxes = [...parts].map(([part, list]) => el("div", {class: "metric-part"}, el("h3", {}, part[0].toUpperCase() + part.slice(1)),
    table(columns, () => list.map(row), {label: `Metrics: ${part}`})));
  const filter = el("input", {type: "search", id: "metrics-filter", placeholder: "part of a name", oninput: (e) => {
    const wanted = e.target.value.trim().toLowerCase();
    for (const box of boxes) {
      const rows = [...box.querySelectorAll("tbody tr")];
      rows.forEach((one) => { one.hidden = !one.firstChild.textContent.toLowerCase().includes(wanted); });
      box.hidden = rows.every((one) => one.hidden);
    }
  }});
  return {
    controls: run.metrics.length > 12 ? el("div", {class: "controls"}, el("label", {}, "Filter", filter)) : null,
    content: [
      el("p", {class: "lead"}, (several
        ? "Means over the replications; ± is half of the width of the 95% confidence interval, by Student's t over the replications. "
        : "One replication: nothing here has an interval. With spec.replications of 2 or more each mean has one. ") +
        "Point at a name, or reach it with Tab, for what it means; a heading sorts."),
      ...boxes,
    ],
  };
}

/** Which program made the run, from what, and what it cost: of use to whoever repeats it. */
function originSection(run) {
  const facts = [...run.origin, ...run.machine];
  if (facts.length === 0) return null;
  const shown = ([key, value]) => [spaced(key).replace(/ s$/, ""), /(^|_)s$/.test(key) ? duration(Number(value)) : /bytes/.test(key) ? bytes(Number(value))
    : value !== "" && !Number.isNaN(Number(value)) && key !== "seed" ? number(Number(value)) : value];
  return [el("p", {class: "lead"}, "The machine and the time change nothing else on this page."),
    table([{title: "what"}, {title: "value", class: "message"}], facts.map(shown), {label: "How it was made", plain: true})];
}

function configurationSection(run) {
  if (!run.configuration) return null;
  return [el("p", {class: "lead"}, "Running this again gives the same bytes."),
    el("details", {}, el("summary", {}, "experiment.yaml"), el("pre", {tabindex: "0"}, run.configuration))];
}
