/* A sweep's page: what was varied, figures that share their selectors, and tables. */

function sweepOverview() {
  const finished = sweep.keys.length - sweep.unfinished.length;
  const kinds = (a) => (a.numbers === null ? "names" : "numbers");
  const values = (a) => (a.values.length <= 12 ? a.values.join(", ")
    : `${a.values.slice(0, 5).join(", ")}, … ${a.values.slice(-2).join(", ")}`);
  return [
    el("p", {class: "lead"}, finished === sweep.keys.length ? `All ${plural(finished, "point")} are finished.`.replace("All 1 point are", "The one point is")
      : `${number(finished)} of ${plural(sweep.keys.length, "point")} are finished.`,
    sweep.seeds.length > 0 ? ` The seeds are ${sweep.seeds.length > 3 ? `${sweep.seeds[0]} to ${sweep.seeds.at(-1)}` : sweep.seeds.join(", ")}.` : "",
    sweep.seeds.length > 0 ? " Every point has the same seeds, so that differences between points are not those between seeds." : ""),
    table([{title: "Axis", class: "name"}, {title: "values", number: true}, {title: "of"}, {title: "which"}],
      sweep.axes.map((a) => [a.name, number(a.values.length), kinds(a), values(a)]), {label: "Axes"}),
    sweep.metrics.some((m) => m.summed) ? el("p", {class: "faint"}, "To stay small, this page has means, intervals and quartiles of each point rather than " +
      "every replication. Where points are averaged, the interval is the mean of theirs: too wide rather than too narrow.") : null,
    sweep.leftOut.length > 0 ? el("p", {class: "faint"}, `This page leaves out ${plural(sweep.leftOut.length, "metric")} to stay small; ` +
      `results.csv has them: ${sweep.leftOut.slice(0, 8).join(", ")}${sweep.leftOut.length > 8 ? ", …" : ""}.`) : null,
  ];
}

function sweepConfiguration() {
  return [el("p", {class: "lead"}, "Running this again gives the same numbers."),
    el("details", {}, el("summary", {}, "sweep.yaml"), el("pre", {tabindex: "0"}, sweep.configuration))];
}

const sweepFigures = [
  ["sweep-lines-part", "Lines", sweepLines],
  ["sweep-panels-part", "Panel by panel", sweepPanels],
  ["sweep-heat-part", "Two axes at once", sweepHeat],
  ["sweep-boxes-part", "Over the replications", sweepBoxes],
  ["sweep-against-part", "Against one point", sweepAgainst],
];
const sweepParts = [
  ["sweep-best-part", "The best points", sweepBest],
  ["sweep-points-part", "All points", sweepPoints],
  ["sweep-configuration", "Configuration", sweepConfiguration],
];

let sweepTurn = 0;  // how often the figures were drawn anew

/** Draws what is in the window now, and the rest when the browser has time, one chart after the other. */
function startSweepCharts() {
  const turn = ++sweepTurn;
  const starts = sweepStarts;
  sweepStarts = [];
  const near = ({box}) => {
    const {top, bottom} = box.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  };
  const seen = starts.filter(near);
  const later = starts.filter((one) => !seen.includes(one));
  seen.forEach(({start}) => start());
  const next = () => {
    if (turn !== sweepTurn || later.length === 0) return;
    later.shift().start();
    setTimeout(next);
  };
  setTimeout(next);
}

/** The selectors and the figures anew; the focus stays on what was used. */
function drawSweepFigures() {
  const focused = document.activeElement?.id;
  const box = document.getElementById("sweep-figures");
  dropCharts(box);
  box.style.minHeight = `${box.offsetHeight}px`;  // or the window would scroll while there is less
  box.replaceChildren(sweepControls(() => {
    keepSweepHash();
    drawSweepFigures();
  }), ...sweepFigures.map(renderSection).filter(Boolean));
  box.style.minHeight = "";
  startSweepCharts();
  drawSweepContents();
  if (focused) document.getElementById(focused)?.focus({preventScroll: true});
}

/** Links to the parts; the address keeps what the selectors say, so they only scroll. */
function drawSweepContents() {
  const sections = [...document.querySelectorAll("main section")];
  document.getElementById("contents").replaceChildren(...sections.map((section) =>
    el("a", {href: `#${section.id}`, onclick: (e) => {
      e.preventDefault();
      section.scrollIntoView();
      section.setAttribute("tabindex", "-1");
      section.focus({preventScroll: true});
    }}, section.querySelector("h2").textContent)));
}

function renderSweep() {
  readSweepHash();
  const main = document.getElementById("main");
  dropCharts(main);
  document.title = `${sweep.name} – berth`;
  document.getElementById("title").textContent = sweep.name;
  document.getElementById("answer").replaceChildren(...answerOfSweep(sweep.answer).flat().filter(Boolean));
  const figures = sweep.metrics.length > 0;
  main.replaceChildren(...[renderSection(["sweep-overview", "What was varied", sweepOverview]),
    figures ? el("div", {id: "sweep-figures"}) : null,
    ...sweepParts.filter(([id]) => figures || id === "sweep-configuration").map(renderSection)].filter(Boolean));
  if (figures) {
    drawSweepFigures();
  } else {
    drawSweepContents();
  }
}

function startSweep() {
  document.querySelector(".skip").addEventListener("click", (e) => {
    e.preventDefault();
    const main = document.getElementById("main");
    main.setAttribute("tabindex", "-1");
    main.focus();
  });
  window.addEventListener("hashchange", renderSweep);
  renderSweep();
}
