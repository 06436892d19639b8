/* Types that the sections about time series share. */

import type {SeriesBand, SeriesRun, Value} from "../data.d.ts";

/** The unit of a line. Lines with the same unit share an axis. */
export type SeriesUnit = "share" | "ratio" | "percent" | "seconds" | "bytes" | "number";
/** A line: its name, and its index among the columns. */
export interface SeriesLine {
  name: string;
  c: number;
  unit: SeriesUnit;
}
export interface SeriesLines {
  /** The mean and range of all replications; if missing, `one` of them is shown. */
  band: SeriesBand | undefined;
  one: SeriesRun | null;
  time: number[];
  values: Value[][];
  /** Lines that are not drawn, because they do not vary. */
  constant: SeriesLine[];
  shown: SeriesLine[];
  /** The names that are drawn at first. */
  first: string[];
}
