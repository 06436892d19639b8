/* The place of each server of a cluster in its picture. */

import {lastOf} from "../base/lists.js";
import {pathOf} from "./cluster_use.js";
/** @import {ClusterLayout, LayoutColumn, LayoutLabel} from "./cluster.d.ts" */
/** @import {ClusterShape} from "../data.d.ts" */

/**
 * The place of each cell. The domains of the lowest level are columns of cells, separated by their
 * parents. A row that is too wide continues in the next band. Units: x in cells, y in pixels.
 * @type {(cluster: ClusterShape, width: number) => ClusterLayout}
 */
export function layOut(cluster, width) {
  const depth = cluster.levels.length;
  /** @type {LayoutColumn[]} */
  const columns = [];
  let tallest = 0;
  /** @type {{cells: number[]; path: number[]}[]} */
  const blocks = [];
  for (let c = 0; c < cluster.names.length; ++c) {
    if (depth === 0 ? c === 0 : blocks.length === 0 || cluster.parents[c] !== cluster.parents[c - 1]) {
      blocks.push({cells: [], path: pathOf(cluster, c)});
    }
    lastOf(blocks).cells.push(c);
    tallest = Math.max(tallest, lastOf(blocks).cells.length);
  }
  const few = Math.ceil(Math.sqrt(cluster.names.length / 2.5));
  const most = Math.max(1, Math.min(tallest, blocks.length < 6 ? Math.max(few, 4) : 40));
  const rows = Math.ceil(tallest / Math.ceil(tallest / most));  // blocks are cut into equal parts
  for (const block of blocks) {
    for (let i = 0; i < block.cells.length; i += rows) {
      columns.push({cells: block.cells.slice(i, i + rows), path: block.path, x: 0});
    }
  }
  const perBand = Math.max(8, Math.floor(width / (cluster.names.length > 4000 ? 8 : 13)));
  const height = columns.length > perBand ? (cluster.names.length > 4000 ? 7 : 10) : rows > 24 ? 12 : 17;
  // The level at which two neighbours differ; depth if they belong to the same block.
  const parting = (/** @type {LayoutColumn} */ a, /** @type {LayoutColumn} */ b) => {
    const level = a.path.findIndex((domain, i) => domain !== b.path[i]);
    return level < 0 ? depth : level;
  };
  const gap = (/** @type {number} */ level) => (level >= depth ? 0 : 0.22 + 0.5 * (depth - 1 - level));
  // A band ends where a high domain ends, if that wastes less than two fifths of it.
  /** @type {LayoutColumn[][]} */
  const bands = [];
  /** @type {LayoutColumn[]} */
  let band = [];
  let x = 0;
  columns.forEach((column, i) => {
    const level = i === 0 ? depth : parting(columns[i - 1], column);
    let step = i === 0 || band.length === 0 ? 0 : gap(level);
    let ends = band.length > 0 && x + step + 1 > perBand;
    if (!ends && band.length > 0 && level < depth - 1) {
      const same = columns.slice(i).findIndex((c) => parting(column, c) <= level);
      const size = same < 0 ? columns.length - i : same;
      ends = x + step + size * (1 + gap(depth - 1)) > perBand && x > perBand * 0.6;
    }
    if (ends) {
      bands.push(band);
      band = [];
      x = step = 0;
    }
    column.x = x + step;
    x = column.x + 1;
    band.push(column);
  });
  bands.push(band);
  const total = Math.max(...bands.map((b) => lastOf(b).x + 1));
  const headRows = Math.max(0, depth);
  const head = 18 * headRows;
  /** @type {LayoutLabel[]} */
  const labels = [];
  /** @type {[number, number][]} */
  const place = new Array(cluster.names.length);
  let y = 0;
  for (const one of bands) {
    for (let level = 0; level < depth; ++level) {
      for (let i = 0; i < one.length;) {
        let j = i;
        while (j + 1 < one.length && one[j + 1].path.slice(0, level + 1).join() === one[i].path.slice(0, level + 1).join()) ++j;
        labels.push({level, domain: one[i].path[level], x0: one[i].x, x1: one[j].x + 1,
          y: y + 18 * level, bottom: y + head + rows * height});
        i = j + 1;
      }
    }
    for (const column of one) {
      column.cells.forEach((cell, row) => {
        place[cell] = [column.x, y + head + row * height];
      });
    }
    y += head + rows * height + 14;
  }
  return {place, labels, total, cellHeight: height, height: y, rows};
}
