/* The cluster over time, as a picture with a slider. */

import {duration, number, percent} from "../base/text.js";
import {unpacked} from "../base/unpack.js";
import {clusterOption} from "./cluster_figure.js";
import {layOut} from "./cluster_layout.js";
import {filmTooltip, momentTime} from "./film.js";
/** @import {ClusterShape, Film} from "../data.d.ts" */
/** @import {FilmUse} from "./cluster.d.ts" */
/** @import {SureFigureMaker} from "../figures/figure.d.ts" */

/**
 * The cluster at any moment. Its table has the whole cluster at each moment, and its CSV has each
 * cell.
 * @type {SureFigureMaker<{cluster: ClusterShape; film: Film; use: FilmUse}>}
 */
export function filmFigure({cluster, film, use}) {
  const running = unpacked(film.running, film.moments);
  const moments = Array.from({length: film.moments}, (_, m) => m);
  const time = (/** @type {number} */ m) => duration(Number(momentTime(film, m).toPrecision(6)));
  const shares = moments.map((m) => use.total(m));
  return {
    id: "film",
    renderer: "canvas",
    height: (width) => layOut(cluster, width - 60).height + 4,
    option: (width) => clusterOption(cluster, width, use, filmTooltip),
    summary: `${use.resource} in use, of the whole cluster: from ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} over ${duration(film.last)}.`,
    columns: ["time", "pods running", `${use.resource} in use`].map((title) => ({title, number: true})),
    rows: () => moments.map((m) => [time(m), number(running[m]), percent(shares[m])]),
    csv: {columns: ["time", cluster.leaf, `${use.resource} in use`].map((title) => ({title})),
      rows: () => moments.flatMap((m) => cluster.names.map((cell, i) => [time(m), cell, percent(use.share(i, m))]))},
  };
}
