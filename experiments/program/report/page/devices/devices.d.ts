/* What the parts about devices hand to each other. */

import type {MachineDevice, Metric, Run} from "../data.d.ts";

/** A share that was reached, and the one that could have been. */
export interface Reached {
  reached: number | null;
  attainable?: number | null;
  ci95?: number | null;
  note?: string;
}
export interface BarRow {
  label: string;
  values: (Reached | null)[];
}
export interface PlacedDevice {
  device: MachineDevice;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface PlaceBox {
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface ServerLayout {
  numas: PlaceBox[];
  switches: PlaceBox[];
  gpus: PlacedDevice[];
  others: PlacedDevice[];
  islands: {label: string; at: number[]; bottom: number}[];
  width: number;
  height: number;
}
/** A pod on a server, from start to finish. */
export interface Stay {
  name: string;
  start: number;
  finish: number;
  gpus: number[];
  nics: number[];
  reached: number;
  attainable: number;
  reason: number;
  colour: number;
  /** It is on several NUMA nodes though one would be large enough. */
  split: boolean;
}
export interface ServerStays {
  stays: Stay[];
  events: number[];
  at: (time: number) => Stay[];
}
/** Shows who holds a device, or with null nobody. */
export type ShowDevice = (place: PlacedDevice | null, name?: string, stays?: Stay[], node?: Element) => void;

/** A figure of runs that have devices: how it is written, and what it is by a run's metrics. */
export interface DeviceColumn {
  title: string;
  help?: string;
  /** The panel that draws it; the title where it has none of its own. */
  panel?: string;
  /** A share rather than seconds. */
  share?: boolean;
  /** Less is better. */
  least?: boolean;
  value: (metric: (name: string) => Metric | undefined) => Reached | null;
}
/** A run beside others. */
export interface DeviceRow extends BarRow {
  index: number;
  run: Run;
  partner: number | null | undefined;
}
