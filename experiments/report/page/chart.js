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
      const rows = spec.rows();
      details.append(table(spec.columns, rows.slice(0, 500), {label: spec.title}));
      if (rows.length > 500) {
        details.append(el("p", {class: "faint"}, `and ${number(rows.length - 500)} more rows`));
      }
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
