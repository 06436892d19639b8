/* What the parts about quotas hand to each other. */

import type {SortOrder} from "../base/tables.d.ts";
import type {StepName, Value} from "../data.d.ts";

/** What the reader chose among the quotas. */
export interface QuotaState {
  chosen: number;
  resource: number;
  when: "mean" | "last" | "time";
  time: number;
  open: Set<number>;
  filter: string;
  focused: number;
  scroll: number;
  sort: SortOrder;
}
/** One value a time. */
export type QuotaSteps = {time: number[]} & Record<StepName, Value[]>;
export interface QuotaAmounts {
  used: Value;
  min: Value;
  max: Value;
}
export interface TreeRow {
  quota: number;
  level: number;
  open: boolean;
}
/** Mean waits of several runs: `known` quotas have one in some run; the longest come first. */
export interface QuotaWaits {
  runs: {label: string; mean: (name: string) => Value; ci95: (name: string) => Value}[];
  names: string[];
  known: string[];
  longest: (name: string) => number;
  /** What they are: quota, or ClusterQueue, whose jobs wait for quota. */
  noun: string;
}
/** Which quota is looked at, and what of it. */
export interface QuotaChoice {
  chosen: number;
  resource: number;
}
/** What quotas are called, and what is drawn of them. */
export interface QuotaTerms {
  quota: string;
  quotas: string;
  many: string;
  min: string;
  max: string;
  lines: StepName[];
  evictions: string;
  evicted: (count: number) => string;
  unreserved: string;
  taken: string;
}
/** A column of a table that keeps its order. */
export interface KeptColumn<Row> {
  title: string;
  class?: string;
  number?: boolean;
  help?: string;
  value: (row: Row) => Value;
  text?: (value: number) => string;
  cell?: (row: Row) => string;
}
