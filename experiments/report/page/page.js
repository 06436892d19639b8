/* Puts the parts together. CMakeLists.txt joins the files of this folder into one script, this one last; page.html
   gives it a scope of its own. A part is a function of a run that returns its content, or null when there is
   nothing to show. */

const sections = [
  ["claims", "Claims", claims],
  ["cluster", "The cluster", clusterSection],
  ["film", "The cluster over time", filmSection],
  ["levels", "Level by level", levelsSection],
  ["gantt", "Pods over time", ganttSection],
  ["locality", "How near GPUs are", localitySection],
  ["server", "Inside a server", serverSection],
  ["groups", "Groups", groupsSection],
  ["quotas", "Quotas", quotasSection],
  ["device-compare", "GPU allocation side by side", deviceCompareSection],
  ["sharing", "How GPUs are used", sharingSection],
  ["compare", "The runs side by side", compareSection],
  ["differences", "Is the difference real?", differencesSection],
  ["quota-waits", "Wait by quota", quotaWaitsSection],
  ["cumulative", "Waits and completion times", cumulativeSection],
  ["distributions", "Distributions", distributionsSection],
  ["series", "Over time", seriesSection],
  ["waiting", "Why pods wait", waitingSection],
  ["metrics", "Metrics", metricsSection],
  ["configuration", "Configuration", configurationSection],
  ["origin", "How it was made", originSection],
];

/** Runs are named by their experiments, or where these are alike by their folders. */
const runNames = (() => {
  const differ = (names) => new Set(names).size === names.length;
  const wanted = [data.runs.map((run) => run.experiment), data.runs.map((run) => run.directory)].find(differ);
  return wanted ?? data.runs.map((run, i) => `${run.directory} (${i + 1})`);
})();

function renderSection([id, title, make]) {
  const made = make(data.runs[state.run]);
  if (!made) return null;
  const {controls, content} = Array.isArray(made) ? {content: made} : made;
  return el("section", {id, "aria-labelledby": `${id}-title`},
    el("div", {class: "head"}, el("h2", {id: `${id}-title`}, title),
      controls && controls.childNodes.length > 0 ? controls : null),
    content.filter(Boolean));
}

function startCharts() {
  const start = waiting;
  waiting = [];
  start.forEach((run) => run());
}

function dropCharts(within) {
  for (const [id, chart] of charts) {
    if (within.contains(chart.getDom())) {
      chart.observer.disconnect();
      chart.dispose();
      charts.delete(id);
    }
  }
}

/** Renders some sections anew and keeps the focus where it was. */
function redrawSections(ids) {
  const focused = document.activeElement?.id;
  for (const section of sections.filter(([id]) => ids.includes(id))) {
    const old = document.getElementById(section[0]);
    dropCharts(old);
    old.replaceWith(renderSection(section));
  }
  startCharts();
  if (focused) document.getElementById(focused)?.focus();
}

function render() {
  const run = data.runs[state.run];
  const main = document.getElementById("main");
  dropCharts(main);
  const made = sections.map(renderSection).filter(Boolean);
  main.replaceChildren(...made);
  const name = data.runs.length === 2 ? `${runNames[1]} against ${runNames[0]}`
    : data.runs.length > 2 ? `${number(data.runs.length - 1)} runs against ${runNames[0]}` : run.experiment;
  document.title = `${name} – berth`;
  document.getElementById("title").textContent = name;
  document.getElementById("answer").replaceChildren(...answerOfRuns(run).flat().filter(Boolean));
  document.getElementById("contents").replaceChildren(...made.map((section) =>
    el("a", {href: `#${section.id}`}, section.querySelector("h2").textContent)));
  startCharts();
}

// Theme: what the system says, until the reader says otherwise.
const themeButton = document.getElementById("theme");
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
let wanted = null;
try {
  wanted = localStorage.getItem("berth-theme");
} catch {
  // A browser may keep nothing for pages from a file.
}
function applyTheme() {
  const dark = wanted ? wanted === "dark" : systemDark.matches;
  root.dataset.theme = dark ? "dark" : "light";
  root.style.colorScheme = root.dataset.theme;
  themeButton.textContent = dark ? "Light" : "Dark";
  for (const chart of charts.values()) {
    chart.redraw();
  }
}
themeButton.addEventListener("click", () => {
  wanted = root.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("berth-theme", wanted);
  } catch {
    // As above: the choice then lasts as long as the page.
  }
  applyTheme();
});
systemDark.addEventListener("change", applyTheme);

if (data.runs.length > 1) {
  const select = document.getElementById("run");
  select.append(...runNames.map((name, i) => el("option", {value: i}, name)));
  select.closest("label").hidden = false;
  select.addEventListener("change", () => {
    Object.assign(state, {run: Number(select.value), view: 0, resource: data.runs[Number(select.value)].cluster?.paid ?? 0, distribution: 0, series: "all", quota: null, server: 0, serverTime: null, filmPart: null, filmMoment: null, ganttWay: 0});
    render();
  });
}
applyTheme();
startDefinitions();
if (sweep) {
  startSweep();
} else {
  render();
}
