/* The form of numbers, names and units. */

/** @import {Cell, Rows} from "./tables.d.ts" */
/** @import {Value} from "../data.d.ts" */

/** @type {Record<string, string>} */
const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
/** @param {string | number} text */
export const markup = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);
/** @type {(count: number, noun: string) => string} */
export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
/** @param {string} name */
export const spaced = (name) => name.replace(/_/g, " ");

/**
 * While a table is written for other programs, numbers are not rounded; times are in seconds,
 * amounts in bytes, and shares are shares of 1.
 */
let plain = false;

/** Whether numbers are currently written in plain form. */
export const isPlain = () => plain;

/**
 * Calls a function while numbers are written in plain form, and returns its result.
 * @template Given
 * @param {() => Given} give
 */
export function inPlainWriting(give) {
  plain = true;
  try {
    return give();
  } finally {
    plain = false;
  }
}

/** @param {Value | undefined} value */
const plainly = (value) => (value == null || Number.isNaN(value) ? "" : String(value));

/**
 * A table in the form of RFC 4180. `rows` is called in plain writing.
 * @type {(columns: {title: string}[], rows: () => Rows) => string}
 */
export function csvOf(columns, rows) {
  const cell = (/** @type {Cell} */ value) => {
    const text = value == null || value === "–" ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return inPlainWriting(() => [columns.map((c) => c.title), ...rows()].map((row) => `${row.map(cell).join(",")}\n`).join(""));
}

/** @type {(value: Value | undefined) => string} */
export function number(value) {
  if (plain) return plainly(value);
  if (value == null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en-US");
  if (size >= 1e6 || size < 1e-4) return value.toPrecision(4).replace("e+", "e");
  if (size >= 1000) return value.toLocaleString("en-US", {maximumFractionDigits: 1});
  return String(Number(value.toPrecision(4)));
}

// These are made only once: that takes much longer than using them, and tables use them a thousand
// times.
const fixedFormats = [...Array(13).keys()].map((digits) =>
  new Intl.NumberFormat("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits}));

/**
 * A number with as many digits as an interval around it justifies: as many decimals as show two
 * digits of ci95. report::text_to_interval in interval_text.hpp has the same rule.
 * @type {(name: string, value: Value | undefined, ci95: Value | undefined) => string}
 */
export function toInterval(name, value, ci95) {
  if (plain) return plainly(value);
  if (value == null || !ci95 || ci95 < 1e-6 || ci95 > 1e9 || /(^|_)bytes(_|$)/.test(name)) return inUnit(name, value);
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(ci95))));
  return fixedFormats[digits].format(value).replace(/^-(?=[0.]*$)/, "");
}

/**
 * A mean with no more digits than its confidence interval justifies: 18.26 ± 0.27.
 * @type {(name: string, mean: Value | undefined, ci95: Value | undefined) => string}
 */
export function withInterval(name, mean, ci95) {
  if (plain) return mean == null || ci95 == null ? plainly(mean) : `${mean} ± ${ci95}`;
  // The interval is below the last bits of the mean: the replications only differ by rounding.
  if (mean == null || ci95 == null || ci95 <= 1e-12 * Math.abs(mean)) return inUnit(name, mean);
  const half = ci95 < 1e-6 || ci95 > 1e9 ? number(Number(ci95.toPrecision(2))) : toInterval(name, ci95, ci95);
  return `${toInterval(name, mean, ci95)} ± ${half}`;
}

/** @param {number} share */
export const percent = (share) => plain ? plainly(share) : `${Number((100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0))}%`;

/** @type {(seconds: number) => string} */
export function duration(seconds) {
  if (plain) return plainly(seconds);
  /** @type {[number, string][]} */
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const at = parts.findIndex(([size]) => Math.abs(seconds) >= size);
  if (at < 0 && seconds !== 0) return `${number(Number((seconds * 1000).toPrecision(3)))} ms`;
  if (at < 0 || at === 3) return `${number(seconds)} s`;
  const [size, unit] = parts[at];
  const next = parts[at + 1][0];
  seconds = Math.round(seconds / next) * next;
  // 59.99 min become an hour
  if (at > 0 && Math.abs(seconds) >= parts[at - 1][0]) return duration(seconds);
  const whole = Math.floor(seconds / size);
  const rest = Math.round((seconds - whole * size) / parts[at + 1][0]);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${parts[at + 1][1]}`;
}

/** @param {number} value */
export function bytes(value) {
  if (plain) return plainly(value);
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (value >= 1024 && at + 1 < units.length) {
    value /= 1024;
    ++at;
  }
  return `${number(Number(value.toPrecision(4)))} ${units[at]}`;
}

/** @param {string} resource */
export const inBytes = (resource) => /memory|storage|bytes|disk/.test(resource);
/** @type {(resource: string, value: number) => string} */
export const amount = (resource, value) => (inBytes(resource) ? bytes(value) : number(value));

/**
 * A value in the unit that follows from its metric's name.
 * @type {(name: string, value: Value | undefined) => string}
 */
export function inUnit(name, value) {
  if (value == null) return "–";
  if (/(^|_)bytes(_|$)/.test(name)) return bytes(value);
  return number(value);
}

/** @type {Record<string, number>} */
const durations = {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400};
/** @type {Record<string, number>} */
const amounts = {m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40};

/**
 * Reads a value with a unit as people write it: 10m for seconds, 95% for a share, 64Gi; NaN if it
 * is not such a value.
 * @type {(text: string, unit: string) => number}
 */
export function measured(text, unit) {
  if (/^-?[\d.]+(e-?\d+)?$/.test(text)) return Number(text);
  if (text.endsWith("%")) return Number(text.slice(0, -1) || NaN) / (unit === "%" ? 1 : 100);
  const parts = [...text.matchAll(/([\d.]+)([a-zA-Z]+)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return NaN;
  return parts.reduce((sum, [, value, name]) => sum + Number(value) * ((unit === "s" ? durations : amounts)[name] ?? NaN), 0);
}

/**
 * Whether a metric is a time in seconds.
 * @param {string} name
 */
export const isTime = (name) => /_s($|_|\[)/.test(name);

/** @type {(size: number) => [number, string]} */
const timeScale = (size) => (size < 120 ? [1, "s"] : size < 7200 ? [60, "min"] : size < 172800 ? [3600, "h"] : [86400, "d"]);

/**
 * Values of one metric in the same unit, with the digits that an interval justifies: `-1.50 to 0.20
 * h`.
 * @type {(name: string, values: number[], ci95: Value | undefined) => string}
 */
export function inOneUnit(name, values, ci95) {
  const all = (/** @type {string} */ of, /** @type {number} */ scale) => values.map((v) => toInterval(of, v / scale, ci95 && ci95 / scale)).join(" to ");
  if (plain || !isTime(name)) return all(name, 1);
  const [scale, unit] = timeScale(Math.max(...values.map(Math.abs)));
  return `${all("", scale)} ${unit}`;
}

/**
 * A value for people, perhaps with its interval. A time is in seconds if it is below two minutes,
 * otherwise in minutes, hours or days. time_scale() of interval_text.hpp has the same rule.
 * @type {(name: string, value: Value | undefined, ci95?: Value) => string}
 */
export function quantity(name, value, ci95 = 0) {
  if (plain || value == null || !isTime(name)) return withInterval(name, value, ci95);
  const [scale, unit] = timeScale(Math.max(Math.abs(value), ci95 ?? 0));
  return `${withInterval("", value / scale, ci95 && ci95 / scale)} ${unit}`;
}

/**
 * Only the digits at the ends of the names, if all names of a level have the same beginning.
 * @param {string[]} names
 */
export function shortNames(names) {
  const beginning = (/** @type {string} */ name) => name.replace(/\d+$/, "");
  const common = beginning(names[0]);
  const all = common.length > 0 && names.every((n) => beginning(n) === common && n !== common);
  return all ? names.map((n) => n.slice(common.length)) : names;
}

/**
 * A percentage with one decimal, for shares that are close to each other.
 * @param {Value | undefined} share
 */
export const percent1 = (share) => (isPlain() ? plainly(share) : share == null ? "–" : `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)}%`);

/** @param {Value | undefined} value */
export const percentOf = (value) => (isPlain() ? plainly(value) : value == null ? "–" : `${value.toFixed(1)}%`);
/** @param {number} percents */
export const wholePercent = (percents) => (isPlain() ? percents : `${percents}%`);
