/* What the parts about time series hand to each other. */

import type {SeriesBand, SeriesRun, Value} from "../data.d.ts";

/** Lines of one unit share an axis. */
export type SeriesUnit = "share" | "ratio" | "percent" | "seconds" | "bytes" | "number";
/** One line: its name, its place among the columns. */
export interface SeriesLine {
  name: string;
  c: number;
  unit: SeriesUnit;
}
export interface SeriesLines {
  /** Of all replications; otherwise `one` of them. */
  band: SeriesBand | undefined;
  one: SeriesRun | null;
  time: number[];
  values: Value[][];
  /** Not drawn, for they do not vary. */
  constant: SeriesLine[];
  shown: SeriesLine[];
  /** The names that are drawn at first. */
  first: string[];
}
