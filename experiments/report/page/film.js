/* The cluster over time: how much of each server, or of each domain, is in use, at any moment. */

/** Levels of all cells at all moments, from the packed changes: one moment after the other. */
function filmFrames(film, part) {
  if (part.frames) return part.frames;
  const changes = unpacked(part.values, part.count);
  const now = new Uint8Array(film.cells);
  const frames = new Uint8Array(film.cells * film.moments);
  let next = 0;
  let wait = changes.length > 0 ? changes[0] : Infinity;
  for (let m = 0; m < film.moments; ++m) {
    for (let c = 0; c < film.cells; ++c, --wait) {
      if (wait !== 0) continue;
      now[c] += changes[next + 1];
      next += 2;
      wait = (next < changes.length ? changes[next] : Infinity) + 1;
    }
    frames.set(now, m * film.cells);
  }
  part.frames = frames;
  return frames;
}

const momentTime = (film, m) => (film.last * m) / (film.moments - 1);
const sumOver = (count, of) => {
  let sum = 0;
  for (let i = 0; i < count; ++i) sum += of(i);
  return sum;
};

/** What clusterOption() asks about cells, at the moment that is shown. */
function filmUse(cluster, film, part) {
  const frames = filmFrames(film, part);
  const none = new Array(film.cells).fill(0);
  const resource = part.resource == null ? "pods" : cluster.resources[part.resource];
  const capacity = (i) => (part.resource == null ? part.most : at(cluster.capacity[part.resource], i));
  const share = (i, m = state.filmMoment) => frames[m * film.cells + i] / film.levels;
  const whole = sumOver(film.cells, capacity);
  return {view: null, known: false, members: none, group: none, others: none, otherAmounts: none, resource, capacity, share,
    background: (i) => share(i) * capacity(i), backgroundName: "in use",
    /** Of all cells together. */
    total: (m) => (whole > 0 ? sumOver(film.cells, (i) => share(i, m) * capacity(i)) / whole : 0)};
}

function filmTooltip(cluster, use, cell) {
  const line = (name, value) => `<tr><td class="faint">${markup(name)}</td><td class="number">${markup(value)}</td></tr>`;
  const path = pathOf(cluster, cell);
  return `<b>${markup(cluster.names[cell])}</b><table class="tip">` +
    cluster.levels.map((level, l) => line(level, cluster.domains[l].names[path[l]])).join("") +
    (cluster.serversPerCell ? line("servers", number(cluster.serversPerCell[cell])) : "") +
    line(`${use.resource} in use`, `${amount(use.resource, Number(use.background(cell).toPrecision(3)))} of ` +
      `${amount(use.resource, use.capacity(cell))} (${percent(use.share(cell))})`) + "</table>";
}

/** The busiest moment: the one to begin with. */
function filmBest(film, use) {
  let best = 0;
  for (let m = 1; m < film.moments; ++m) {
    if (use.total(m) > use.total(best)) best = m;
  }
  return best;
}

/** The slider, the buttons beside it, and what is said of the moment. */
function filmSteps(film, use) {
  const running = unpacked(film.running, film.moments);
  const said = el("p", {class: "said", role: "status", id: "film-said"});
  const slider = el("input", {type: "range", id: "film-time", min: 0, max: film.moments - 1, step: 1, "aria-label": "Time"});
  let playing = null;
  const go = (m) => {
    state.filmMoment = Math.max(0, Math.min(film.moments - 1, m));
    const time = duration(Number(momentTime(film, state.filmMoment).toPrecision(4)));
    slider.value = state.filmMoment;
    slider.setAttribute("aria-valuetext", time);
    said.replaceChildren(el("b", {}, time), `: ${percent(use.total(state.filmMoment))} of ${use.resource} in use, ` +
      `${plural(running[state.filmMoment], "pod")} running`);
    charts.get("film")?.setOption({series: [{id: "cells"}]});
  };
  const play = el("button", {type: "button", id: "film-play", "aria-pressed": "false"}, "Play");
  const stop = () => {
    clearInterval(playing);
    playing = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
    said.removeAttribute("aria-live");
  };
  play.addEventListener("click", () => {
    if (playing) return stop();
    if (state.filmMoment === film.moments - 1) go(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    said.setAttribute("aria-live", "off");  // nobody wants each step read out
    playing = setInterval(() => {
      if (!document.contains(play) || state.filmMoment === film.moments - 1) stop();
      else go(state.filmMoment + 1);
    }, 125);
    return undefined;
  });
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  go(state.filmMoment);
  return el("div", {}, el("div", {class: "controls film-steps"}, play, slider), said);
}

function filmSection(run) {
  if (!run.answer.takesTime) return null;
  const {film} = run;
  if (!film) return null;
  const cluster = film.cluster ?? run.cluster;
  const name = (part) => (part.resource == null ? "pods" : cluster.resources[part.resource]);
  const gpus = film.parts.findIndex((one) => /gpu/.test(name(one)));
  state.filmPart = Math.min(state.filmPart ?? Math.max(gpus, 0), film.parts.length - 1);
  const part = film.parts[state.filmPart];
  const use = filmUse(cluster, film, part);
  state.filmMoment ??= filmBest(film, use);
  const every = duration(Number((film.last / (film.moments - 1)).toPrecision(3)));
  const running = unpacked(film.running, film.moments);
  const moments = Array.from({length: film.moments}, (_, m) => m);
  const time = (m) => duration(Number(momentTime(film, m).toPrecision(6)));
  const shares = moments.map((m) => use.total(m));
  return {
    controls: film.parts.length < 2 ? null : el("div", {class: "controls"}, choice("Resource", film.parts.map(name), state.filmPart, (i) => {
      state.filmPart = i;
      redrawSections(["film"]);
    }, "film-resource")),
    content: [
      el("p", {class: "lead"}, `Replication 0, ${number(film.moments)} moments, one every ${every}: the stronger its colour, the more of a ${cluster.leaf} is in use` +
        (part.resource == null ? ` (full is ${plural(part.most, "pod")}, the most that any had).` : ".") +
        (cluster.serversPerCell ? ` To keep the page small, a rectangle is a ${cluster.leaf}.` : "") +
        (film.all ? "" : ` It ends when 99.8% of the pods are done, since the others take much longer.`) +
        " Move the slider, with the mouse or the arrow keys."),
      el("ul", {class: "legend", "aria-label": "Legend"}, el("li", {}, el("span", {}, "idle"), el("span", {class: "ramp"}), el("span", {}, "full"))),
      figure({
        id: "film",
        renderer: "canvas",
        height: (width) => layOut(cluster, width - 60).height + 4,
        option: (width) => clusterOption(cluster, width, use, filmTooltip),
        summary: `${use.resource} in use, of the whole cluster: from ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} over ${duration(film.last)}.`,
        before: filmSteps(film, use),
        columns: ["time", "pods running", `${use.resource} in use`].map((title) => ({title, number: true})),
        rows: () => moments.map((m) => [time(m), number(running[m]), percent(shares[m])]),
        csv: {columns: ["time", cluster.leaf, `${use.resource} in use`].map((title) => ({title})),
          rows: () => moments.flatMap((m) => cluster.names.map((cell, i) => [time(m), cell, percent(use.share(i, m))]))},
      }),
    ],
  };
}
