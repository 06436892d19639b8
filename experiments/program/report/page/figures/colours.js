/* The page's colours, and colours between them. */

import {colour} from "../base/theme.js";

export const palette = () => [1, 2, 3, 4, 5, 6, 7].map((i) => colour(`series-${i}`));
/** @type {(hex: string, alpha: number) => string} */
export const mixedAlpha = (hex, alpha) => hex + Math.round(alpha * 255).toString(16).padStart(2, "0");

/** @type {(from: string, to: string, share: number) => string} */
export function mixed(from, to, share) {
  const parse = (/** @type {string} */ hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [a, b] = [parse(from), parse(to)];
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * share)).join(",")})`;
}

/**
 * The lightness of a canvas colour, from 0 to 1.
 * @param {string} text
 */
export function luminance(text) {
  const parts = text.startsWith("#") ? [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)) : (text.match(/\d+/g) ?? []).map(Number);
  return (0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2]) / 255;
}
