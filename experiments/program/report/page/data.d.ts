/* The JSON that the C++ side writes into the page. Its types are made of the calls of object(), row()
   and add_to() by which it is written (experiments/program/support/typed_json.hpp), when the tests
   are built: build/release/generated/page/written.d.ts. The types below are those that are no
   objects, and what the page makes of them. A value that is not known is null. */

import type {ClusterShape, ClusterViews, GanttColumns, PackedSteps, WrittenPage, WrittenRun} from "./written.d.ts";

export * from "./written.d.ts";

export type Value = number | null;
/** page_json.hpp, folded(): one value for all entries, or one value for each. */
export type Folded = Value | Value[];
/** page_json.hpp, packed(): whole numbers in a short form, or one number for all. */
export type Packed = number | string;
/** page_json.hpp, packed_numbers(). */
export type PackedNumbers = {values: Packed; null?: number; step?: number; per?: number} | null;
/** quota_page.cpp, loans_data(). */
export type Lender = number | "unreserved" | "taken" | "others";
export type Cluster = ClusterShape & ClusterViews;
export type GanttColumn = keyof GanttColumns;
export type StepName = Exclude<keyof PackedSteps, "time">;

/** The data of the page, in which base/state.js has unpacked the series. */
export interface PageData extends Omit<WrittenPage, "runs"> {
  runs: Run[];
}
export interface Run extends Omit<WrittenRun, "series" | "course"> {
  series: Series | null;
  course: Series | null;
}
export interface Series {
  columns: string[];
  count: number;
  runs: SeriesRun[];
  band?: SeriesBand;
}
export interface SeriesRun {
  replication: number;
  time: number[];
  values: Value[][];
}
export interface SeriesBand {
  time: number[];
  mean: Value[][];
  low: Value[][];
  high: Value[][];
}
