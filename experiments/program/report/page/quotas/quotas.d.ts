/* Types that the sections about quotas share. */

import type {SortOrder} from "../base/tables.d.ts";
import type {EvictionMark, Quotas, StepName, Value} from "../data.d.ts";

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
  /** What jobs wait in: a quota, or a scheduler's kind of queue. */
  noun: string;
}
/** The quota that is shown, and the resource. */
export interface QuotaChoice {
  chosen: number;
  resource: number;
}
/** The words for quotas of a kind, the lines that are drawn for them, and how the kind differs. */
export interface QuotaKind {
  /** The root's name; null if it has one of its own. */
  root: string | null;
  tree: string;
  one: string;
  quota: string;
  many: string;
  min: string;
  max: string;
  lines: StepName[];
  evictions: string;
  evicted: (count: number) => string;
  unreserved: string;
  taken: string;
  /** What part of the lending was unreserved, and what part was taken, in sentences; "": none. */
  lent: (unreserved: string, taken: string) => string;
  /** Whether a quota with children may have pods that are in none of them. */
  parentsHavePods: boolean;
  /** Whether other figures draw the children of a quota as well. */
  drawnElsewhere: boolean;
  /** Whether the children share what the quota has; if not, they share what is in use. */
  shares: (quotas: Quotas, q: number) => boolean;
  /** Whether the children can lend to each other. */
  lends: (quotas: Quotas, q: number) => boolean;
  /**
   * Whether a quota can borrow. If it has no min, as the root and groups outside of the sharing, its
   * use is not borrowed.
   */
  borrows: (quotas: Quotas, q: number) => boolean;
  /** The pods or jobs of replication 0 that lost places or quota, as marks in time. */
  marks: (quotas: Quotas) => EvictionMark[];
  /** What a quota did with a resource. */
  words: (quotas: Quotas, q: number, r: number) => string;
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
