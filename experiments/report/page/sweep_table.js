/* Tables of a sweep: its points with all metrics, filtered and sorted; and where each metric is best. */

const pointRowsShown = 25;
const metricColumnsMax = 100;

/** Metrics that differ somewhere come first in tables. */
const metricVaries = (name) => {
  const means = sweepMeansOf(name).filter(Boolean).map((s) => s.mean);
  return means.some((mean) => mean !== means[0]);
};

/**
 * Whether a point passes all terms of a filter, separated by spaces: `policy=pack`, `load>=0.5`,
 * `wait_s_mean<60` for axes and metrics, or a part of an axis' value.
 */
function pointFilter(text) {
  const terms = text.trim().split(/\s+/).filter(Boolean).map((term) => {
    const [, name, sign, wanted] = /^(.+?)(<=|>=|!=|=|<|>)(.*)$/.exec(term) ?? [];
    const a = name && axisNamed(name);
    const metric = name && !a && sweep.metrics.some((m) => m.name === name);
    if (!a && !metric) {
      const part = term.toLowerCase();
      return (p) => sweep.axes.some((each) => each.values[each.points[p]].toLowerCase().includes(part));
    }
    const valueOf = (p) => (a ? a.values[a.points[p]] : sweepMeansOf(name)[p]?.mean ?? NaN);
    const numeric = metric || a.numbers !== null;
    const limit = Number(wanted);
    const compare = {
      "=": (v) => (numeric ? Number(v) === limit : v === wanted),
      "!=": (v) => (numeric ? Number(v) !== limit : v !== wanted),
      "<": (v) => Number(v) < limit, "<=": (v) => Number(v) <= limit,
      ">": (v) => Number(v) > limit, ">=": (v) => Number(v) >= limit,
    }[sign];
    return (p) => wanted === "" || compare(valueOf(p));
  });
  return (p) => terms.every((term) => term(p));
}

/** The points that pass the filter, in the wanted order: `NAME` ascending, `-NAME` descending. */
function wantedPoints() {
  const passes = pointFilter(sweepView.filter);
  const points = [...sweep.keys.keys()].filter(passes);
  const descending = sweepView.sort.startsWith("-");
  const name = descending ? sweepView.sort.slice(1) : sweepView.sort;
  const a = axisNamed(name);
  const metric = !a && sweep.metrics.some((m) => m.name === name);
  if (!a && !metric) return points;
  const valueOf = a ? (p) => a.points[p] : (p) => sweepMeansOf(name)[p]?.mean ?? null;
  const sign = descending ? -1 : 1;
  return points.sort((p, q) => {
    const [v, w] = [valueOf(p), valueOf(q)];
    if (v === null || w === null) return (v === null) - (w === null) || p - q;  // what has no value comes last
    return sign * (v - w) || p - q;
  });
}

function wantedMetrics() {
  const part = sweepView.names.trim().toLowerCase();
  const names = sweep.metrics.map((m) => m.name);
  const fitting = part === "" ? [...names.filter(metricVaries), ...names.filter((name) => !metricVaries(name))]
    : names.filter((name) => name.toLowerCase().includes(part));
  return {shown: fitting.slice(0, metricColumnsMax), all: fitting.length};
}

function sortHead(name, isNumber, redraw) {
  const ascending = sweepView.sort === name;
  const descending = sweepView.sort === `-${name}`;
  return el("th", {scope: "col", class: isNumber ? "number" : null, "aria-sort": ascending ? "ascending" : descending ? "descending" : "none"},
    el("button", {type: "button", class: "sort", onclick: () => {
      sweepView.sort = ascending ? `-${name}` : descending ? "" : name;
      redraw(name);
    }}, `${name}${ascending ? " ▲" : descending ? " ▼" : ""}`));
}

function pointsTable(points, metrics, redraw) {
  const shown = points.slice(sweepView.page * pointRowsShown, (sweepView.page + 1) * pointRowsShown);
  const unfinished = new Set(sweep.unfinished);
  const head = el("tr", {}, el("th", {scope: "col", class: "number"}, "point"),
    sweep.axes.map((a) => sortHead(a.name, a.numbers !== null, redraw)), metrics.map((name) => sortHead(name, true, redraw)));
  const rows = shown.map((p) => el("tr", {},
    el("th", {scope: "row", class: "number", title: `points/${sweep.keys[p]}`}, number(p)),
    sweep.axes.map((a) => el("td", {class: a.numbers !== null ? "number" : null}, a.values[a.points[p]])),
    unfinished.has(p) ? el("td", {class: "faint", colspan: metrics.length}, "not finished")
      : metrics.map((name) => {
        const s = sweepMeansOf(name)[p];
        return el("td", {class: "number"}, s ? withInterval(name, s.mean, s.ci95) : "–");
      })));
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Points"},
    el("table", {class: "points", "aria-label": "Points"}, el("thead", {}, head), el("tbody", {}, rows)));
}

/** The axes stay in view while the metrics are scrolled, if that leaves room for them. */
function holdAxes(box) {
  const heads = [...(box?.querySelectorAll("thead th") ?? [])].slice(0, 1 + sweep.axes.length);
  const last = heads.at(-1);
  if (!last || last.offsetLeft + last.offsetWidth > box.clientWidth * 0.5) return;
  const places = heads.map((head) => head.offsetLeft);
  for (const row of box.querySelectorAll("tr")) {
    places.forEach((place, i) => {
      row.children[i].classList.add("held");
      row.children[i].style.left = `${place}px`;
    });
  }
}

/** A button that saves a table: its titles, and its rows in full. */
const saveButton = (name, titles, rows) => el("button", {type: "button", class: "csv", "aria-label": `CSV: ${name}`,
  onclick: () => download(`${sweep.name}-${name}.csv`, csvOf(titles().map((title) => ({title})), rows))}, "CSV");

/** All points that pass the filter, with the means and intervals of the metrics that are shown. */
const savePoints = () => saveButton("points",
  () => ["point", "key", ...sweep.axes.map((a) => a.name), ...wantedMetrics().shown.flatMap((name) => [name, `${name} ci95`])],
  () => wantedPoints().map((p) => [p, sweep.keys[p], ...sweep.axes.map((a) => a.values[a.points[p]]),
    ...wantedMetrics().shown.map((name) => sweepMeansOf(name)[p]).flatMap((s) => (s ? [s.mean, s.ci95] : ["", ""]))]));

function sweepPoints() {
  const body = el("div", {id: "sweep-points-body"});
  const draw = (focusName) => {
    const points = wantedPoints();
    const {shown, all} = wantedMetrics();
    const pages = Math.max(1, Math.ceil(points.length / pointRowsShown));
    sweepView.page = Math.min(sweepView.page, pages - 1);
    const first = sweepView.page * pointRowsShown;
    const turn = (by) => el("button", {type: "button", id: by < 0 ? "points-before" : "points-after",
      disabled: sweepView.page + by < 0 || sweepView.page + by >= pages, onclick: (e) => {
        sweepView.page += by;
        const {id} = e.currentTarget;
        draw();
        document.getElementById(id).focus();
      }}, by < 0 ? "Previous" : "Next");
    body.replaceChildren(
      el("p", {class: "tally", role: "status"}, points.length === sweep.keys.length ? plural(points.length, "point")
        : `${number(points.length)} of ${plural(sweep.keys.length, "point")}`,
      all > shown.length ? `; ${number(shown.length)} of ${plural(all, "metric")}: narrow them down by a part of their name` : ""),
      pointsTable(points, shown, draw),
      el("div", {class: "controls pages"}, turn(-1),
        el("span", {class: "faint"}, points.length === 0 ? "no rows"
          : `rows ${number(first + 1)} to ${number(Math.min(first + pointRowsShown, points.length))} of ${number(points.length)}`),
        turn(1), savePoints()));
    keepSweepHash();
    requestAnimationFrame(() => holdAxes(body.querySelector(".scroll")));
    if (typeof focusName === "string") {
      [...body.querySelectorAll("button.sort")].find((b) => b.textContent.replace(/ [▲▼]$/, "") === focusName)?.focus();
    }
  };
  const input = (key, id, placeholder) => el("input", {type: "search", id, placeholder, value: sweepView[key], oninput: (e) => {
    sweepView[key] = e.target.value;
    sweepView.page = 0;
    draw();
  }});
  draw();
  const a = sweep.axes[0];
  return {
    controls: el("div", {class: "controls"},
      el("label", {}, "Filter", input("filter", "points-filter", `${a.name}${a.numbers === null ? "=" : ">"}${a.values[0]}`)),
      el("label", {}, "Metrics", input("names", "points-names", "part of a name"))),
    content: [el("p", {class: "lead"}, "Means over the replications ± half of the 95% confidence interval, by Student's t over them; a heading sorts. A filter is a part of a value, " +
      `or conditions on axes and metrics such as ${a.name}=${a.values[0]}, ${sweepView.metric}>0; spaces between them mean “and”. ` +
      "Pointing at a point's number tells its folder, as the CSV does."), body],
  };
}

/** For each metric the points with the least and the greatest mean. */
function sweepBest() {
  const names = sweep.metrics.map((m) => m.name).filter(metricVaries);
  if (names.length === 0) return null;
  const place = (p) => sweep.axes.filter((a) => a.values.length > 1).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");
  const rows = names.map((name) => {
    const known = sweepMeansOf(name).map((s, p) => ({s, p})).filter(({s}) => s);
    const least = known.reduce((a, b) => (b.s.mean < a.s.mean ? b : a));
    const most = known.reduce((a, b) => (b.s.mean > a.s.mean ? b : a));
    const more = ({s: {mean}}) => known.filter(({s}) => s.mean === mean).length - 1;
    const at = (one) => `${place(one.p)}${more(one) > 0 ? ` and ${more(one)} more` : ""}`;
    return {name, least, most, leastAt: at(least), mostAt: at(most)};
  });
  const value = (name, {s}) => withInterval(name, s.mean, s.ci95);
  const box = table([{title: "Metric", class: "name"}, {title: "least", number: true}, {title: "at", class: "place"},
    {title: "greatest", number: true}, {title: "at", class: "place"}],
    () => rows.map(({name, least, most, leastAt, mostAt}) => [plain ? name : el("code", {}, defined(name)), value(name, least), leastAt, value(name, most), mostAt]), {label: "Best points", shown: 12});
  return [
    el("p", {class: "lead"}, "The points with the least and with the greatest mean of each metric; the first, and how many more are equal. " +
      "Neighbours may differ from them by chance alone: see the intervals."),
    box,
    saveButton("best-points", () => ["metric", "least", "least ci95", "least at", "greatest", "greatest ci95", "greatest at"],
      () => rows.map(({name, least, most, leastAt, mostAt}) => [name, least.s.mean, least.s.ci95, leastAt, most.s.mean, most.s.ci95, mostAt])),
  ];
}
