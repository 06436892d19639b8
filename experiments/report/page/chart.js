/* Charts: the look that all of them share, and figures with their words and tables. */

const palette = () => [1, 2, 3, 4, 5, 6, 7].map((i) => colour(`series-${i}`));
const fontFamily = () => getComputedStyle(document.body).fontFamily;

const axis = (more = {}) => ({
  axisLine: {lineStyle: {color: colour("line")}, ...more.axisLine},
  axisTick: {show: false},
  axisLabel: {color: colour("muted"), fontSize: 12, hideOverlap: true, ...more.axisLabel},
  nameTextStyle: {color: colour("muted"), fontSize: 12, ...more.nameTextStyle},
  splitLine: {lineStyle: {color: colour("line"), opacity: 0.7}, ...more.splitLine},
  ...Object.fromEntries(Object.entries(more).filter(([key]) =>
    !["axisLine", "axisLabel", "nameTextStyle", "splitLine"].includes(key))),
});

const tooltip = (more = {}) => ({
  confine: true,
  backgroundColor: colour("surface"),
  borderColor: colour("line"),
  textStyle: {color: colour("ink"), fontSize: 13, fontFamily: fontFamily()},
  ...more,
});

const legend = (more = {}) => ({
  textStyle: {color: colour("muted"), fontSize: 13},
  inactiveColor: colour("line"),
  icon: "roundRect",
  itemWidth: 14,
  itemHeight: 9,
  ...more,
});

/** How many rows a legend takes that does not scroll. */
function legendRows(names, width, icon = 14, gap = 18) {
  let rows = 1;
  let x = 0;
  for (const name of names) {
    const wide = icon + 6 + 7.3 * name.length + gap;
    if (x > 0 && x + wide > width) {
      ++rows;
      x = 0;
    }
    x += wide;
  }
  return rows;
}

/** A name in lines of at most so many pixels, broken behind its separators: nothing is left out. */
function wrapped(text, width, letter = 6.8) {
  const most = Math.max(4, Math.floor(width / letter));
  const lines = [""];
  for (const part of String(text).split(/(?<=[\s_/\-,.:])/)) {
    if (lines.at(-1).length > 0 && lines.at(-1).length + part.trimEnd().length > most) lines.push("");
    let rest = part;
    while (rest.length > most) {
      lines[lines.length - 1] += rest.slice(0, most);
      rest = rest.slice(most);
      lines.push("");
    }
    lines[lines.length - 1] += rest;
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

const linesOf = (names, width) => Math.max(...names.map((name) => wrapped(name, Math.max(28, width)).split("\n").length));

/** Labels of names beside or below an axis. */
const nameLabels = (width, more = {}) => ({interval: 0, hideOverlap: false, lineHeight: 13, formatter: (text) => wrapped(text, width), ...more});

/** Of lines: each as it is drawn, with its dashes and points. */
const lineLegend = (more = {}) => legend({icon: undefined, itemWidth: 28, itemHeight: 10, ...more});
/** Of lines without points. */
const plainLineLegend = (more = {}) => lineLegend({itemStyle: {opacity: 0}, ...more});

const sliderColours = () => ({
  borderColor: colour("line"),
  backgroundColor: "transparent",
  fillerColor: mixedAlpha(colour("bar"), 0.18),
  dataBackground: {lineStyle: {color: colour("line")}, areaStyle: {color: colour("line"), opacity: 0.5}},
  selectedDataBackground: {lineStyle: {color: colour("bar")}, areaStyle: {color: colour("bar"), opacity: 0.25}},
  handleStyle: {color: colour("surface"), borderColor: colour("muted")},
  moveHandleStyle: {color: colour("line")},
  emphasis: {handleStyle: {borderColor: colour("accent")}, moveHandleStyle: {color: colour("muted")}},
  textStyle: {color: colour("muted")},
});

const mixedAlpha = (hex, alpha) => hex + Math.round(alpha * 255).toString(16).padStart(2, "0");

/**
 * A figure with a chart, its summary in words, and its data as a table for those who want to
 * read it. `spec`: {id, title, height, renderer, option(width), summary, columns, rows(), class}; {csv: {columns, rows}}
 * when there is more to save than to read.
 * `option` is asked again whenever the theme or the width changes. Instead of an ECharts option, a
 * figure may have `make(box)`, which gives a chart of its own: {getDom, getOption, resize, draw, dispose}.
 */
function figure(spec) {
  const box = el("div", {class: "chart", role: spec.role ?? "img", id: `chart-${spec.id}`,
    "aria-label": `${spec.title ?? ""}. ${spec.summary}`});
  const details = el("details", {class: "data"}, el("summary", {}, "The data as a table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      details.append(table(spec.columns, spec.rows, {label: spec.title ?? spec.id}));
    }
  });
  const csv = () => csvOf(spec.csv?.columns ?? spec.columns, spec.csv?.rows ?? spec.rows);
  const save = el("button", {type: "button", class: "csv", "aria-label": `CSV: the data of ${spec.title ?? spec.id}`,
    onclick: () => download(`${document.getElementById("title").textContent}-${spec.id}.csv`, csv())}, "CSV");
  const node = el("figure", {class: spec.class},
    spec.title ? el("h3", {}, spec.title) : null, spec.before, box, spec.after,
    el("figcaption", {}, spec.caption ?? spec.summary), el("div", {class: "data-line"}, details, save));
  waiting.push(() => {
    const size = () => (typeof spec.height === "function" ? spec.height(box.clientWidth) : spec.height);
    box.style.height = `${size()}px`;
    const chart = spec.make ? spec.make(box) : echarts.init(box, null, {renderer: spec.renderer ?? "svg"});
    const draw = () => {
      box.style.height = `${size()}px`;
      chart.resize();
      if (spec.make) return chart.draw();
      return chart.setOption({animation: false, aria: {enabled: false}, color: palette(),
        textStyle: {fontFamily: fontFamily()}, ...spec.option(box.clientWidth)}, {notMerge: true});
    };
    draw();
    charts.set(spec.id, chart);
    chart.redraw = draw;
    chart.csv = csv;
    let width = box.clientWidth;
    chart.observer = new ResizeObserver(() => {
      if (box.clientWidth !== width && box.clientWidth > 0) {
        width = box.clientWidth;
        draw();
      }
    });
    chart.observer.observe(box);
  });
  return node;
}

function download(name, text) {
  const link = el("a", {href: URL.createObjectURL(new Blob([text], {type: "text/csv"})), download: name.replace(/[^\w.-]+/g, "-")});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

let waiting = [];  // charts whose box is not in the page yet
