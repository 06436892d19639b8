/* A figure's option without what only answers to a reader: tooltips, sliders, scrolling legends. */

import {palette} from "../figures/colours.js";
import {fontFamily} from "../base/theme.js";
import {textWidth} from "./metric.js";
/** @import {ChartOption} from "../figures/figure.d.ts" */

/** @typedef {{bottom?: number; height?: number; top?: number; [more: string]: unknown}} Place */
/** @typedef {{data?: (string | {name: string})[]; itemWidth?: number; itemGap?: number; [more: string]: unknown}} Legend */

/** @type {<Item>(value: Item | Item[] | undefined) => Item[]} */
const listOf = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

/**
 * The height that the rows of a legend take, with some room below.
 * @type {(legend: Legend, series: {name?: string}[], width: number) => number}
 */
function legendHeight(legend, series, width) {
  const names = legend.data?.map((one) => (typeof one === "string" ? one : one.name)) ?? [...new Set(series.map(({name}) => name ?? ""))];
  const gap = legend.itemGap ?? 8;
  let rows = 1;
  let x = 0;
  for (const name of names) {
    const wide = (legend.itemWidth ?? 25) + 5 + textWidth(name, 13);
    if (x > 0 && x + wide > width) {
      ++rows;
      x = 0;
    }
    x += wide + gap;
  }
  return rows * 13 + (rows - 1) * gap + 16;
}

/**
 * The option for a picture that stands still, and by how much it is taller than the figure on the
 * page. Whatever hangs on the top moves down to leave room for all rows of the legend; what stands
 * above a slider moves to its place.
 * @type {(option: ChartOption, width: number) => {option: ChartOption; more: number}}
 */
export function still({tooltip: _tip, dataZoom, axisPointer: _pointer, ...option}, width) {
  const sliders = listOf(/** @type {Place[]} */ (dataZoom)).filter(({type}) => type === "slider");
  const less = Math.max(0, ...sliders.map(({bottom = 0, height = 0}) => bottom + height));
  const grids = listOf(/** @type {Place | Place[]} */ (option.grid));
  const titles = listOf(/** @type {Place | Place[] | undefined} */ (option.title));
  const legend = /** @type {Legend | undefined} */ (option.legend);
  const series = (option.series ?? []).map((one) => ({...one, silent: true, emphasis: {disabled: true}}));
  const first = Math.min(...[...grids, ...titles].map(({top = 0}) => top));
  const down = legend ? Math.max(0, legendHeight(legend, series, width) - first) : 0;
  return {more: down - less, option: {
    animation: false, color: palette(), textStyle: {fontFamily: fontFamily()}, ...option,
    ...(legend ? {legend: {...legend, type: "plain", selectedMode: false}} : {}),
    title: titles.map((title) => ({...title, top: (title.top ?? 0) + down})),
    grid: grids.map((grid) => ({...grid, top: (grid.top ?? 0) + down, ...(grid.bottom === undefined ? {} : {bottom: grid.bottom - less})})),
    series,
  }};
}
