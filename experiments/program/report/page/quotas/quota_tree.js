/* The tree of quotas: a list of rows, each with a bar, for mouse and keyboard. */

import {choice, el} from "../base/dom.js";
import {lastOf} from "../base/lists.js";
import {whenShown} from "../base/sections.js";
import {amount, duration, inBytes, number, plural} from "../base/text.js";
import {ancestorsOf, childrenOf, quotaAmounts, quotaState} from "./quota_data.js";
import {kindOf, quotaName} from "./quota_kind.js";
/** @import {QuotaAmounts, QuotaState, TreeRow} from "./quotas.d.ts" */
/** @import {Quotas, Value} from "../data.d.ts" */

const treeRowsMax = 1500;

/**
 * The visible rows: [{quota, level}], parents before children. A filter also keeps the ancestors of
 * the quotas that it finds.
 * @type {(quotas: Quotas, chosen: QuotaState) => TreeRow[]}
 */
export function visibleQuotas(quotas, chosen) {
  const wanted = chosen.filter.trim().toLowerCase();
  /** @type {Set<number>} */
  const kept = new Set();
  if (wanted) {
    quotas.names.forEach((_, q) => {
      if (quotaName(quotas, q).toLowerCase().includes(wanted)) {
        kept.add(q);
        ancestorsOf(quotas, q).forEach((above) => kept.add(above));
      }
    });
  }
  /** @type {TreeRow[]} */
  const rows = [];
  const walk = (/** @type {number} */ q, /** @type {number} */ level) => {
    if (wanted && !kept.has(q)) return;
    rows.push({quota: q, level, open: wanted ? true : chosen.open.has(q)});
    if (lastOf(rows).open) childrenOf(quotas, q).forEach((child) => walk(child, level + 1));
  };
  walk(0, 1);
  return rows;
}

/**
 * The use against min and max. The bar ends at max, or where it would be too long for a picture.
 * @type {(amounts: QuotaAmounts, borrowing: boolean) => HTMLSpanElement}
 */
function quotaBar({used, min, max}, borrowing) {
  const sure = borrowing ? min ?? 0 : used ?? 0;
  const reach = Math.max(used ?? 0, min ?? 0);
  const open = max == null || max > 4 * reach;
  const end = open ? 1.25 * reach : Math.max(max, used ?? 0);
  const share = (/** @type {number} */ value) => `${end > 0 ? (100 * Math.min(value, end)) / end : 0}%`;
  return el("span", {class: open ? "quota-bar open" : "quota-bar", "aria-hidden": "true"},
    el("span", {class: "within", style: `width:${share(Math.min(used ?? 0, sure))}`}),
    used != null && used > sure ? el("span", {class: "beyond", style: `left:${share(sure)};width:calc(${share(used)} - ${share(sure)})`}) : null,
    min != null && min > 0 ? el("span", {class: "sure", style: `left:${share(min)}`}) : null);
}

/**
 * Both amounts in one unit, with three digits: 3.15 / 3.38 TiB.
 * @type {(resource: string, amounts: QuotaAmounts) => string}
 */
function usedOfMin(resource, {used, min}) {
  const digits = (/** @type {Value | undefined} */ value) => (value == null ? "–" : number(Number(value.toPrecision(3))));
  if (!inBytes(resource)) return `${digits(used)} / ${digits(min)}`;
  const most = Math.max(used ?? 0, min ?? 0);
  const power = most > 0 ? Math.min(5, Math.floor(Math.log2(most) / 10)) : 0;
  const scaled = (/** @type {Value | undefined} */ value) => (value == null ? null : value / 1024 ** power);
  const unit = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power];
  return min == null ? `${digits(scaled(used))} ${unit} / –` : `${digits(scaled(used))} / ${digits(scaled(min))} ${unit}`;
}

/** @type {(quotas: Quotas, chosen: QuotaState, row: TreeRow, resource: string) => HTMLDivElement} */
function quotaRow(quotas, chosen, {quota, level, open}, resource) {
  const values = quotaAmounts(quotas, quota, chosen);
  const show = (/** @type {Value | undefined} */ value) => (value == null ? "–" : amount(resource, inBytes(resource) ? value : Number(value.toPrecision(3))));
  const parent = childrenOf(quotas, quota).length > 0;
  const gone = quotas.gone.find(([q]) => q === quota);
  const name = quotaName(quotas, quota);
  return el("div", {role: "treeitem", id: `quota-${quota}`, class: "quota-row", "data-quota": quota,
    tabindex: quota === chosen.focused ? "0" : "-1", "aria-level": level, "aria-selected": String(quota === chosen.chosen),
    "aria-expanded": parent ? String(open) : null, style: `--depth:${Math.min(level - 1, 12)}`,
    "aria-label": `${name}: used ${show(values.used)}, min ${show(values.min)}, max ${show(values.max)}`,
    title: gone ? `${name}, until ${duration(gone[1])}` : name},
    el("span", {class: "twisty", "aria-hidden": "true"}, parent ? (open ? "▾" : "▸") : ""),
    el("span", {class: gone ? "quota-name gone" : "quota-name"}, name),
    quotaBar(values, kindOf(quotas).borrows(quotas, quota)),
    el("span", {class: "quota-amount"}, usedOfMin(resource, values)));
}

/**
 * Handles the usual keys of a tree. Other keys are left to the browser.
 * @param {KeyboardEvent} e
 * @param {Quotas} quotas
 * @param {HTMLElement} tree
 * @param {{focus: (q: number) => void; toggle: (q: number, open: boolean) => void; take: (q: number) => void}} does
 * @returns {void}
 */
function treeKey(e, quotas, tree, {focus, toggle, take}) {
  const chosen = quotaState(quotas);
  const rows = [...tree.querySelectorAll("div.quota-row")].filter((row) => row instanceof HTMLElement);
  const q = chosen.focused;
  const at = rows.findIndex((row) => Number(row.dataset.quota) === q);
  const to = (/** @type {number} */ i) => rows[i] && focus(Number(rows[i].dataset.quota));
  const open = rows[at]?.getAttribute("aria-expanded");
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowDown: () => to(at + 1),
    ArrowUp: () => to(at - 1),
    Home: () => to(0),
    End: () => to(rows.length - 1),
    ArrowRight: () => (open === "false" ? toggle(q, true) : open === "true" ? to(at + 1) : null),
    ArrowLeft: () => (open === "true" && !chosen.filter.trim() ? toggle(q, false)
      : quotas.parents[q] >= 0 ? focus(quotas.parents[q]) : null),
    Enter: () => take(q),
    " ": () => take(q),
  };
  if (keys[e.key] && !e.ctrlKey && !e.altKey && !e.metaKey) {
    e.preventDefault();
    keys[e.key]();
  }
}

/**
 * The tree with its filter. `choose(quota)` is called when the reader chooses another quota.
 * @type {(quotas: Quotas, choose: (q: number) => void) => HTMLDivElement}
 */
export function quotaTree(quotas, choose) {
  const chosen = quotaState(quotas);
  const resource = quotas.resources[chosen.resource];
  const tree = el("div", {role: "tree", class: "quota-tree", "aria-label": kindOf(quotas).tree});
  const status = el("p", {class: "faint", role: "status"});
  const draw = () => {
    const rows = visibleQuotas(quotas, chosen);
    if (!rows.some((row) => row.quota === chosen.focused)) {
      chosen.focused = rows.some((row) => row.quota === chosen.chosen) ? chosen.chosen : rows[0]?.quota;
    }
    tree.replaceChildren(...rows.slice(0, treeRowsMax).map((row) => quotaRow(quotas, chosen, row, resource)));
    const found = quotas.names.filter((_, q) => quotaName(quotas, q).toLowerCase().includes(chosen.filter.trim().toLowerCase()));
    status.textContent = (chosen.filter.trim() ? `${plural(found.length, kindOf(quotas).quota)} found.` : "") +
      (rows.length > treeRowsMax ? ` The first ${number(treeRowsMax)} rows are shown: filter for the others.` : "");
  };
  const rowOf = (/** @type {number} */ q) => /** @type {HTMLElement | null} */ (tree.querySelector(`[data-quota="${q}"]`));
  const focus = (/** @type {number} */ q) => {
    rowOf(chosen.focused)?.setAttribute("tabindex", "-1");
    chosen.focused = q;
    rowOf(q)?.setAttribute("tabindex", "0");
    rowOf(q)?.focus();
  };
  const toggle = (/** @type {number} */ q, /** @type {boolean} */ open) => {
    if (open) chosen.open.add(q);
    else chosen.open.delete(q);
    draw();
    focus(q);
  };
  const take = (/** @type {number} */ q) => {
    rowOf(chosen.chosen)?.setAttribute("aria-selected", "false");
    chosen.chosen = q;
    rowOf(q)?.setAttribute("aria-selected", "true");
    focus(q);
    choose(q);
  };
  tree.addEventListener("click", (e) => {
    const target = e.target instanceof Element ? e.target : tree;
    const row = target.closest("[data-quota]");
    if (!(row instanceof HTMLElement)) return;
    const q = Number(row.dataset.quota);
    if (target.classList.contains("twisty") && childrenOf(quotas, q).length > 0) toggle(q, !chosen.open.has(q));
    else take(q);
  });
  tree.addEventListener("keydown", (e) => treeKey(e, quotas, tree, {focus, toggle, take}));
  tree.addEventListener("scroll", () => { chosen.scroll = tree.scrollTop; });
  draw();
  whenShown(() => { tree.scrollTop = chosen.scroll; });
  const filter = el("input", {type: "search", id: "quota-filter", placeholder: "part of a name", value: chosen.filter,
    oninput: (e) => {
      chosen.filter = e.target.value;
      draw();
    }});
  return el("div", {class: "quota-pick"},
    el("div", {class: "controls"}, el("label", {}, "Filter", filter), timeControls(quotas, draw)),
    el("div", {class: "quota-heads faint", "aria-hidden": "true"}, el("span", {}, kindOf(quotas).one), el("span", {}, `used / ${kindOf(quotas).min}`)),
    tree, status);
}

/**
 * The choice of the moment that the bars show.
 * @type {(quotas: Quotas, draw: () => void) => HTMLSpanElement[]}
 */
function timeControls(quotas, draw) {
  const chosen = quotaState(quotas);
  /** @type {[QuotaState["when"], string][]} */
  const ways = [["mean", "mean over time"], ["last", "at the end"], ["time", "at a time"]];
  const told = el("span", {class: "faint"});
  const slider = el("input", {type: "range", id: "quota-time", min: quotas.first, max: quotas.last,
    step: "any", value: chosen.time, "aria-label": "The time that the bars show"});
  const show = () => {
    slider.hidden = told.hidden = chosen.when !== "time";
    told.textContent = duration(chosen.time);
    slider.setAttribute("aria-valuetext", told.textContent);
  };
  slider.addEventListener("input", () => {
    chosen.time = Number(slider.value);
    show();
    draw();
  });
  show();
  return [choice("Bars", ways.map(([, text]) => text), ways.findIndex(([way]) => way === chosen.when), (i) => {
    chosen.when = ways[i][0];
    show();
    draw();
  }, "quota-when"), slider, told];
}
