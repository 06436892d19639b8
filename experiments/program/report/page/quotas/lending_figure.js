/* Lending between the children of one parent. */

import {bytes, inBytes, markup, number, percent} from "../base/text.js";
import {colour, fontFamily} from "../base/theme.js";
import {tooltip} from "../figures/look.js";
import {parentShown, resourceHours} from "./quota_data.js";
import {kindOf, quotaName, whereBelow} from "./quota_kind.js";
/** @import {FigureMaker, NumberTip, TipPoint} from "../figures/figure.d.ts" */
/** @import {Lender, Loan, Quotas} from "../data.d.ts" */
/** @import {QuotaChoice} from "./quotas.d.ts" */

const lendersShown = 12;

/** @typedef {{lender: Lender; borrower: Lender; hours: number}} JoinedLoan */

/**
 * The loans as {lender, borrower, hours}, with all but the largest lenders and borrowers joined.
 * @type {(rows: Loan[]) => JoinedLoan[]}
 */
export function joinedLoans(rows) {
  /** @type {Map<Lender, number>[]} */
  const sums = [new Map(), new Map()];
  rows.forEach((row) => sums.forEach((sum, side) => sum.set(row[side], (sum.get(row[side]) ?? 0) + row[2])));
  const named = sums.map((sum) => new Set([...sum].filter(([who]) => who !== "others").sort((a, b) => b[1] - a[1])
    .slice(0, lendersShown).map(([who]) => who)));
  /** @type {Map<string, JoinedLoan>} */
  const joined = new Map();
  for (const row of rows) {
    const [lender, borrower] = [0, 1].map((side) =>
      (named[side].has(row[side]) || typeof row[side] === "string" ? row[side] : "others"));
    const key = JSON.stringify([lender, borrower]);
    joined.set(key, {lender, borrower, hours: (joined.get(key)?.hours ?? 0) + row[2]});
  }
  return [...joined.values()];
}

/** @type {(quotas: Quotas, parent: number, r: number) => string} */
export const lendingTitle = (quotas, parent, r) => `What was lent ${whereBelow(quotas, parent)}: ${quotas.resources[r]}`;

/** @type {FigureMaker<{quotas: Quotas; chosen: QuotaChoice}>} */
export function lendingFigure({quotas, chosen: {chosen, resource: r}}) {
  const parent = parentShown(quotas, chosen);
  const resource = quotas.resources[r];
  const rows = quotas.loans.find((l) => l.parent === parent && l.resource === r)?.rows;
  if (!rows) return null;
  const kind = kindOf(quotas);
  const special = {unreserved: kind.unreserved, taken: kind.taken, others: `other ${kind.many}`};
  const who = (/** @type {Lender} */ q) => (typeof q === "number" ? quotaName(quotas, q) : special[q]);
  /** @type {Partial<Record<Lender, string>>} */
  const inks = {unreserved: "series-7", taken: "fails"};
  const links = joinedLoans(rows).sort((a, b) => b.hours - a.hours);
  const lenders = [...new Set(links.map((l) => l.lender))];
  const borrowers = [...new Set(links.map((l) => l.borrower))];
  const hours = (/** @type {JoinedLoan[]} */ list) => list.reduce((sum, l) => sum + l.hours, 0);
  const all = hours(links);
  const from = (/** @type {Lender} */ source) => hours(links.filter((l) => l.lender === source));
  const part = (/** @type {Lender} */ source) => {
    const lent = from(source);
    return lent > 0 ? (lent < 0.01 * all ? "less than 1%" : percent(lent / all)) : "";
  };
  const told = links.filter((l) => typeof l.lender === "number").slice(0, 3)
    .map((l) => `${who(l.lender)} lent ${who(l.borrower)} ${resourceHours(resource, l.hours)}`);
  const count = Math.max(lenders.length, borrowers.length);
  const heading = (/** @type {string} */ text, /** @type {object} */ place) => ({type: "text", top: 4, ...place, style: {text, fill: colour("muted"), fontSize: 12, fontFamily: fontFamily()}});
  return {
    id: "lending",
    title: lendingTitle(quotas, parent, r),
    height: 56 + 34 * Math.max(3, count),
    summary: `${resourceHours(resource, all)} were used beyond a ${kind.min}` + (told.length > 0 ? `: ${told.join("; ")}.` : ".") +
      kind.lent(part("unreserved"), part("taken")),
    columns: [{title: "lender", class: "name"}, {title: "borrower", class: "name"}, {title: `${inBytes(resource) ? "amount" : resource}-hours`, number: true},
      {title: "share", number: true}],
    rows: () => rows.map(([lender, borrower, h]) => [who(lender), who(borrower),
      inBytes(resource) ? `${bytes(h)}-hours` : number(Number(h.toPrecision(4))), percent(h / all)]),
    option: (width) => {
      const margin = Math.min(width * 0.3, 20 + 7.2 * Math.max(...[...lenders, ...borrowers].map((q) => who(q).length)));
      const label = (/** @type {string} */ position) => ({position, color: colour("ink"), fontSize: 13, width: margin - 12, overflow: "break",
        formatter: (/** @type {NumberTip} */ p) => p.name.slice(2), textBorderWidth: 0});
      return {
        graphic: [heading("lends", {left: Math.max(0, margin - 40)}), heading("borrows", {right: Math.max(0, margin - 56)})],
        tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number, {source: string; target: string; value: number}>} */ p) => (p.dataType === "edge"
          ? `${markup(p.data.source.slice(2))} → ${markup(p.data.target.slice(2))}<br><b>${resourceHours(resource, p.data.value)}</b> (${percent(p.data.value / all)})`
          : `${markup(p.name.slice(2))}<br><b>${resourceHours(resource, p.value)}</b> ${p.name.startsWith("f ") ? "lent" : "borrowed"}`)}),
        series: [{type: "sankey", left: margin, right: margin, top: 28, bottom: 10, nodeWidth: 14, nodeGap: 17, draggable: false,
          nodeAlign: "justify", layoutIterations: 32, emphasis: {focus: "adjacency"},
          data: [
            ...lenders.map((q) => ({name: `f ${who(q)}`, depth: 0, label: label("left"), itemStyle: {color: colour(inks[q] ?? "bar"), borderWidth: 0}})),
            ...borrowers.map((q) => ({name: `t ${who(q)}`, depth: 1, label: label("right"), itemStyle: {color: colour("group"), borderWidth: 0}})),
          ],
          links: links.map((l) => ({source: `f ${who(l.lender)}`, target: `t ${who(l.borrower)}`, value: l.hours,
            lineStyle: {color: colour(inks[l.lender] ?? "bar"), opacity: 0.38, curveness: 0.5}}))}],
      };
    },
  };
}
