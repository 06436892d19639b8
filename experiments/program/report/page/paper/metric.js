/* The width of texts: that of DejaVu Sans, whatever fonts the machine has, so that equal data give
   equal pictures. Most other fonts are narrower and leave some room. */

import {setPlatformAPI} from "echarts/core";

/** The widths of the letters from space to ~, in hundredths of the font's size. */
const widths = [32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53,
  100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50,
  50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84];
const other = 84;  // signs, and wide letters approximately
const bold = 1.1;

/**
 * The width of a text, in pixels.
 * @type {(text: string, size: number, weight?: number) => number}
 */
export function textWidth(text, size, weight = 400) {
  let sum = 0;
  for (const letter of text) sum += widths[(letter.codePointAt(0) ?? 0) - 32] ?? other;
  return sum * size / 100 * (weight > 500 ? bold : 1);
}

/** Makes ECharts measure texts in the same way. */
export function useMetric() {
  setPlatformAPI({measureText: (text, font = "") => {
    const [, weight = "400"] = /\b([1-9]00)\b/.exec(font) ?? (font.includes("bold") ? ["", "700"] : []);
    const [, size = "12"] = /([\d.]+)px/.exec(font) ?? [];
    return {width: textWidth(text ?? "", Number(size), Number(weight))};
  }});
}
