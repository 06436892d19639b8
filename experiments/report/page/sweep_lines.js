/* A metric over one axis, one line a value of another: in one picture, and panel by panel. */

const lineSymbols = ["circle", "rect", "triangle", "diamond", "emptyCircle", "path://M-1,-0.9L1,-0.9L0,1Z",
  "path://M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z"];
const lineDashes = ["solid", [7, 4], [2, 3], [9, 3, 2, 3]];
const panelsMax = 24;

/** A colour, a symbol and a dash of its own for each line: no pair shares more than two of them. */
const lineLook = (i) => ({
  colour: palette()[i % 7],
  symbol: lineSymbols[(i + Math.floor(i / 7)) % 7],
  dash: lineDashes[(i + Math.floor(i / 7)) % 4],
});

/** Round ends for an axis of values, from zero unless that wastes more than half of it. */
function roundRange(low, high) {
  const from = low >= 0 && low < high * 0.6 ? 0 : low;
  const span = high - from || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s >= span / 4 - 1e-12);
  const min = Math.floor(from / step + 1e-9) * step;
  return {min: low >= 0 ? Math.max(0, min) : min, max: Math.ceil((from + span) / step - 1e-9) * step, interval: step};
}

/** A number beside an axis: short, whatever its size. */
function tick(metric, v) {
  const value = rounded(v);
  const size = Math.abs(value);
  if (/(^|_)bytes(_|$)/.test(metric) || size === 0 || (size < 1e6 && size >= 1e-4)) return inUnit(metric, value);
  return Number(value.toPrecision(4)).toExponential().replace("e+", "e");
}

/** Logarithmic where values are more even on that scale, as 1, 10, 100 are. */
function scaleOf(numbers) {
  if (numbers.length < 3 || numbers[0] <= 0) return "value";
  const unevenness = (values) => {
    const gaps = values.slice(1).map((v, i) => v - values[i]);
    return Math.max(...gaps) / Math.min(...gaps);
  };
  return unevenness(numbers) > 4 && unevenness(numbers.map(Math.log)) * 2 < unevenness(numbers) ? "log" : "value";
}

/** How many lines the names below an axis take; numbers take one. */
const nameLines = (a, width) => (a.numbers === null ? linesOf(a.values, width / a.values.length - 6) : 1);

/** The x axis of a figure: numbers at their places, or names side by side. */
function xAxisOf(a, width, more) {
  const shown = {name: a.name, nameLocation: "middle", nameGap: 26, splitLine: {show: false}, ...more};
  if (a.numbers === null) {
    return axis({type: "category", data: a.values, ...shown, nameGap: 26 + 13 * (nameLines(a, width) - 1),
      axisLabel: nameLabels(width / a.values.length - 6)});
  }
  const numbers = a.numbers;
  const span = numbers.at(-1) - numbers[0];
  const scale = scaleOf(numbers);
  const pad = scale === "log" ? {min: numbers[0] / 1.15, max: numbers.at(-1) * 1.15}
    : {min: numbers[0] - (span * 0.03 || 1), max: numbers.at(-1) + (span * 0.03 || 1)};
  const every = Math.max(1, Math.ceil(numbers.length * 34 / width));
  return axis({type: scale, ...pad, ...shown,
    axisLabel: {customValues: numbers.filter((_, i) => i % every === 0), formatter: (v) => number(rounded(v))}});
}

/** The interval of a line: a band along numbers, a whisker at each name, `aside` of its middle. */
function bandSeries(name, cells, a, look, grid, aside) {
  const numeric = a.numbers !== null;
  const place = (c) => (numeric ? a.numbers[c.x] : c.x);
  return {type: "custom", name, silent: true, clip: true, z: 1, xAxisIndex: grid, yAxisIndex: grid, encode: {x: 0, y: [1, 2]}, tooltip: {show: false},
    data: cells.map((c) => [place(c), c.mean - c.ci95, c.mean + c.ci95]),
    renderItem: (params, api) => {
      const at = (c, sign) => api.coord([place(c), c.mean + sign * c.ci95]);
      if (numeric && cells.length > 1) {
        if (params.dataIndex > 0) return null;
        return {type: "polygon", shape: {points: [...cells.map((c) => at(c, 1)), ...[...cells].reverse().map((c) => at(c, -1))]},
          style: {fill: look.colour, opacity: 0.16}};
      }
      const cell = cells[params.dataIndex];
      const [middle, y1] = at(cell, 1);
      const x = middle + aside;
      const y2 = at(cell, -1)[1];
      const stroke = {stroke: look.colour, lineWidth: 1.5, fill: "none"};
      return {type: "group", children: [[x, y1, x, y2], [x - 4, y1, x + 4, y1], [x - 4, y2, x + 4, y2]].map(([x1, a1, x2, a2]) =>
        ({type: "line", shape: {x1, y1: a1, x2, y2: a2}, style: stroke}))};
    }};
}

/** The series of one panel: each line with its interval. */
function lineSeries(view, cells, grid, width) {
  const a = axisNamed(view.x);
  const lines = axisNamed(view.by)?.values ?? [view.metric];
  const used = new Set(cells.map((c) => c.by));
  return lines.flatMap((name, i) => {
    if (!used.has(i)) return [];
    const own = cells.filter((c) => c.by === i);
    const look = lineLook(i);
    // Between names there is nothing that a line could stand for: their marks stand side by side.
    const names = a.numbers === null;
    const place = [...used].sort((x, y) => x - y).indexOf(i) - (used.size - 1) / 2;
    const aside = names ? place * Math.min(14, width / a.values.length / (used.size + 1)) : 0;
    // The line before its interval: the legend shows the first series of a name.
    return [{
      type: "line", name, xAxisIndex: grid, yAxisIndex: grid, z: 3, symbol: look.symbol,
      symbolSize: Math.max(3, Math.min(8, width / own.length / 3)), showAllSymbol: true, color: look.colour,
      symbolOffset: [aside, 0], lineStyle: {width: names ? 0 : 2, type: look.dash}, emphasis: {focus: "series"},
      data: own.map((c) => ({value: [a.numbers === null ? c.x : a.numbers[c.x], c.mean], cell: c}))},
    bandSeries(name, own, a, look, grid, aside)];
  });
}

/** What the pointer tells: all lines at one place, the greatest first, or one mark of many lines. */
function lineTooltip(view) {
  const {metric, x, by, panel} = view;
  const title = (c) => [panel ? `${panel} ${axisNamed(panel).values[c.panel]}` : "", `${x} ${axisNamed(x).values[c.x]}`]
    .filter(Boolean).map(markup).join(", ");
  const said = (c) => `${withInterval(metric, c.mean, c.ci95)}${c.points > 1 ? ` <span class="faint">(${c.points} points)</span>` : ""}`;
  const many = (axisNamed(by)?.values.length ?? 1) > 12;
  return tooltip({trigger: many ? "item" : "axis", formatter: (list) => {
    const marks = (Array.isArray(list) ? list : [list]).filter((p) => p.data?.cell).sort((a, b) => b.data.cell.mean - a.data.cell.mean);
    if (marks.length === 0) return "";
    return `<b>${title(marks[0].data.cell)}</b><br>${markup(metric)}, mean ± 95%<table class="tip">${marks.map((p) =>
      `<tr><td>${p.marker}${by ? markup(p.seriesName) : "mean"}</td><td class="number">${said(p.data.cell)}</td></tr>`).join("")}</table>`;
  }});
}

/** The ends that means and intervals need; where no mean is negative, neither is the axis. */
function bounds(cells) {
  const low = Math.min(...cells.map((c) => c.mean - c.ci95));
  const least = Math.min(...cells.map((c) => c.mean));
  const high = Math.max(...cells.map((c) => c.mean + c.ci95));
  const share = cells.every((c) => c.mean <= 1) && data.definitions?.[sweepView.metric]?.unit === "share";
  return roundRange(least >= 0 ? Math.max(0, low) : low, share ? Math.min(1, high) : high);
}

/** The unit of a metric at the top of its axis. */
const unitName = (metric) => (data.definitions?.[metric]?.unit ? {name: data.definitions[metric].unit, nameLocation: "end", nameGap: 8,
  nameTextStyle: {align: "right"}} : {});

/** One panel, or many of the same scale. */
function linesFigure({id, title, view, cells, height, columnsOf, ownScales}) {
  const a = axisNamed(view.x);
  const panels = view.panel ? [...new Set(cells.map((c) => c.panel))].slice(0, panelsMax) : [0];
  const lines = axisNamed(view.by)?.values;
  const shownLines = lines?.filter((_, i) => cells.some((c) => c.by === i));
  const titles = view.panel ? 22 : 0;
  const left = 62;
  const wideOf = (width) => (width - 24) / columnsOf(width) - left - 6;
  const below = (width) => 46 + 13 * (nameLines(a, wideOf(width)) - 1);
  const head = (width) => (lines ? 18 + 22 * legendRows(shownLines, width, 30) : 24);
  const layout = (width) => {
    const columns = columnsOf(width);
    const wide = wideOf(width);
    return panels.map((_, i) => ({left: left + (i % columns) * (wide + left + 6), width: wide,
      top: head(width) + titles + Math.floor(i / columns) * (height + titles + below(width)), height}));
  };
  const of = (value) => cells.filter((c) => c.panel === value);
  const ranges = panels.map((value) => bounds(ownScales ? of(value) : cells));
  return sweepFigure(view, cells, {
    id, title,
    height: (width) => head(width) + Math.ceil(panels.length / columnsOf(width)) * (height + titles + below(width)),
    renderer: cells.length > 400 ? "canvas" : "svg",
    summary: `${view.metric} over ${view.x}${lines ? `, one line a value of ${view.by}` : ""}` +
      `${view.panel ? `, one panel a value of ${view.panel}` : ""}: ${extremesInWords(view, cells)}.${missingInWords(cells)}`,
    option: (width) => {
      const grids = layout(width);
      return {
        legend: lines ? lineLegend({top: 0, left: 0, right: 0, itemWidth: 30, itemGap: 18, data: shownLines}) : undefined,
        title: view.panel ? panels.map((value, i) => ({text: `${view.panel} ${axisNamed(view.panel).values[value]}`, left: grids[i].left - 5,
          top: grids[i].top - titles - 1, textStyle: {color: colour("ink"), fontSize: 13, fontWeight: 600, width: grids[i].width, overflow: "break"}})) : undefined,
        grid: grids.map((g) => ({outerBoundsMode: "none", ...g})),
        tooltip: lineTooltip(view),
        xAxis: grids.map((g, i) => xAxisOf(a, g.width, {gridIndex: i, axisLine: {onZero: false}})),
        yAxis: grids.map((_, i) => axis({type: "value", gridIndex: i, ...ranges[i], axisLine: {show: false, onZero: false}, ...(view.panel ? {} : unitName(view.metric)),
          axisLabel: {formatter: (v) => tick(view.metric, v)}})),
        series: panels.flatMap((value, i) => lineSeries(view, of(value), i, grids[i].width)),
      };
    },
  });
}

function sweepLines() {
  const {metric, x, by} = sweepView;
  const view = {metric, x, by, panel: null, where: whereBut([x, by])};
  const cells = sweepCells(view);
  const rest = sweepRest([x, by]);
  return [
    el("p", {class: "lead"}, `Means over the replications; the ${axisNamed(x).numbers === null ? "whiskers are" : "band is"} ` +
      `the 95% confidence interval${rest ? `. Here: ${rest}` : ""}.`),
    cells.length === 0 ? nothingToShow() : !metricVaries(metric) ? constantInWords(metric)
      : linesFigure({id: "sweep-lines", title: `${metric} over ${x}${by ? ` by ${by}` : ""}`, view, cells, height: 330, columnsOf: () => 1}),
  ];
}

/** As many columns as fit, but fewer when the rows are then as many: five are three and two rather than four and one. */
const evenColumns = (count, most) => Math.ceil(count / Math.ceil(count / most));

function sweepPanels() {
  const {metric, x, by, panel} = sweepView;
  const over = panel ?? by;
  if (over === null) return null;
  const view = {metric, x, by: panel ? by : null, panel: over, where: whereBut([x, by, over])};
  const cells = sweepCells(view);
  const rest = sweepRest([x, view.by, over]);
  const values = new Set(cells.map((c) => c.panel)).size;
  const shown = Math.min(values, panelsMax);
  const own = sweepView.scales === "own";
  const controls = el("div", {class: "controls"}, choice("Scales", ["all the same", "each its own"], own ? 1 : 0, (i) => {
    sweepView.scales = i === 1 ? "own" : "";
    keepSweepHash();
    drawSweepFigures();
  }, "sweep-scales"));
  return {controls, content: [
    el("p", {class: "lead"}, `The same, one panel a value of ${over}, ${own ? "each of a scale of its own" : "all of one scale"}` +
      `${values > shown ? `; the first ${shown} of ${values}` : ""}${rest ? `. Here: ${rest}` : ""}.`),
    cells.length === 0 ? nothingToShow() : !metricVaries(metric) ? constantInWords(metric)
      : linesFigure({id: "sweep-panels", title: `${metric} over ${x}${view.by ? ` by ${view.by}` : ""}, panels by ${over}`, view, cells, height: 170, ownScales: own,
        columnsOf: (width) => evenColumns(shown, Math.max(1, Math.min(4, Math.floor(width / 290))))}),
  ]};
}
