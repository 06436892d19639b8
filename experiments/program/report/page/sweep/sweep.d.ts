/* Types that the parts of a sweep's page share. */

export type Role = "x" | "by" | "panel";

/** The reader's choices. */
export interface SweepState {
  metric: string;
  x: string;
  by: string | null;
  panel: string | null;
  where: Record<string, string>;
  filter: string;
  sort: string;
  page: number;
  names: string;
  scales: string;
  against: number;
  target: string;
}
/** The metric and the axes of a figure. */
export interface SweepView {
  metric: string;
  x: string;
  by: string | null;
  panel: string | null;
  where: Record<string, string>;
}
/**
 * A summary of the replications at one point, or at several that are averaged; `points` is their
 * number.
 */
export interface SweepSummary {
  n: number;
  mean: number;
  ci95: number | null;
  sd: number | null;
  min: number | null;
  q1: number | null;
  median: number | null;
  q3: number | null;
  max: number | null;
}
/** A mark of a figure, with indices into the values of its axes. */
export interface SweepCell extends SweepSummary {
  x: number;
  by: number;
  panel: number;
  points: number;
}
/** A mark whose replications, or their summary, are known. */
export interface BoxCell extends SweepCell {
  min: number;
  q1: number;
  median: number;
  q3: number;
  max: number;
}
export interface SweepMean {
  mean: number;
  ci95: number | null;
}
export interface LineLook {
  colour: string;
  symbol: string;
  dash: string | number[];
}
export interface PointDifference {
  point: number;
  metric: string;
  difference: number;
  ci95: number | null;
  p_holm: number | null;
  verdict: string;
}
/** A requirement for the points; `bound` is in the metric's own unit. */
export interface Target {
  metric: string;
  atMost: boolean;
  bound: number;
}
/** A picture of lines, or many panels of them. */
export interface LinesGiven {
  id: string;
  title: string;
  view: SweepView;
  cells: SweepCell[];
  /** The height of one panel. */
  height: number;
  /** The number of panels side by side at a width. */
  columnsOf: (width: number) => number;
  /** Whether each panel has its own scale. */
  ownScales?: boolean;
}
