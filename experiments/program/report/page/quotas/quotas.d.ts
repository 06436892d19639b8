/* Types that the sections about quotas share. */

import type {SortOrder} from "../base/tables.d.ts";
import type {StepName, Value} from "../data.d.ts";

/** The reader's choices among the quotas. */
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
/** One value for each time. */
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
/**
 * Mean waits of several runs. The `known` quotas have one in at least one run, those with the
 * longest first.
 */
export interface QuotaWaits {
  runs: {label: string; mean: (name: string) => Value; ci95: (name: string) => Value}[];
  names: string[];
  known: string[];
  longest: (name: string) => number;
  /** The kind of queue whose jobs wait for quota: quota or ClusterQueue. */
  noun: string;
}
/** The quota that is shown, and the resource. */
export interface QuotaChoice {
  chosen: number;
  resource: number;
}
/** The terms for quotas, and the lines that are drawn for them. */
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
