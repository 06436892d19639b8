/* The table of groups. */

import {el} from "../base/dom.js";
import {table} from "../base/table.js";
import {duration, number, spaced} from "../base/text.js";
/** @import {Column} from "../base/tables.d.ts" */
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function groupsSection(run) {
  if (run.groups.rows.length === 0) return null;
  const columns = run.groups.columns;
  const place = (/** @type {string} */ name) => columns.indexOf(name);
  const plain = (/** @type {string} */ name) => (/** @type {string[]} */ row) => {
    const text = row[place(name)];
    return text === "" ? "–" : Number.isNaN(Number(text)) ? text : name.endsWith("_s") ? duration(Number(text)) : number(Number(text));
  };
  const levels = columns.filter((c) => c.endsWith("_used")).map((c) => c.slice(0, -5));
  const inLevels = new Set(levels.flatMap((l) => [`${l}_used`, `${l}_min`, `${l}_max`]));
  const tells = (/** @type {string} */ name) => name !== "start_s" && (!name.endsWith("_s") ||
    run.groups.rows.some((row) => Number(row[place(name)]) !== 0));
  /** @type {(Column & {cell: (row: string[]) => string})[]} */
  const shown = columns.filter((c) => !inLevels.has(c) && tells(c)).map((name) => ({
    title: spaced(name.replace(/_s$/, "")), number: name !== "group" && name !== "satisfied", class: name === "group" ? "name" : null, cell: plain(name)}));
  const ofLevels = levels.map((level) => ({title: `${level}s`, number: true, cell: (/** @type {string[]} */ row) => {
    const [used, min, max] = ["used", "min", "max"].map((what) => row[place(`${level}_${what}`)] ?? "");
    return used === "" ? "–" : min === "" || Number(used) === 0 ? used : `${used} × ${min === max ? min : `${min}–${max}`}`;
  }}));
  const distance = shown.findIndex((c) => c.title === "mean distance");
  shown.splice(distance < 0 ? shown.length : distance, 0, ...ofLevels);
  return [
    el("p", {class: "lead"}, `The groups of replication 0` + (run.groups.leftOut > 0
      ? `: the first ${run.groups.rows.length} of ${number(run.groups.rows.length + run.groups.leftOut)}.` : ".") +
      (levels.length > 0 ? " For each level: how many domains are used × how many members are in one, from the least to the greatest." : "")),
    table(shown, () => run.groups.rows.map((row) => shown.map((c) => c.cell(row))), {label: "Groups", shown: 12}),
  ];
}
