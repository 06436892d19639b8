/* The section about quotas, which combines its parts. */

import {choice, el} from "../base/dom.js";
import {dropCharts, redrawSections, startCharts} from "../base/sections.js";
import {number, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {childrenFigure} from "./children_figure.js";
import {lendingFigure} from "./lending_figure.js";
import {childrenWithoutSeries, nothingLent, quotaWithoutSeries} from "./nothing_drawn.js";
import {quotaState} from "./quota_data.js";
import {quotaFigure} from "./quota_figure.js";
import {quotaTable} from "./quota_table.js";
import {quotaTree} from "./quota_tree.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Quotas, Run} from "../data.d.ts" */
/** @import {FigureMaker} from "../figures/figure.d.ts" */
/** @import {QuotaChoice} from "./quotas.d.ts" */

/** @type {(run: Run) => Made} */
export function quotasSection(run) {
  const quotas = run.quotas;
  if (!quotas) {
    return run.quotaMetrics ? [quotaTable(run, null)] : null;
  }
  const lead = [`${plural(quotas.names.length - 1, "quota")}, ${plural(quotas.samples, "sample")} of replication 0.`,
    "The tree's bars: blue up to the min, orange what is beyond it, a mark at the min, the end at the max (faded when there is none near)."];
  if (quotas.leftOut > 0) {
    lead.push(`To keep the page small, ${plural(quotas.leftOut, "quota")} have no series here: those that borrowed and over-used least.`);
  }
  if (quotas.thinned) lead.push("Long series keep the least and the greatest value of each interval.");
  if (quotas.evictions.total > quotas.evictions.marks.length) {
    lead.push(`Of ${number(quotas.evictions.total)} evictions, ${number(quotas.evictions.marks.length)} are drawn; all are counted.`);
  }
  if (quotas.changes.total > quotas.changes.marks.length) {
    lead.push(`Of ${number(quotas.changes.total)} changes, ${number(quotas.changes.marks.length)} are here, the refused ones first.`);
  }
  return treeSection({id: "quotas", quotas, lead, more: [], table: () => quotaTable(run, quotas)});
}

/**
 * A tree of quotas with the pictures of the chosen one. `more` has the pictures below those that
 * every tree has.
 * @param {{id: string; quotas: Quotas; lead: string[]; more: FigureMaker<{quotas: Quotas; chosen: QuotaChoice}>[];
 *   table: () => HTMLElement | null}} given
 * @returns {Made}
 */
export function treeSection({id, quotas, lead, more, table}) {
  const chosen = quotaState(quotas);
  const charts = el("div", {class: "quota-charts", id: "quota-charts"});
  const below = el("div", {class: "quota-below"});
  const fill = () => {
    const given = {quotas, chosen};
    dropCharts(charts);
    charts.replaceChildren(...[shownFigure(quotaFigure, given) ?? quotaWithoutSeries(quotas, chosen)].flat());
    dropCharts(below);
    below.replaceChildren(...[shownFigure(childrenFigure, given) ?? childrenWithoutSeries(quotas, chosen),
      shownFigure(lendingFigure, given) ?? nothingLent(quotas, chosen),
      ...more.map((make) => shownFigure(make, given) ?? [])].flat());
  };
  fill();
  const tree = quotaTree(quotas, () => {
    fill();
    startCharts();
  });
  return {
    controls: quotas.resources.length > 1
      ? el("div", {class: "controls"}, choice("Resource", quotas.resources, chosen.resource, (r) => {
        chosen.resource = r;
        redrawSections([id]);
      }, "quota-resource")) : null,
    content: [
      el("p", {class: "lead"}, lead.join(" ")),
      el("div", {class: "quota-layout"}, tree, charts),
      below,
      table(),
    ],
  };
}
