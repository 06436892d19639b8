/* The section with the cluster over time: its slider and its picture. */

import {choice, el, playButton} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {charts, state} from "../base/state.js";
import {duration, number, percent, plural} from "../base/text.js";
import {unpacked} from "../base/unpack.js";
import {figure} from "../figures/show.js";
import {withoutKey} from "./cluster_use.js";
import {filmBest, filmUse, momentTime} from "./film.js";
import {filmFigure} from "./film_figure.js";
/** @import {Film, FilmPart, Run} from "../data.d.ts" */
/** @import {FilmUse} from "./cluster.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

/**
 * The slider, the buttons beside it, and the text about the moment.
 * @type {(film: Film, use: FilmUse) => HTMLDivElement}
 */
function filmSteps(film, use) {
  const running = unpacked(film.running, film.moments);
  const said = el("p", {class: "said", role: "status", id: "film-said"});
  const slider = el("input", {type: "range", id: "film-time", min: 0, max: film.moments - 1, step: 1, "aria-label": "Time"});
  const go = (/** @type {number} */ m) => {
    state.filmMoment = Math.max(0, Math.min(film.moments - 1, m));
    const time = duration(Number(momentTime(film, state.filmMoment).toPrecision(4)));
    slider.value = String(state.filmMoment);
    slider.setAttribute("aria-valuetext", time);
    said.replaceChildren(el("b", {}, time), `: ${percent(use.total(state.filmMoment))} of ${use.resource} in use, ` +
      `${plural(running[state.filmMoment], "pod")} running`);
    charts.get("film")?.setOption?.({series: [{id: "cells"}]});
  };
  const {play, stop} = playButton("film-play", said, 125, () => {
    if (state.filmMoment === film.moments - 1) go(0);
  }, () => {
    const more = state.filmMoment !== film.moments - 1;
    if (more) go((state.filmMoment ?? 0) + 1);
    return more;
  });
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  go(state.filmMoment ?? 0);
  return el("div", {}, el("div", {class: "controls film-steps"}, play, slider), said);
}

/** @type {(run: Run) => Made} */
export function filmSection(run) {
  if (!run.answer.takesTime) return null;
  const {film} = run;
  if (!film) return null;
  const cluster = film.cluster ?? run.cluster;
  if (!cluster) return null;
  const name = (/** @type {FilmPart} */ part) => (part.resource == null ? "pods" : cluster.resources[part.resource]);
  const gpus = film.parts.findIndex((one) => /gpu/.test(name(one)));
  state.filmPart = Math.min(state.filmPart ?? Math.max(gpus, 0), film.parts.length - 1);
  const part = film.parts[state.filmPart];
  const use = filmUse(cluster, film, part, () => state.filmMoment ?? 0);
  state.filmMoment ??= filmBest(film, use);
  const every = duration(Number((film.last / (film.moments - 1)).toPrecision(3)));
  return {
    controls: film.parts.length < 2 ? null : el("div", {class: "controls"}, choice("Resource", film.parts.map(name), state.filmPart, (i) => {
      state.filmPart = i;
      redrawSections(["film"]);
    }, "film-resource")),
    content: [
      el("p", {class: "lead"}, `Replication 0, ${number(film.moments)} moments, one every ${every}: the stronger its colour, the more of a ${cluster.leaf} is in use` +
        (part.resource == null ? ` (full is ${plural(part.most ?? 1, "pod")}, the most that any had).` : ".") +
        (cluster.serversPerCell ? ` To keep the page small, a rectangle is a ${cluster.leaf}.` : "") +
        (film.all ? "" : ` It ends when 99.8% of the pods are done, since the others take much longer.`) +
        " Move the slider, with the mouse or the arrow keys."),
      el("ul", {class: "legend", "aria-label": "Legend"}, el("li", {}, el("span", {}, "idle"), el("span", {class: "ramp"}), el("span", {}, "full")), withoutKey(cluster, use)),
      figure(filmFigure({cluster, film, use}), {before: filmSteps(film, use)}),
    ],
  };
}
