/* The shapes of a box with whiskers, and of the mean on it. */

import {colour} from "../base/theme.js";
/** @import {RenderApi, Shape} from "../figures/figure.d.ts" */
/** @import {Value} from "../data.d.ts" */

/**
 * @param {Pick<RenderApi, "coord">} api
 * @param {{box: number[]; mean: Value; ci95: Value}} d
 * @param {number} y
 * @param {number} height
 * @param {ReturnType<typeof boxColours>} colours
 * @returns {Shape}
 */
export function boxShapes(api, d, y, height, colours) {
  const x = (/** @type {number} */ value) => api.coord([value, 0])[0];
  const [min, q1, median, q3, max] = d.box;
  const middle = y;
  const half = height / 2;
  const stroke = {stroke: colours.box, lineWidth: 1.5, fill: "none"};
  /** @type {Shape[]} */
  const children = [
    {type: "line", shape: {x1: x(min), y1: middle, x2: x(q1), y2: middle}, style: stroke},
    {type: "line", shape: {x1: x(q3), y1: middle, x2: x(max), y2: middle}, style: stroke},
    {type: "rect", shape: {x: x(q1), y: middle - half, width: Math.max(x(q3) - x(q1), 1), height},
      style: {...stroke, fill: colours.fill}},
    {type: "line", shape: {x1: x(median), y1: middle - half, x2: x(median), y2: middle + half},
      style: {...stroke, lineWidth: 2.5}},
  ];
  if (d.ci95 != null && d.mean != null) {
    children.push({type: "line", shape: {x1: x(d.mean - d.ci95), y1: middle, x2: x(d.mean + d.ci95), y2: middle},
      style: {stroke: colours.mean, lineWidth: 5}});
  }
  if (d.mean != null) {
    children.push({type: "circle", shape: {cx: x(d.mean), cy: middle, r: 4.5},
      style: {fill: colours.mean, stroke: colours.paper, lineWidth: 1.5}});
  }
  return {type: "group", children};
}

export const boxColours = () => ({box: colour("muted"), fill: colour("busy-none"), mean: colour("group"), paper: colour("paper")});
