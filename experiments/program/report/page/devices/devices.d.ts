/* Types that the sections about devices share. */

import type {MachineDevice, Metric, Run} from "../data.d.ts";

/** A share that was reached, and the share that was possible. */
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
/** A pod on a server, from its start to its finish. */
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
  /** Whether it is on several NUMA nodes although one would be large enough. */
  split: boolean;
}
export interface ServerStays {
  stays: Stay[];
  events: number[];
  at: (time: number) => Stay[];
}
/** Shows which pods hold a device; null shows nothing. */
export type ShowDevice = (place: PlacedDevice | null, name?: string, stays?: Stay[], node?: Element) => void;

/** A column for runs that have devices: its form, and its value from a run's metrics. */
export interface DeviceColumn {
  title: string;
  help?: string;
  /** The panel that draws it; by default its title. */
  panel?: string;
  /** Whether it is a share; otherwise it is in seconds. */
  share?: boolean;
  /** Whether less is better. */
  least?: boolean;
  value: (metric: (name: string) => Metric | undefined) => Reached | null;
}
/** A run beside others. */
export interface DeviceRow extends BarRow {
  index: number;
  run: Run;
  partner: number | null | undefined;
}
