/* Tables, as figures have them and as base/table.js shows them. */

/** `number`: right-aligned and sorted by value; `metric`: its title has this metric's meaning behind it. */
export interface Column {
  title: string;
  number?: boolean;
  class?: string | null;
  metric?: string;
  help?: string;
}
export type Cell = string | number | Node | null | undefined;
export type Rows = Cell[][];

/** A number, a text, or null where there is nothing to sort by. */
export type SortKey = string | number | null;
export interface SortOrder {
  column: number;
  descending: boolean;
}
export interface TableOptions {
  label?: string;
  /** How many rows are shown at first. */
  shown?: number;
  /** There is nothing to sort or to filter. */
  plain?: boolean;
  /** How it is sorted, where that is kept. */
  order?: SortOrder;
  /** What to sort by instead of the cells. */
  keys?: () => SortKey[][];
}
