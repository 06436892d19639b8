/* The table of groups. */

import {el} from "../base/dom.js";
import {table} from "../base/table.js";
import {duration, number, plural, spaced} from "../base/text.js";
/** @import {Column} from "../base/tables.d.ts" */
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @typedef {{asked: string; groups: number; started: number; holds: number; used: {sum: number; most: number}[]}} AskedGroups */

/**
 * Groups by where they asked to be placed, with where they were placed.
 * @type {(groups: Run["groups"], levels: string[]) => AskedGroups[]}
 */
export function byAsked({columns, rows}, levels) {
  const [asked, start, satisfied, ...used] = ["asked", "start_s", "satisfied", ...levels.map((level) => `${level}_used`)].map((name) => columns.indexOf(name));
  /** @type {Map<string, AskedGroups>} */
  const all = new Map();
  for (const row of rows) {
    const one = all.get(row[asked]) ?? {asked: row[asked], groups: 0, started: 0, holds: 0, used: levels.map(() => ({sum: 0, most: 0}))};
    all.set(row[asked], one);
    ++one.groups;
    if (row[start] === "") continue;
    ++one.started;
    one.holds += row[satisfied] === "true" ? 1 : 0;
    used.forEach((column, i) => {
      one.used[i].sum += Number(row[column]);
      one.used[i].most = Math.max(one.used[i].most, Number(row[column]));
    });
  }
  return [...all.values()].sort((a, b) => b.groups - a.groups);
}

/** @type {(groups: Run["groups"], levels: string[]) => HTMLElement} */
function askedTable(groups, levels) {
  const all = byAsked(groups, levels);
  const words = all.filter((one) => one.started > 0 && one.asked !== "").map((one) => (one.holds === one.started
    ? `All ${number(one.started)} groups that started and asked for “${one.asked}” have it.`
    : `Of ${plural(one.started, "group")} that started and asked for “${one.asked}”, ${number(one.holds)} have it: ${number(one.started - one.holds)} do not.`));
  return el("div", {},
    el("p", {}, words.join(" ")),
    table([{title: "asked for", class: "name"}, {title: "groups", number: true}, {title: "started", number: true}, {title: "have it", number: true},
      ...levels.flatMap((level) => [{title: `${level}s used, on average`, number: true}, {title: "at most", number: true}])],
    () => all.map((one) => [one.asked || "nothing", number(one.groups), number(one.started), one.asked === "" ? "–" : number(one.holds),
      ...one.used.flatMap(({sum, most}) => (one.started > 0 ? [number(Number((sum / one.started).toPrecision(3))), number(most)] : ["–", "–"]))]),
    {label: "Groups by where they asked to lie"}),
    el("h3", {style: "margin-top:22px"}, "Group by group"));
}

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
    title: name === "asked" ? "asked for" : spaced(name.replace(/_s$/, "")), number: !["group", "satisfied", "asked"].includes(name), class: name === "group" ? "name" : null, cell: plain(name)}));
  const ofLevels = levels.map((level) => ({title: `${level}s`, number: true, cell: (/** @type {string[]} */ row) => {
    const [used, min, max] = ["used", "min", "max"].map((what) => row[place(`${level}_${what}`)] ?? "");
    return used === "" ? "–" : min === "" || Number(used) === 0 ? used : `${used} × ${min === max ? min : `${min}–${max}`}`;
  }}));
  const distance = shown.findIndex((c) => c.title === "mean distance");
  shown.splice(distance < 0 ? shown.length : distance, 0, ...ofLevels);
  const asked = place("asked") >= 0 ? askedTable(run.groups, levels) : null;
  return [
    el("p", {class: "lead"}, `The groups of replication 0` + (run.groups.leftOut > 0
      ? `: the first ${run.groups.rows.length} of ${number(run.groups.rows.length + run.groups.leftOut)}.` : ".") +
      (levels.length > 0 ? " For each level: how many domains are used × how many members are in one, from the least to the greatest." : "")),
    asked,
    table(shown, () => run.groups.rows.map((row) => shown.map((c) => c.cell(row))), {label: "Groups", shown: 12}),
  ];
}
