/* Distributions of one run, and one metric in all runs. */

function boxShapes(api, d, y, height, colours) {
  const x = (value) => api.coord([value, 0])[0];
  const [min, q1, median, q3, max] = d.box;
  const middle = y;
  const half = height / 2;
  const stroke = {stroke: colours.box, lineWidth: 1.5, fill: "none"};
  const children = [
    {type: "line", shape: {x1: x(min), y1: middle, x2: x(q1), y2: middle}, style: stroke},
    {type: "line", shape: {x1: x(q3), y1: middle, x2: x(max), y2: middle}, style: stroke},
    {type: "rect", shape: {x: x(q1), y: middle - half, width: Math.max(x(q3) - x(q1), 1), height},
      style: {...stroke, fill: colours.fill}},
    {type: "line", shape: {x1: x(median), y1: middle - half, x2: x(median), y2: middle + half},
      style: {...stroke, lineWidth: 2.5}},
  ];
  if (d.ci95 != null) {
    children.push({type: "line", shape: {x1: x(d.mean - d.ci95), y1: middle, x2: x(d.mean + d.ci95), y2: middle},
      style: {stroke: colours.mean, lineWidth: 5}});
  }
  if (d.mean != null) {
    children.push({type: "circle", shape: {cx: x(d.mean), cy: middle, r: 4.5},
      style: {fill: colours.mean, stroke: colours.paper, lineWidth: 1.5}});
  }
  return {type: "group", children};
}

const boxColours = () => ({box: colour("muted"), fill: colour("busy-none"), mean: colour("group"), paper: colour("paper")});

/** The whole numbers at which a histogram's axis has labels. */
function wholes(d) {
  const step = Math.max(1, Math.ceil(d.counts.length / 20));
  return d.counts.map((_, i) => d.from + i).filter((_, i) => i % step === 0);
}

function distributionFigure(d, title) {
  const edges = d.counts.map((_, i) => d.from + i * d.width - (d.whole ? 0.5 : 0));
  const low = edges[0];
  const high = edges.at(-1) + d.width;
  const [min, q1, median, q3, max] = d.box;
  // Pods and groups of a run depend on one another: their mean, with its interval, is among the metrics.
  const mean = d.mean == null ? "" : `mean ${withInterval(d.name, d.mean, d.ci95)}`;
  const noun = d.of;
  const label = (i) => (d.whole ? number(edges[i] + 0.5) : `${number(edges[i])} to ${number(edges[i] + d.width)}`);
  return figure({
    id: "distribution",
    title,
    height: 340,
    summary: `${plural(d.n, noun)}: ${mean && `${mean}${d.ci95 == null ? "" : " (95% confidence, over the replications)"}, `}` +
      `standard deviation ${inUnit(d.name, d.sd)}, ` +
      `median ${inUnit(d.name, median)}, half of them from ${inUnit(d.name, q1)} to ${inUnit(d.name, q3)}, ` +
      `95% up to ${inUnit(d.name, d.p95)}, all from ${inUnit(d.name, min)} to ${inUnit(d.name, max)}.` +
      (d.goingOn > 0 ? ` ${plural(d.goingOn, noun)} had not ended and ${d.goingOn === 1 ? "is" : "are"} not among them.` : ""),
    columns: [{title: d.name}, {title: `${noun}s`, number: true}],
    rows: () => d.counts.map((count, i) => [label(i), number(count)]),
    option: () => ({
      grid: [{outerBoundsMode: "none", left: 52, right: 34, top: 4, height: 36}, {outerBoundsMode: "none", left: 52, right: 34, top: 66, bottom: 46}],
      tooltip: tooltip({trigger: "item", formatter: (p) => p.seriesIndex === 0
        ? `${mean && `${mean}<br>`}median ${inUnit(d.name, median)}<br>quartiles ${inUnit(d.name, q1)}, ${inUnit(d.name, q3)}<br>` +
          `range ${inUnit(d.name, min)} to ${inUnit(d.name, max)}`
        : `${markup(d.name)} ${label(p.dataIndex)}<br>${plural(d.counts[p.dataIndex], noun)} (${percent(d.counts[p.dataIndex] / d.n)})`}),
      xAxis: [
        {type: "value", gridIndex: 0, min: low, max: high, show: false},
        axis({type: "value", gridIndex: 1, min: low, max: high, name: withUnit(d.name), nameLocation: "middle", nameGap: 28,
          splitLine: {show: false},
          axisLabel: {formatter: (v) => inUnit(d.name, v), ...(d.whole ? {customValues: wholes(d)} : {})}}),
      ],
      yAxis: [
        {type: "value", gridIndex: 0, min: 0, max: 1, show: false},
        axis({type: "value", gridIndex: 1, minInterval: 1, axisLine: {show: false, onZero: false}, name: `${noun}s`,
          nameTextStyle: {align: "left", padding: [0, 0, 0, -46]}, nameGap: 10}),
      ],
      series: [
        {type: "custom", clip: true, xAxisIndex: 0, yAxisIndex: 0, data: [[median, 0.5]], encode: {x: 0, y: 1},
          renderItem: (params, api) => boxShapes(api, d, api.coord([median, 0.5])[1], 22, boxColours())},
        {type: "custom", xAxisIndex: 1, yAxisIndex: 1, encode: {x: 0, y: 1},
          data: d.counts.map((count, i) => [edges[i] + d.width / 2, count]),
          renderItem: (params, api) => {
            const [x0, y] = api.coord([api.value(0) - d.width / 2, api.value(1)]);
            const [x1, y0] = api.coord([api.value(0) + d.width / 2, 0]);
            const space = d.whole ? Math.min(8, (x1 - x0) * 0.18) : 1;
            const wide = Math.min(x1 - x0 - space, 90);
            return {type: "rect", shape: {x: (x0 + x1 - wide) / 2, y, width: wide, height: y0 - y},
              style: {fill: colour("bar")}};
          },
          ...(d.mean == null ? {} : {markLine: {silent: true, symbol: "none", data: [{xAxis: d.mean}],
            lineStyle: {color: colour("group"), type: "solid", width: 1.5},
            label: {formatter: `mean ${inUnit(d.name, d.mean)}`, color: colour("group"), position: "end", distance: 2, fontSize: 12}}}),
          ...(d.ci95 == null ? {} : {markArea: {silent: true, itemStyle: {color: colour("group"), opacity: 0.16},
            data: [[{xAxis: d.mean - d.ci95}, {xAxis: d.mean + d.ci95}]]}})},
      ],
    }),
  });
}

function distributionsSection(run) {
  if (run.distributions.length === 0) return null;
  const varies = (d) => d.box[0] < d.box[4];
  const usual = run.answer.numbers.map(({metric}) => metric);
  const rank = (d) => (usual.includes(d.name) ? usual.indexOf(d.name) : usual.length);
  const all = run.distributions.filter(varies).sort((a, b) => rank(a) - rank(b));
  const constant = run.distributions.filter((d) => !varies(d));
  if (all.length === 0) return null;
  state.distribution = Math.min(state.distribution, all.length - 1);
  const names = all.map((d) => (d.of === "replication" ? d.name : `${d.of}: ${d.name}`));
  return {
    controls: el("div", {class: "controls"}, choice("Metric", names, state.distribution, (i) => {
      state.distribution = i;
      redrawSections(["distributions"]);
    }, "metric")),
    content: [
      el("p", {class: "lead"}, "The box holds the middle half, its line is the median, the whiskers are the extremes; " +
        "the point is the mean of the replications with its 95% confidence interval. Pods and groups of one run depend on " +
        "one another, so that only replications have an interval." +
        (constant.length > 0 ? ` ${plural(constant.length, "metric")} ${constant.length === 1 ? "does" : "do"} not vary and ${constant.length === 1 ? "is" : "are"} not offered: ` +
          `${constant.slice(0, 6).map((d) => d.name).join(", ")}${constant.length > 6 ? ` and ${constant.length - 6} others` : ""}.` : "")),
      distributionFigure(all[state.distribution], names[state.distribution]),
    ],
  };
}

/** One metric in all runs, when there are several. */
function compareSection() {
  if (data.runs.length < 2) return null;
  const names = [...new Set(data.runs.flatMap((run) => run.metrics.map((m) => m.name)))].filter((name) =>
    data.runs.filter((run) => run.metrics.some((m) => m.name === name && m.mean != null)).length > 1);
  if (names.length === 0) return null;
  const differs = (name) => new Set(data.runs.map((run) => run.metrics.find((m) => m.name === name)?.mean)).size > 1;
  const usual = data.runs[0].answer.numbers.map(({metric}) => metric);
  const rank = (name) => (differs(name) ? (usual.includes(name) ? usual.indexOf(name) : usual.length) : usual.length + 1);
  names.sort((a, b) => rank(a) - rank(b));
  const equal = names.filter((name) => !differs(name));
  names.splice(names.length - equal.length, equal.length);
  if (names.length === 0) return [el("p", {class: "lead"}, "No metric differs between the runs.")];
  state.compared = Math.min(state.compared, names.length - 1);
  const name = names[state.compared];
  const rows = data.runs.map((run, i) => ({
    label: runNames[i],
    metric: run.metrics.find((m) => m.name === name && m.mean != null),
    box: run.distributions.find((d) => d.of === "replication" && d.name === name),
  })).filter((row) => row.metric);
  const describe = (row) => row.box ?? {mean: row.metric.mean, ci95: row.metric.ci95,
    box: [row.metric.min, row.metric.mean, row.metric.mean, row.metric.mean, row.metric.max].map((v) => v ?? row.metric.mean)};
  const mean = (m) => withInterval(name, m.mean, m.ci95);
  return {
    controls: el("div", {class: "controls"}, choice("Metric", names, state.compared, (i) => {
      state.compared = i;
      redrawSections(["compare"]);
    }, "compared")),
    content: [figure({
      id: "compare",
      title: name,
      height: 60 + 44 * rows.length,
      summary: rows.map((row) => `${row.label}: ${mean(row.metric)}`).join("; ") + ".",
      columns: [{title: "run", class: "name"}, {title: "mean ± 95%", number: true}, {title: "sd", number: true},
        {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}],
      rows: () => rows.map(({label, metric: m}) => [label, mean(m), inUnit(name, m.sd), inUnit(name, m.min),
        inUnit(name, m.max), number(m.n)]),
      option: (width) => ({
        grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 12 + 7.4 * Math.max(...rows.map((r) => r.label.length))), right: 38, top: 6, bottom: 44},
        tooltip: tooltip({trigger: "item", formatter: (p) => {
          const row = rows[p.dataIndex];
          return `<b>${markup(row.label)}</b><br>mean ${mean(row.metric)}<br>range ${inUnit(name, row.metric.min)} to ` +
            `${inUnit(name, row.metric.max)}<br>n = ${number(row.metric.n)}`;
        }}),
        xAxis: axis({type: "value", scale: true, name: withUnit(name), nameLocation: "middle", nameGap: 28,
          axisLabel: {formatter: (v) => inUnit(name, v)}}),
        yAxis: axis({type: "category", inverse: true, data: rows.map((r) => r.label), axisLine: {show: false},
          splitLine: {show: false}, axisLabel: nameLabels(width * 0.32, {color: colour("ink")})}),
        series: [{type: "custom", encode: {x: [1, 2, 3], y: 0},
          data: rows.map((row, i) => [i, describe(row).mean, describe(row).box[0], describe(row).box[4]]),
          renderItem: (params, api) =>
            boxShapes({coord: ([v]) => api.coord([v, params.dataIndex])}, describe(rows[params.dataIndex]),
              api.coord([0, params.dataIndex])[1], 18, boxColours())}],
      }),
    })],
  };
}
