/* What all parts of the page share: its data and state, and how elements, numbers and units are written. */

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const state = {run: 0, view: 0, resource: data.runs[0]?.cluster?.paid ?? 0, distribution: 0, compared: 0, series: "all", quota: null,
  nearness: 2, server: 0, serverTime: null, filmPart: null, filmMoment: null, ganttWay: 0, cumulativeLog: true};
const charts = new Map();  // section id to ECharts instance; the tests look in here
window.berth = {charts, data, state};

/** An element with attributes and children; texts are texts, never markup. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      node.addEventListener(key.slice(2), value);
    } else if (value === true) {
      node.setAttribute(key, "");
    } else if (value !== false && value != null) {
      node.setAttribute(key, value);
    }
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

/** A column of whole numbers that the data holds in few letters: one number for all, or what page_pack.hpp describes. */
function unpacked(column, count) {
  const out = new Float64Array(count);
  if (typeof column === "number") return out.fill(column);
  const bytes = atob(column.slice(1));
  const differences = column[0] === "d";
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let value = 0;
    for (let scale = 1, more = true; more; scale *= 128) {
      const byte = bytes.charCodeAt(at++);
      more = byte >= 128;
      value += (byte & 127) * scale;
    }
    value = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    out[i] = differences && i > 0 ? out[i - 1] + value : value;
  }
  return out;
}

/** A column of any numbers; null where there is none. */
function unpackedNumbers(column, count) {
  if (!column) return new Array(count).fill(null);
  const none = column.null;
  return Array.from(unpacked(column.values, count), (v) => (v === none ? null : column.per ? v / column.per : v * column.step));
}

for (const {series} of data.runs) {
  for (const one of series ? [...series.runs, ...(series.band ? [series.band] : [])] : []) {
    one.time = unpackedNumbers(one.time, one.points);
    for (const columns of ["values", "mean", "low", "high"]) {
      one[columns] = one[columns]?.map((column) => unpackedNumbers(column, one.points));
    }
  }
}

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
const markup = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);
const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const spaced = (name) => name.replace(/_/g, " ");

/** While a table is written for other programs, numbers are as they are, times in seconds, amounts in bytes, shares of 1. */
let plain = false;
const plainly = (value) => (value == null || Number.isNaN(value) ? "" : String(value));
/** A table as RFC 4180 wants it; `rows` is asked for plain numbers. */
function csvOf(columns, rows) {
  plain = true;
  try {
    const cell = (value) => {
      const text = value == null || value === "–" ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [columns.map((c) => c.title), ...rows()].map((row) => `${row.map(cell).join(",")}\n`).join("");
  } finally {
    plain = false;
  }
}

function number(value) {
  if (plain) return plainly(value);
  if (value == null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en-US");
  if (size >= 1e6 || size < 1e-4) return value.toPrecision(4).replace("e+", "e");
  if (size >= 1000) return value.toLocaleString("en-US", {maximumFractionDigits: 1});
  return String(Number(value.toPrecision(4)));
}

// Made once: that takes much longer than their use, and tables use them a thousand times.
const fixedFormats = [...Array(13).keys()].map((digits) =>
  new Intl.NumberFormat("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits}));

/**
 * A number with the digits that an interval around it carries: as many places as show two digits of ci95.
 * report::text_to_interval in interval_text.hpp has the same rule.
 */
function toInterval(name, value, ci95) {
  if (plain) return plainly(value);
  if (value == null || !ci95 || ci95 < 1e-6 || ci95 > 1e9 || /(^|_)bytes(_|$)/.test(name)) return inUnit(name, value);
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(ci95))));
  return fixedFormats[digits].format(value).replace(/^-(?=[0.]*$)/, "");
}

/** A mean with no more digits than its confidence interval knows: 18.26 ± 0.27. */
function withInterval(name, mean, ci95) {
  if (plain) return mean == null || ci95 == null ? plainly(mean) : `${mean} ± ${ci95}`;
  if (mean == null || ci95 == null || ci95 === 0) return inUnit(name, mean);
  const half = ci95 < 1e-6 || ci95 > 1e9 ? number(Number(ci95.toPrecision(2))) : toInterval(name, ci95, ci95);
  return `${toInterval(name, mean, ci95)} ± ${half}`;
}

const percent = (share) => plain ? plainly(share) : `${Number((100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0))}%`;

function duration(seconds) {
  if (plain) return plainly(seconds);
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const at = parts.findIndex(([size]) => Math.abs(seconds) >= size);
  if (at < 0 && seconds !== 0) return `${number(Number((seconds * 1000).toPrecision(3)))} ms`;
  if (at < 0 || at === 3) return `${number(seconds)} s`;
  const [size, unit] = parts[at];
  const next = parts[at + 1][0];
  seconds = Math.round(seconds / next) * next;
  if (at > 0 && Math.abs(seconds) >= parts[at - 1][0]) return duration(seconds);  // 59.99 min are an hour
  const whole = Math.floor(seconds / size);
  const rest = Math.round((seconds - whole * size) / parts[at + 1][0]);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${parts[at + 1][1]}`;
}

function bytes(value) {
  if (plain) return plainly(value);
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (value >= 1024 && at + 1 < units.length) {
    value /= 1024;
    ++at;
  }
  return `${number(Number(value.toPrecision(4)))} ${units[at]}`;
}

const inBytes = (resource) => /memory|storage|bytes|disk/.test(resource);
const amount = (resource, value) => (inBytes(resource) ? bytes(value) : number(value));

/** A value in the unit that its metric's name tells. */
function inUnit(name, value) {
  if (value == null) return "–";
  if (/(^|_)bytes(_|$)/.test(name)) return bytes(value);
  return number(value);
}

/** Shares a name's digits at the end, when all names of a level have one beginning. */
function shortNames(names) {
  const beginning = (name) => name.replace(/\d+$/, "");
  const common = beginning(names[0]);
  const all = common.length > 0 && names.every((n) => beginning(n) === common && n !== common);
  return all ? names.map((n) => n.slice(common.length)) : names;
}

function choice(title, texts, selected, change, id) {
  return el("label", {}, title, el("select", {id, onchange: (e) => change(Number(e.target.value))},
    texts.map((text, i) => el("option", {value: i, selected: i === selected}, text))));
}
