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
      run.claims.map((c) => [c.text, c.expected, c.measured, verdict(c.holds)]), {label: "Claims"}),
  ];
}

function groupsSection(run) {
  if (run.groups.rows.length === 0) return null;
  const columns = run.groups.columns;
  const place = (name) => columns.indexOf(name);
  const plain = (name) => (row) => {
    const text = row[place(name)];
    return text === "" ? "–" : Number.isNaN(Number(text)) ? text : number(Number(text));
  };
  const levels = columns.filter((c) => c.endsWith("_used")).map((c) => c.slice(0, -5));
  const inLevels = new Set(levels.flatMap((l) => [`${l}_used`, `${l}_min`, `${l}_max`]));
  const tells = (name) => name !== "start_s" && (!name.endsWith("_s") ||
    run.groups.rows.some((row) => Number(row[place(name)]) !== 0));
  const shown = columns.filter((c) => !inLevels.has(c) && tells(c)).map((name) => ({
    title: spaced(name), number: name !== "group" && name !== "satisfied", class: name === "group" ? "name" : null, cell: plain(name)}));
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
    foldable(table(shown, run.groups.rows.map((row) => shown.map((c) => c.cell(row))), {label: "Groups"}),
      run.groups.rows.length, 12),
  ];
}

/** A long table shows its first rows, and a button for the others. */
function foldable(box, count, shown) {
  if (count <= shown + 3) return box;
  const rows = [...box.querySelectorAll("tbody tr")].slice(shown);
  rows.forEach((row) => { row.hidden = true; });
  const button = el("button", {type: "button", onclick: () => {
    rows.forEach((row) => { row.hidden = false; });
    button.remove();
  }}, `Show all ${number(count)}`);
  return el("div", {}, box, el("p", {}, button));
}

function waitingSection(run) {
  const pods = run.pods;
  if (!pods || pods.causes.length === 0) return null;
  const causes = pods.causes;
  const cut = (text, size) => (text.length > size ? `${text.slice(0, size - 1)}…` : text);
  return [
    el("p", {class: "lead"}, `${plural(pods.explained, "pod")} did not run for a reason that is known; ` +
      "a pod can have more than one. All pods: " +
      pods.outcomes.map(([name, count]) => `${number(count)} ${name}`).join(", ") + "."),
    figure({
      id: "waiting",
      title: "Pods by reason",
      height: 46 + 30 * causes.length,
      summary: causes.slice(0, 5).map(([text, count]) => `${text}: ${plural(count, "pod")}`).join("; ") + ".",
      columns: [{title: "reason", class: "message"}, {title: "pods", number: true}],
      rows: () => causes.map(([text, count]) => [text, number(count)]),
      option: (width) => ({
        grid: {outerBoundsMode: "none", left: Math.min(width * 0.5, 14 + 6.8 * Math.max(...causes.map(([t]) => Math.min(t.length, 64)))), right: 56, top: 6, bottom: 28},
        tooltip: tooltip({trigger: "item", extraCssText: "white-space:normal;max-width:420px",
          formatter: (p) => `${markup(causes[p.dataIndex][0])}<br><b>${plural(causes[p.dataIndex][1], "pod")}</b>`}),
        xAxis: axis({type: "value", minInterval: 1}),
        yAxis: axis({type: "category", inverse: true, data: causes.map(([text]) => cut(text, 64)), splitLine: {show: false},
          axisLabel: {color: colour("ink"), width: width * 0.5 - 14, overflow: "truncate"}}),
        series: [{type: "bar", data: causes.map(([, count]) => count), barMaxWidth: 18, itemStyle: {color: colour("bar")},
          label: {show: true, position: "right", color: colour("muted"), formatter: (p) => number(p.value)}}],
      }),
    }),
    el("h3", {style: "margin-top:22px"}, "As the scheduler said it"),
    foldable(table([{title: "message", class: "message"}, {title: "pods", number: true}],
      pods.messages.map(([text, count]) => [text, number(count)]), {label: "Messages"}), pods.messages.length, 8),
  ];
}

function metricsSection(run) {
  if (run.metrics.length === 0) return null;
  const several = run.metrics.some((m) => m.n > 1);
  const columns = several
    ? [{title: "Metric", class: "name"}, {title: "mean ± 95%", number: true}, {title: "sd", number: true},
      {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}]
    : [{title: "Metric", class: "name"}, {title: "value", number: true}];
  const box = table(columns, run.metrics.map((m) => {
    return several
      ? [m.name, withInterval(m.name, m.mean, m.ci95), ...[m.sd, m.min, m.max].map((v) => inUnit(m.name, v)), number(m.n)]
      : [m.name, inUnit(m.name, m.mean)];
  }), {label: "Metrics"});
  const filter = el("input", {type: "search", placeholder: "part of a name", oninput: (e) => {
    const wanted = e.target.value.trim().toLowerCase();
    box.querySelectorAll("tbody tr").forEach((row) => {
      row.hidden = !row.firstChild.textContent.toLowerCase().includes(wanted);
    });
  }});
  return {
    controls: run.metrics.length > 12 ? el("div", {class: "controls"}, el("label", {}, "Filter", filter)) : null,
    content: [
      el("p", {class: "lead"}, several
        ? "Means over the replications; ± is half of the width of the 95% confidence interval, by Student's t over the replications."
        : "One replication: nothing here has an interval. With spec.replications of 2 or more each mean has one."),
      box,
    ],
  };
}

function configurationSection(run) {
  if (!run.configuration) return null;
  return [el("p", {class: "lead"}, "Running this again gives the same bytes."),
    el("details", {}, el("summary", {}, "experiment.yaml"), el("pre", {tabindex: "0"}, run.configuration))];
}
