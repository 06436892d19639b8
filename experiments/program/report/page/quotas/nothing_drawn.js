/* The text about a quota if there is nothing to draw. */

import {el} from "../base/dom.js";
import {childrenTitle, childrenUse} from "./children_figure.js";
import {lendingTitle} from "./lending_figure.js";
import {parentShown} from "./quota_data.js";
import {kindOf, quotaName, whereBelow} from "./quota_kind.js";
/** @import {QuotaChoice} from "./quotas.d.ts" */
/** @import {Quotas} from "../data.d.ts" */

/**
 * The text about a quota without a series.
 * @type {(quotas: Quotas, choice: QuotaChoice) => HTMLHeadingElement[]}
 */
export function quotaWithoutSeries(quotas, {chosen: q, resource: r}) {
  return [el("h3", {}, `${quotaName(quotas, q)}: ${quotas.resources[r]}`), el("p", {class: "lead"}, `${kindOf(quotas).words(quotas, q, r)} ` +
    (quotas.series[q] ? "There is no series of this resource." : "Its series is not in this page, to keep it small."))];
}

/**
 * The text if the children have no series in the page; nothing if there are no children.
 * @type {(quotas: Quotas, choice: QuotaChoice) => HTMLHeadingElement[]}
 */
export function childrenWithoutSeries(quotas, {chosen, resource: r}) {
  const parent = parentShown(quotas, chosen);
  const {shown, left} = childrenUse(quotas, parent, r, chosen);
  return shown.length > 0 || left === 0 ? [] : [el("h3", {}, childrenTitle(quotas, parent, r)),
    el("p", {class: "lead"}, `The series of these ${kindOf(quotas).many} are not in this page, to keep it small.`)];
}

/**
 * The text if there was no lending; nothing if there could be none.
 * @type {(quotas: Quotas, choice: QuotaChoice) => HTMLDivElement[]}
 */
export function nothingLent(quotas, {chosen, resource: r}) {
  const parent = parentShown(quotas, chosen);
  const kind = kindOf(quotas);
  if (!kind.lends(quotas, parent)) return [];
  return [el("div", {}, el("h3", {}, lendingTitle(quotas, parent, r)),
    el("p", {class: "lead"}, `No ${kind.quota} ${whereBelow(quotas, parent)} used more of ${quotas.resources[r]} than its ${kind.min}, or there is but one.`))];
}
