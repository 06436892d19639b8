/* What pods of each size got. */

import {number, percent1, plural} from "../base/text.js";
import {gpuCount, nearnessKinds, ofPossible} from "./nearness.js";
import {nearnessBars} from "./nearness_bars.js";
/** @import {Devices} from "../data.d.ts" */
/** @import {FigureMaker} from "../figures/figure.d.ts" */

/** @type {FigureMaker<Devices>} */
export function sizesFigure(devices) {
  const kinds = nearnessKinds.map((kind, k) => ({...kind, k})).filter(({k}) => devices.sizes[0].kinds[k][0] > 0);
  const rows = devices.sizes.map((size) => ({
    label: size.gpus === 0 ? "all" : gpuCount(size.gpus),
    pods: size.kinds[0][0],
    values: kinds.map(({k}) => {
      const [pods, reached, attainable] = size.kinds[k];
      return pods === 0 ? null : {reached: reached / pods, attainable: attainable / pods,
        note: `${number(reached)} of ${plural(pods, "pod")}, ${number(attainable)} could have`};
    }),
  }));
  return nearnessBars({
    id: "locality",
    title: "What pods of each size got",
    rows,
    panels: kinds,
    summary: kinds.map(({title}, i) => `${title}: ${ofPossible(rows[0].values[i])}`).join("; ") + ".",
    caption: "Narrow bars: the share of pods that have it. Wide ones: the share that could have had it with the devices that were free on that server at that instant.",
    columns: [{title: "pods with"}, {title: "pods", number: true}, ...kinds.flatMap(({title}) => [{title, number: true}, {title: "possible", number: true}])],
    cells: (row) => [row.label, number(row.pods), ...row.values.flatMap((v) => [percent1(v?.reached), percent1(v?.attainable)])],
  });
}
