/* Which differences between runs are real: paired by seed, each run with the first. */

let comparedWith = 0;  // which of the comparisons

const signed = (m) => (m.difference > 0 ? "+" : "") + toInterval(m.metric, m.difference, m.ci95);
const ofChance = (p) => (p == null ? "–" : p < 0.0001 ? "< 0.0001" : number(Number(p.toPrecision(2))));

/** How a verdict looks: by its shape as well as by its colour. */
const verdictLooks = {
  "better": {symbol: "triangle", sign: "▲", colour: "holds"},
  "worse": {symbol: "triangle", rotate: 180, sign: "▼", colour: "fails"},
  "higher": {symbol: "diamond", sign: "◆", colour: "series-1"},
  "lower": {symbol: "diamond", sign: "◆", colour: "series-1"},
};
const verdictLook = (m) => verdictLooks[m.verdict] ?? {symbol: "emptyCircle", sign: "○", colour: "muted"};

const intervalText = (m) => (m.ci95 == null ? "–"
  : `${toInterval(m.metric, m.difference - m.ci95, m.ci95)} to ${toInterval(m.metric, m.difference + m.ci95, m.ci95)}`);

function verdictCell(m) {
  const look = verdictLook(m);
  const kind = {holds: " holds", fails: " fails"}[look.colour] ?? "";
  return el("span", {class: `verdict${kind}`}, `${look.sign} ${m.verdict}`);
}

function differenceRow(m) {
  return [el("code", {}, defined(m.metric)), toInterval(m.metric, m.baseline, m.ci95), toInterval(m.metric, m.run, m.ci95), signed(m), intervalText(m),
    m.effect == null ? "–" : m.effect.toFixed(2), ofChance(m.p_holm), verdictCell(m)];
}

const differenceColumns = [{title: "metric", class: "name"}, {title: "baseline", number: true}, {title: "this run", number: true},
  {title: "difference", number: true}, {title: "95% interval", number: true}, {title: "effect", number: true},
  {title: "p (Holm)", number: true}, {title: "verdict"}];

/** A row a metric: the difference and its interval in standard deviations of the differences. */
function forestFigure(comparison) {
  const drawn = comparison.metrics.filter((m) => m.sd > 0);
  const shown = drawn.slice(0, 40).map((m) => ({
    m, at: m.difference / m.sd, half: m.ci95 / m.sd, look: verdictLook(m)}));
  if (shown.length === 0) return null;
  const real = shown.filter(({m}) => verdictLooks[m.verdict]);
  return figure({
    id: "differences",
    title: `${runNames[comparison.place]} less ${runNames[0]}`,
    height: 74 + 24 * shown.length,
    summary: `${plural(real.length, "difference")} beyond chance` +
      (real.length > 0 ? `: ${real.slice(0, 6).map(({m}) => `${m.metric} ${signed(m)}, ${m.verdict}`).join("; ")}` : "") +
      (real.length > 6 ? "; and others." : "."),
    caption: "Differences in standard deviations of the pairs' differences, with 95% intervals, each of its metric alone. ▲ better, ▼ worse, " +
      "◆ higher or lower where neither is better, ○ no difference shown: the verdicts are corrected for the number of tests, so that an interval " +
      "may leave out zero and show no difference." +
      (drawn.length > shown.length ? ` Drawn are the ${shown.length} largest of ${number(drawn.length)}; the table has all.` : ""),
    columns: [{title: "metric", class: "name"}, {title: "standardized difference", number: true}, {title: "from", number: true},
      {title: "to", number: true}, {title: "verdict"}],
    rows: () => shown.map(({m, at, half}) => [m.metric, ...[at, at - half, at + half].map((v) => v.toFixed(2)), m.verdict]),
    option: (width) => {
      const room = Math.min(width * 0.42, 14 + 7 * Math.max(...shown.map(({m}) => m.metric.length)));
      return {
        grid: {outerBoundsMode: "none", left: room, right: 24, top: 6, bottom: 46},
        tooltip: tooltip({trigger: "item", formatter: (p) => {
          const {m} = shown[p.dataIndex];
          return `<b>${markup(m.metric)}</b><br>${inUnit(m.metric, m.baseline)} → ${inUnit(m.metric, m.run)}<br>difference ` +
            `${signed(m)}, from ${intervalText(m)}<br>p ${ofChance(m.p_holm)}: ${m.verdict}`;
        }}),
        xAxis: axis({type: "value", name: "difference in standard deviations", nameLocation: "middle", nameGap: 28}),
        yAxis: axis({type: "category", inverse: true, data: shown.map(({m}) => m.metric), axisLine: {show: false, onZero: false},
          splitLine: {show: false}, axisLabel: nameLabels(room - 12, {color: colour("ink")})}),
        series: [
          {type: "custom", encode: {x: [1, 2], y: 0}, data: shown.map(({at, half}, i) => [i, at - half, at + half]),
            renderItem: (params, api) => {
              const [x1, y] = api.coord([api.value(1), api.value(0)]);
              const [x2] = api.coord([api.value(2), api.value(0)]);
              return {type: "line", shape: {x1, y1: y, x2, y2: y},
                style: {stroke: colour(shown[params.dataIndex].look.colour), lineWidth: 2.5}};
            },
            markLine: {silent: true, symbol: "none", data: [{xAxis: 0}], label: {show: false},
              lineStyle: {color: colour("ink"), type: "solid", width: 1}}},
          {type: "scatter", data: shown.map(({at, look}, i) => ({value: [at, i], symbol: look.symbol,
            symbolRotate: look.rotate ?? 0, itemStyle: {color: colour(look.colour), opacity: 1}})), symbolSize: 11},
        ],
      };
    },
  });
}

function fateCell(fate) {
  const parts = [fate.outcome + (fate.place ? ` on ${fate.place}` : "")];
  if (fate.wait_s != null) parts.push(`waited ${duration(fate.wait_s)}`);
  if (fate.jct_s != null) parts.push(`done after ${duration(fate.jct_s)}`);
  return el("span", {}, parts.join(", "), fate.reason ? el("span", {class: "delta"}, fate.reason) : null);
}

function fatesTable(fates, noun) {
  if (fates.both + fates.baseline_only + fates.run_only === 0) return [];
  const shown = fates.most_changed.length;
  const outcomes = fates.outcomes.map((o) => `${number(o.n)} ${o.baseline} → ${o.run}`);
  const alone = fates.baseline_only + fates.run_only > 0
    ? ` ${number(fates.baseline_only)} are in the baseline alone, ${number(fates.run_only)} in this run alone.` : "";
  return [
    el("h3", {class: "below"}, `The ${noun}s whose fate changed most`),
    el("p", {class: "lead"}, `Of ${plural(fates.both, noun)} in both, ${number(fates.waited_longer)} waited longer, ` +
      `${number(fates.waited_shorter)} shorter; ${number(fates.moved)} were placed elsewhere.${alone}` +
      (outcomes.length > 0 ? ` Ended otherwise: ${outcomes.join(", ")}.` : "") +
      (shown > 0 ? ` The table names ${plural(shown, noun)}, the greatest change first; berth compare --pods names as many as one asks for.` : "")),
    fates.most_changed.length === 0 ? null
      : table([{title: noun, class: "name"}, {title: "replication", number: true}, {title: "baseline", class: "message"}, {title: "this run", class: "message"}],
        fates.most_changed.map((f) => [el("span", {style: "white-space:nowrap"}, f.name), String(f.replication), fateCell(f.baseline), fateCell(f.run)]), {label: `Fates of ${noun}s`, shown: 10}),
  ];
}

function differencesSection() {
  const all = data.comparison?.comparisons ?? [];
  if (all.length === 0) return null;
  comparedWith = Math.min(comparedWith, all.length - 1);
  const comparison = all[comparedWith];
  const {tests} = data.comparison;
  const others = comparison.metrics_compared - comparison.metrics.length;
  const leftOut = comparison.baseline_left_out + comparison.run_left_out;
  return {
    controls: all.length === 1 ? null : el("div", {class: "controls"}, choice("Run", all.map((c) => runNames[c.place]), comparedWith, (i) => {
      comparedWith = i;
      redrawSections(["differences"]);
    }, "compared-with")),
    content: [
      comparison.warning ? el("p", {class: "lead warning", role: "note"}, `Warning: ${comparison.warning}.`) : null,
      el("p", {class: "lead"}, `${runNames[comparison.place]} against ${runNames[0]}, the baseline: ${plural(comparison.pairs, "pair")} of replications with one seed each. ` +
        (leftOut > 0 ? `${plural(leftOut, "replication")} without a partner left out. ` : "") +
        (others > 0 ? `${plural(others, "metric")} ${others === 1 ? "is" : "are"} equal in every pair and ${others === 1 ? "has" : "have"} no row. ` : "") +
        `Student's t for pairs; p is corrected for ${plural(tests, "test")} by Holm; effect is Hedges' g.`),
      forestFigure(comparison),
      comparison.metrics.length === 0 ? null : el("div", {class: "below"},
        table(differenceColumns, () => comparison.metrics.map(differenceRow), {label: "Differences", shown: 12})),
      ...fatesTable(comparison.groups, "group"),
      ...fatesTable(comparison.pods, "pod"),
    ],
  };
}
