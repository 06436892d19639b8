/* Types that the pictures of a cluster share. */

import type {ClusterShape, ClusterView} from "../data.d.ts";

/** The use of each cell, in one resource and with the members of one view. */
export interface ClusterUse {
  view: ClusterView | null | undefined;
  known: boolean;
  members: number[];
  group: number[];
  others: number[];
  otherAmounts: number[];
  capacity: (cell: number) => number;
  background: (cell: number) => number;
  backgroundName: string;
  resource: string;
}
/** The use in a film, which also has other moments. */
export interface FilmUse extends ClusterUse {
  share: (cell: number, moment?: number) => number;
  total: (moment: number) => number;
}
export type CellTip<Use> = (cluster: ClusterShape, use: Use, cell: number) => string;

/** Cells above each other, below the domains of their path. */
export interface LayoutColumn {
  cells: number[];
  path: number[];
  x: number;
}
export interface LayoutLabel {
  level: number;
  domain: number;
  x0: number;
  x1: number;
  y: number;
  bottom: number;
}
export interface ClusterLayout {
  place: [number, number][];
  labels: LayoutLabel[];
  total: number;
  cellHeight: number;
  height: number;
  rows: number;
}
