/* Tables that can be sorted by their headings and filtered. Long ones are shown page by page. */

import {defined} from "./definitions.js";
import {breakable, el} from "./dom.js";
import {inPlainWriting, number} from "./text.js";
/** @import {Cell, Column, Rows, SortKey, TableOptions} from "./tables.d.ts" */

const tableRowsShown = 100;

/** @param {Cell} cell */
const textOf = (cell) => (cell instanceof Node ? cell.textContent ?? "" : String(cell ?? ""));

/**
 * The value by which a cell is sorted: a number if its text is a plain number.
 * @type {(cell: Cell) => SortKey}
 */
export function sortKey(cell) {
  const text = textOf(cell).trim();
  if (text === "" || text === "–") return null;
  const value = Number(text.split(" ± ")[0].replace(/^[>+]\s?|,/g, ""));
  return Number.isNaN(value) ? text : value;
}

/**
 * Missing values come last in either direction; numbers come before texts.
 * @type {(a: SortKey, b: SortKey, sign: number) => number}
 */
export function compareKeys(a, b, sign) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  if (typeof a === "string" && typeof b === "string") return sign * a.localeCompare(b, "en", {numeric: true});
  return typeof a === "number" ? -1 : 1;
}

/**
 * Shows a hint as long as there are more columns than fit.
 * @type {(scroll: HTMLElement, hint: HTMLElement) => void}
 */
function watchScroll(scroll, hint) {
  const update = () => {
    hint.hidden = scroll.scrollWidth <= scroll.clientWidth + 1;
    scroll.classList.toggle("more", !hint.hidden && scroll.scrollLeft + scroll.clientWidth < scroll.scrollWidth - 1);
  };
  scroll.addEventListener("scroll", update, {passive: true});
  new ResizeObserver(update).observe(scroll);
}

/**
 * A table. `columns`: {title, number, class, metric}. `rows`: lists of texts or elements, or a
 * function that returns them and, in plain writing, the values to sort by. `options`: {label,
 * shown: the number of rows at first, plain: no sorting, order: {column, descending}, which is
 * kept, keys(): values to sort by instead}.
 * @type {(columns: Column[], rows: Rows | (() => Rows), options?: TableOptions) => HTMLElement}
 */
export function table(columns, rows, options = {}) {
  const cells = typeof rows === "function" ? rows() : rows;
  const order = options.order ?? {column: -1, descending: false};
  const shown = options.shown ?? tableRowsShown;
  /** @type {SortKey[][] | null} */
  let keys = null;
  let wanted = "";
  let page = 0;
  let open = cells.length <= shown + 3;  // whether more than the first rows are shown
  const keysOf = () => {
    if (keys) return keys;
    if (options.keys) return (keys = options.keys());
    keys = inPlainWriting(() => (typeof rows === "function" ? rows() : rows).map((row) => row.map(sortKey)));
    return keys;
  };
  const texts = () => cells.map((row) => row.map((cell) => textOf(cell)).join("\n").toLowerCase());
  /** @type {string[] | null} */
  let found = null;
  const body = el("tbody");
  const heads = columns.map((c, i) => {
    const title = c.metric ? defined(c.metric, c.title) : breakable(c.title);
    return el("th", {scope: "col", class: c.number ? "number" : null}, options.plain || cells.length < 2 ? title
      : el("button", {type: "button", class: "sort", title: c.help, onclick: () => {
        // Columns of numbers begin with the greatest. The third click restores the table's original
        // order.
        if (order.column !== i) Object.assign(order, {column: i, descending: Boolean(c.number)});
        else if (order.descending === Boolean(c.number)) order.descending = !order.descending;
        else order.column = -1;
        page = 0;
        draw();
      }}, title, el("span", {class: "arrow", "aria-hidden": "true"})));
  });
  const line = (/** @type {Cell[]} */ row) => el("tr", {}, row.map((value, i) => el("td", {class: columns[i].number ? "number" : columns[i].class},
    columns[i].class === "name" && typeof value === "string" ? breakable(value) : value ?? "–")));
  const below = el("div", {class: "table-below"});
  const hint = el("p", {class: "hint", hidden: true}, "There are more columns: scroll the table sideways.");
  const scroll = el("div", {class: "scroll", role: "region", "aria-label": options.label, tabindex: "0"},
    el("table", {"aria-label": options.label}, el("thead", {}, el("tr", {}, heads)), body));
  const button = (/** @type {string} */ text, /** @type {boolean} */ disabled, /** @type {() => void} */ act) => el("button", {type: "button", disabled, onclick: (e) => {
    const again = e.currentTarget.textContent;
    act();
    draw();
    [...below.querySelectorAll("button")].find((b) => b.textContent === again && !b.disabled)?.focus();
  }}, text);
  const draw = () => {
    heads.forEach((head, i) => {
      const up = !order.descending;
      head.setAttribute("aria-sort", order.column !== i ? "none" : up ? "ascending" : "descending");
      const arrow = head.querySelector(".arrow");
      if (arrow) arrow.textContent = order.column !== i ? "" : up ? " ▲" : " ▼";
    });
    let list = [...cells.keys()];
    if (wanted !== "") {
      const all = found ??= texts();
      list = list.filter((i) => wanted.split(/\s+/).every((part) => all[i].includes(part)));
    }
    if (order.column >= 0) list.sort((a, b) => compareKeys(keysOf()[a][order.column], keysOf()[b][order.column], order.descending ? -1 : 1) || a - b);
    const size = open || wanted !== "" ? tableRowsShown : shown;
    const pages = Math.max(1, Math.ceil(list.length / size));
    page = Math.min(page, pages - 1);
    const seen = list.slice(page * size, (page + 1) * size);
    body.replaceChildren(...seen.map((i) => line(cells[i])));
    const paged = open || wanted !== "";
    below.replaceChildren(...(list.length === 0 ? [el("p", {class: "faint"}, "No row has that.")]
      : list.length <= size ? []
        : !paged ? [button(`Show all ${number(list.length)}`, false, () => { open = true; })]
          : [button("Previous", page === 0, () => { --page; }),
            el("span", {class: "faint"}, `rows ${number(page * size + 1)} to ${number(Math.min((page + 1) * size, list.length))} of ${number(list.length)}`),
            button("Next", page + 1 === pages, () => { ++page; })]));
  };
  const filter = options.plain || cells.length <= 8 ? null : el("label", {class: "table-filter"}, "Filter",
    el("input", {type: "search", placeholder: "part of a row", "aria-label": `Filter: ${options.label ?? "the table"}`, oninput: (e) => {
      wanted = e.target.value.trim().toLowerCase();
      page = 0;
      draw();
    }}));
  draw();
  watchScroll(scroll, hint);
  return el("div", {class: "table-box"}, filter, hint, scroll, below);
}
