/* The data of the picture of pods over time. */

import type {GanttColumn, GanttData} from "../data.d.ts";

/** All pods, by column. */
export interface GanttPods extends Record<Exclude<GanttColumn, "length" | "wait" | "stem" | "number">, Float64Array> {
  names: string[];
  submit: Float64Array;
  end: Float64Array;
}
/** A pod on adjacent rows: the first row, counted from the server's top, and the number of rows. */
export type Piece = [pod: number, first: number, count: number];
export interface GanttServer {
  gpus: number;
  height: number;
  pieces: Piece[];
  name: string;
  place: string;
}
export interface GanttModel {
  gantt: GanttData;
  pods: GanttPods;
  servers: GanttServer[];
  first: number;
  last: number;
}
/** A colour by its name, or by a share of the way between two colours. */
export interface ColourKind {
  text: string;
  colour?: string;
  share?: number;
}
export interface Colouring {
  kinds: ColourKind[];
  of: ArrayLike<number>;
}
/** A way in which pods can be coloured. */
export interface ColourWay {
  title: string;
  make: () => Colouring;
}
/** The visible part, in seconds and rows. */
export interface GanttView {
  from: number;
  to: number;
  top: number;
  bottom: number;
}
/** What draws the picture: a canvas, or SVG that is put together with the same calls. */
export interface Pen {
  fillStyle: unknown;
  strokeStyle: unknown;
  lineWidth: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  fillRect: (x: number, y: number, width: number, height: number) => void;
  strokeRect: (x: number, y: number, width: number, height: number) => void;
  fillText: (text: string, x: number, y: number) => void;
  measureText: (text: string) => {width: number};
  beginPath: () => void;
  moveTo: (x: number, y: number) => void;
  lineTo: (x: number, y: number) => void;
  stroke: () => void;
}
