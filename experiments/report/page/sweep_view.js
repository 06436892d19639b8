/* What a sweep's figures show: the selectors, and the address that holds their state. */

const sweepView = {metric: null, x: null, by: null, panel: null, where: {}, filter: "", sort: "", page: 0, names: "", scales: "", against: 0};

const quotedIn = (text) => encodeURIComponent(text).replace(/%20/g, "+");

/** The address of what is shown, so that a link shows the same. */
function sweepHash() {
  const {metric, x, by, panel, where, filter, sort, page, names, scales, against} = sweepView;
  const parts = [["metric", metric], ["x", x], ["by", by ?? ""], ["panel", panel ?? ""],
    ...Object.entries(where).map(([name, value]) => [`where.${name}`, value])];
  for (const [key, value] of [["filter", filter], ["sort", sort], ["page", page > 0 ? String(page + 1) : ""], ["names", names], ["scales", scales],
    ["against", against > 0 ? String(against) : ""]]) {
    if (value !== "") parts.push([key, value]);
  }
  return `#${parts.map(([key, value]) => `${quotedIn(key)}=${quotedIn(value)}`).join("&")}`;
}

function keepSweepHash() {
  history.replaceState(null, "", sweepHash());
}

/** Takes over what the address says, as far as this sweep has it; the rest is as it opens. */
function readSweepHash() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const {defaults} = sweep;
  const oneOf = (text, names, otherwise) => (names.includes(text) ? text : otherwise);
  const axes = sweep.axes.map((a) => a.name);
  const axisOr = (key, otherwise) => (wanted.get(key) === "" ? null : oneOf(wanted.get(key), axes, otherwise));
  const metrics = sweep.metrics.map((m) => m.name);
  sweepView.metric = oneOf(wanted.get("metric"), metrics, oneOf(defaults.metric, metrics, metrics[0]));
  sweepView.x = axisOr("x", defaults.x) ?? defaults.x;
  sweepView.by = axisOr("by", defaults.by);
  sweepView.panel = axisOr("panel", defaults.panel);
  sweepView.where = {};
  for (const a of sweep.axes) {
    const value = wanted.get(`where.${a.name}`);
    if (a.values.includes(value)) sweepView.where[a.name] = value;
  }
  for (const key of ["filter", "sort", "names", "scales"]) sweepView[key] = wanted.get(key) ?? "";
  sweepView.against = Number(wanted.get("against")) || 0;
  sweepView.page = Math.max(0, (Number(wanted.get("page")) || 1) - 1);
  if (sweepView.by === sweepView.x) sweepView.by = null;
  if ([sweepView.x, sweepView.by].includes(sweepView.panel)) sweepView.panel = null;
}

/** Gives an axis a role. The role that it had, if any, goes to the axis that loses this one. */
function setRole(role, name) {
  const before = sweepView[role];
  for (const other of ["x", "by", "panel"]) {
    if (other !== role && name !== null && sweepView[other] === name) sweepView[other] = before;
  }
  sweepView[role] = name;
  if (sweepView.x !== null) return;
  const free = otherAxes([sweepView.by, sweepView.panel]);
  if (free.length > 0) {
    sweepView.x = free[0].name;
    return;
  }
  const giver = role === "by" ? "panel" : "by";  // two axes: the figures are over one of them
  sweepView.x = sweepView[giver];
  sweepView[giver] = null;
}

/** What holds of the axes that a figure does not draw: "size 30; seeds averaged". */
function sweepRest(drawn) {
  const rest = otherAxes(drawn);
  if (rest.length === 0) return "";
  return rest.map((a) => (a.name in sweepView.where ? `${a.name} ${sweepView.where[a.name]}`
    : `averaged over ${a.name} (${a.values.length} values)`)).join("; ");
}

/** The filters that hold for a figure: those of axes that it does not draw. */
const whereBut = (drawn) => Object.fromEntries(Object.entries(sweepView.where).filter(([name]) => !drawn.includes(name)));

/** Select boxes for the metric, the axes' roles, and the values of what is left. */
function sweepControls(change) {
  const axes = sweep.axes.filter((a) => a.values.length > 1 || sweep.axes.length === 1).map((a) => a.name);
  const metrics = sweep.metrics.map((m) => m.name);
  const setAxis = (role, name) => {
    setRole(role, name);
    change();
  };
  const roles = [
    choice("Metric", metrics, metrics.indexOf(sweepView.metric), (i) => {
      sweepView.metric = metrics[i];
      change();
    }, "sweep-metric"),
    choice("Over", axes, axes.indexOf(sweepView.x), (i) => setAxis("x", axes[i]), "sweep-x"),
  ];
  if (axes.length > 1) {
    const withNone = ["–", ...axes];
    for (const [title, key] of [["Lines", "by"], ["Panels", "panel"]]) {
      roles.push(choice(title, withNone, axes.indexOf(sweepView[key]) + 1, (i) => setAxis(key, i === 0 ? null : axes[i - 1]), `sweep-${key}`));
    }
  }
  const rest = otherAxes([sweepView.x, sweepView.by]);
  const filters = rest.map((a) => choice(a.name, ["averaged", ...a.values],
    a.name in sweepView.where ? a.values.indexOf(sweepView.where[a.name]) + 1 : 0, (i) => {
      if (i === 0) delete sweepView.where[a.name];
      else sweepView.where[a.name] = a.values[i - 1];
      change();
    }, `sweep-where-${sweep.axes.indexOf(a)}`));
  return el("form", {class: "sweep-controls", "aria-label": "What the figures show", onsubmit: (e) => e.preventDefault()},
    el("div", {class: "controls"}, roles),
    filters.length > 0 ? el("div", {class: "controls"}, el("span", {class: "faint"}, "With"), filters) : null);
}

let sweepStarts = [];  // {box, start} of charts that are not drawn yet

/** A figure of cells, whose table is that of `berth plot ... -o FILE.csv`. Its box has its height at once, so that nothing jumps when the chart is drawn. */
function sweepFigure(view, cells, spec) {
  const node = figure({...spec, columns: cellColumns(view), rows: () => cellTable(view, cells)});
  const box = node.querySelector(".chart");
  const width = document.getElementById("sweep-figures").clientWidth;
  box.style.height = `${typeof spec.height === "function" ? spec.height(width) : spec.height}px`;
  sweepStarts.push({box, start: waiting.pop()});
  return node;
}

const axesOf = ({x, by, panel}) => [["panel", panel], ["by", by], ["x", x]].filter(([, name]) => name);

const cellColumns = (view) => [
  ...axesOf(view).map(([, name]) => ({title: name, number: axisNamed(name).numbers !== null})),
  ...["mean", "ci95", "sd", "min", "lower quartile", "median", "upper quartile", "max", "replications", "points"]
    .map((title) => ({title: title === "mean" ? view.metric : title, number: true}))];

const cellTable = (view, cells) => cells.map((c) => [
  ...axesOf(view).map(([key, name]) => axisNamed(name).values[c[key]]),
  ...[c.mean, c.ci95, c.sd, c.min, c.q1, c.median, c.q3, c.max].map((v) => inUnit(view.metric, v)), number(c.n), number(c.points)]);

/** Where the least and the greatest mean are, in words. */
function extremesInWords(view, cells) {
  const {metric} = view;
  const at = (c) => axesOf(view).map(([key, name]) => `${name} ${axisNamed(name).values[c[key]]}`).join(", ");
  const least = cells.reduce((a, b) => (b.mean < a.mean ? b : a));
  const most = cells.reduce((a, b) => (b.mean > a.mean ? b : a));
  const said = (c) => `${withInterval(metric, c.mean, c.ci95)} at ${at(c)}`;
  return least.mean === most.mean ? `${metric} is ${inUnit(metric, least.mean)} everywhere`
    : `least ${said(least)}; greatest ${said(most)}`;
}

/** That marks are not averaged over as many points as others, if so. */
function missingInWords(cells) {
  const most = Math.max(...cells.map((c) => c.points));
  const fewer = cells.filter((c) => c.points < most).length;
  return fewer === 0 ? "" : ` Of ${plural(cells.length, "mark")}, ${fewer} ${fewer === 1 ? "is" : "are"} averaged over fewer than ${most} points, ` +
    "since others are not finished or have no value: compare with care.";
}

/** A metric that is the same everywhere makes no figure: it is told instead. */
const constantInWords = (metric) => el("p", {class: "faint constant"}, `${metric} does not vary: it is ${inUnit(metric, sweepMeansOf(metric).find(Boolean)?.mean)} at every point.`);

const nothingToShow = () => el("p", {class: "faint"}, "No finished point has this metric with these values.");
