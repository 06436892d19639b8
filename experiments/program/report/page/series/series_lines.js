/* The lines of a run's series: their units, and which of them are drawn. */

import {bytes, number, percent} from "../base/text.js";
/** @import {Run, Value} from "../data.d.ts" */
/** @import {SeriesLines, SeriesUnit} from "./series.d.ts" */

/**
 * The unit of a column: columns with shares, ratios above 1, seconds, bytes, percent, or counts of
 * any kind can share an axis.
 * @type {(name: string, values: Value[]) => SeriesUnit}
 */
export function unitOf(name, values) {
  if (/(^|_)bytes(_|$)/.test(name)) return "bytes";
  if (/_s($|_)/.test(name)) return "seconds";
  if (/_pct($|_)/.test(name)) return "percent";
  let whole = true;
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (value == null) continue;
    whole = whole && Number.isInteger(value);
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (/share|utili[sz]ation|fraction|ratio|rate|index|factor|slowdown/.test(name)) return least >= 0 && most <= 1.0001 ? "share" : "ratio";
  return !whole && least >= 0 && most <= 1.0001 ? "share" : "number";
}

/** @type {(unit: SeriesUnit, value: number) => string} */
export const inSeriesUnit = (unit, value) => (unit === "share" ? percent(value) : unit === "bytes" ? bytes(value) : number(value));

/**
 * The lines that are drawn at first: the use of the paid resource, and the running and waiting
 * pods. The others are a click away.
 * @type {(names: string[], resource: string | undefined) => string[]}
 */
function firstSeries(names, resource) {
  const wanted = names.filter((name) => name === `${resource}_utilization` || name === "pods_running" || name === "pods_waiting");
  return wanted.length > 0 ? wanted : names.slice(0, 4);
}

/**
 * The lines of one replication, or the means of all of them with a band; null if nothing varies.
 * @type {(run: Run, wanted: number | "all") => SeriesLines | null}
 */
export function seriesLines(run, wanted) {
  const series = run.series;
  if (!series) return null;
  const band = wanted === "all" ? series.band : undefined;
  const one = band ? null : series.runs.find((r) => r.replication === wanted) ?? series.runs[0];
  const time = band?.time ?? one?.time ?? [];
  const values = band?.mean ?? one?.values ?? [];
  if (time.length < 2) return null;
  const all = series.columns.map((name, c) => ({name, c, unit: unitOf(name, values[c])}))
    .filter(({c}) => values[c].some((v) => v != null));
  const constant = all.filter(({c}) => (band ? [...band.low[c], ...band.high[c]] : values[c])
    .every((v, _, list) => v == null || v === list.find((w) => w != null)));
  const shown = all.filter((line) => !constant.includes(line));
  if (shown.length === 0) return null;
  const first = firstSeries(shown.map(({name}) => name), run.cluster?.resources[run.cluster.paid]);
  return {band, one, time, values, constant, shown, first};
}
