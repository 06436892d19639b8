/* The numbers to quote for each of several runs: one table for all runs that have the same ones. */

import {el} from "../base/dom.js";
import {sortKey, table} from "../base/table.js";
/** @import {Child} from "../base/page.d.ts" */
/** @import {QuotedNumber, Run} from "../data.d.ts" */

/** @typedef {{run: Run; name: string | HTMLElement; more?: Child[]}} NamedRun */

/** @param {QuotedNumber} one */
const said = ({value, interval, unit}) => `${value}${interval ? ` ± ${interval}` : ""}${unit ? ` ${unit}` : ""}`;

/**
 * Runs with other numbers are in another table, so that no cell is empty.
 * @type {<Named extends {run: Run}>(runs: Named[]) => Named[][]}
 */
export function withOneTable(runs) {
  /** @type {Map<string, typeof runs>} */
  const alike = new Map();
  for (const one of runs) {
    const key = one.run.answer.numbers.map(({title}) => title).join("\n");
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()];
}

/** @type {(runs: NamedRun[], heads?: string[]) => HTMLElement[]} */
export function numbersTables(runs, heads = []) {
  return withOneTable(runs).map((list, i) => el("div", {class: "numbers-table"}, table(
    [{title: "Run", class: "run"}, ...heads.map((title) => ({title})), ...list[0].run.answer.numbers.map(({title, metric}) => ({title, metric, number: true}))],
    list.map(({run, name, more = []}) => [el("span", {}, name), ...more, ...run.answer.numbers.map(said)]), {
      label: `Runs and their numbers ${i + 1}`,
      // Units differ between rows, so rows are sorted by the metrics' own values.
      keys: () => list.map(({run, name, more = []}) => [...[name, ...more].map(sortKey),
        ...run.answer.numbers.map(({metric}) => run.metrics.find((m) => m.name === metric)?.mean ?? null)]),
    })));
}
