/* What the allocators of several runs reached, beside what was possible. */

import {percent1} from "../base/text.js";
import {ofPossible} from "./nearness.js";
import {nearnessBars} from "./nearness_bars.js";
/** @import {BarRow} from "./devices.d.ts" */
/** @import {FigureMaker} from "../figures/figure.d.ts" */

/**
 * A row for each run, with a value in each panel.
 * @type {FigureMaker<{bars: BarRow[]; panels: {title: string}[]}>}
 */
export function deviceRunsFigure({bars, panels}) {
  return nearnessBars({
    id: "device-compare",
    title: "Reached and possible",
    rows: bars,
    panels,
    summary: bars.map((row) => `${row.label}: ${panels.map(({title}, i) => `${title} ${ofPossible(row.values[i])}`).join(", ")}`).join("; ") + ".",
    caption: "Narrow bars: reached. Wide ones: possible with the devices that were free. Of broken free GPUs, fewer are better.",
    columns: [{title: "run", class: "name"}, ...panels.flatMap(({title}) => [{title, number: true}, {title: "possible", number: true}])],
    cells: (row) => [row.label, ...row.values.flatMap((v) => [percent1(v?.reached), percent1(v?.attainable)])],
  });
}
