/* Unpacks the columns of numbers that the page's data has in a short form. */

/** @import {Packed, PackedNumbers, Value} from "../data.d.ts" */

/**
 * A column of whole numbers from its short form: one number for all, or the text that page_json.hpp
 * describes.
 * @param {Packed} column
 * @param {number} count
 */
export function unpacked(column, count) {
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

/**
 * A column of any numbers; null for a missing number.
 * @type {(column: PackedNumbers, count: number) => Value[]}
 */
export function unpackedNumbers(column, count) {
  if (!column) return new Array(count).fill(null);
  const none = column.null;
  return Array.from(unpacked(column.values, count), (v) => (v === none ? null : column.per ? v / column.per : v * (column.step ?? 1)));
}

/** @param {string} text */
export function unpackedFloats(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}
