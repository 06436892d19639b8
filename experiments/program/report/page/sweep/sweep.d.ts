/* What the parts of a sweep's page hand to each other. */

export type Role = "x" | "by" | "panel";

/** What the reader chose. */
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
/** What one figure is over. */
export interface SweepView {
  metric: string;
  x: string;
  by: string | null;
  panel: string | null;
  where: Record<string, string>;
}
/** Of the replications at one point, or at some that are averaged: `points` says how many. */
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
/** A mark of a figure: places among the values of its axes. */
export interface SweepCell extends SweepSummary {
  x: number;
  by: number;
  panel: number;
  points: number;
}
/** A mark whose replications are known, or what sums them up. */
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
/** What the points are asked for; `bound` is in the metric's own unit. */
export interface Target {
  metric: string;
  atMost: boolean;
  bound: number;
}
/** One picture of lines, or many panels of them. */
export interface LinesGiven {
  id: string;
  title: string;
  view: SweepView;
  cells: SweepCell[];
  /** Of one panel. */
  height: number;
  /** How many panels stand side by side at a width. */
  columnsOf: (width: number) => number;
  /** Each panel has a scale of its own. */
  ownScales?: boolean;
}
