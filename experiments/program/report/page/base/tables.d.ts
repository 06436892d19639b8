/* Tables, in the form that figures have and base/table.js shows. */

/** `number`: right-aligned and sorted by value; `metric`: the title explains this metric. */
export interface Column {
  title: string;
  number?: boolean;
  class?: string | null;
  metric?: string;
  help?: string;
}
export type Cell = string | number | Node | null | undefined;
export type Rows = Cell[][];

/** A number, a text, or null if there is nothing to sort by. */
export type SortKey = string | number | null;
export interface SortOrder {
  column: number;
  descending: boolean;
}
export interface TableOptions {
  label?: string;
  /** The number of rows that are shown at first. */
  shown?: number;
  /** The table cannot be sorted or filtered. */
  plain?: boolean;
  /** The order of the table, if it is kept. */
  order?: SortOrder;
  /** Values to sort by instead of the cells. */
  keys?: () => SortKey[][];
}
