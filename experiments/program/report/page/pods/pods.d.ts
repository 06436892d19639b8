/* What the picture of pods over time is made of. */

import type {GanttColumn, GanttData} from "../data.d.ts";

/** All pods, by column. */
export interface GanttPods extends Record<Exclude<GanttColumn, "length" | "wait" | "stem" | "number">, Float64Array> {
  names: string[];
  submit: Float64Array;
  end: Float64Array;
}
/** A pod on rows that lie side by side: from the server's top, and how many. */
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
/** A colour by its name, or a share of the way from one to another. */
export interface ColourKind {
  text: string;
  colour?: string;
  share?: number;
}
export interface Colouring {
  kinds: ColourKind[];
  of: ArrayLike<number>;
}
/** What pods can be coloured by. */
export interface ColourWay {
  title: string;
  make: () => Colouring;
}
/** Which part is seen: seconds, and rows. */
export interface GanttView {
  from: number;
  to: number;
  top: number;
  bottom: number;
}
