/* The text about a quota if there is nothing to draw. */

import {el} from "../base/dom.js";
import {childrenTitle, childrenUse} from "./children_figure.js";
import {lendingTitle} from "./lending_figure.js";
import {parentShown, quotaName, termsOf} from "./quota_data.js";
import {quotaWords} from "./quota_figure.js";
/** @import {QuotaChoice} from "./quotas.d.ts" */
/** @import {Quotas} from "../data.d.ts" */

/**
 * The text about a quota without a series.
 * @type {(quotas: Quotas, choice: QuotaChoice) => HTMLHeadingElement[]}
 */
export function quotaWithoutSeries(quotas, {chosen: q, resource: r}) {
  return [el("h3", {}, `${quotaName(quotas, q)}: ${quotas.resources[r]}`), el("p", {class: "lead"}, `${quotaWords(quotas, q, r)} ` +
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
    el("p", {class: "lead"}, `The series of these ${termsOf(quotas).many} are not in this page, to keep it small.`)];
}

/**
 * The text if there was no lending; nothing if there could be none, because no Cohort is above.
 * @type {(quotas: Quotas, choice: QuotaChoice) => HTMLDivElement[]}
 */
export function nothingLent(quotas, {chosen, resource: r}) {
  if (quotas.kueue && quotas.kueue.kinds[parentShown(quotas, chosen)] !== "Cohort") return [];
  const {where, title} = lendingTitle(quotas, parentShown(quotas, chosen), r);
  return [el("div", {}, el("h3", {}, title),
    el("p", {class: "lead"}, `Nobody ${where} used more of ${quotas.resources[r]} than its ${termsOf(quotas).min}, or there is but one.`))];
}
