/* Draws SVG with the calls of a canvas. */

import {markup} from "../base/text.js";
import {fontFamily} from "../base/theme.js";
import {textWidth} from "./metric.js";

/** A number with at most two decimals, which is a tenth of what a printer resolves. */
const short = (/** @type {number} */ v) => String(Math.round(v * 100) / 100);

/** @typedef {{size?: number; weight?: number; fill: string; anchor?: "start" | "middle" | "end"; middle?: boolean}} TextLook */

/** @type {(x: number, y: number, text: string, look: TextLook) => string} */
export const svgText = (x, y, text, {size = 12, weight = 400, fill, anchor = "start", middle = true}) =>
  `<text x="${short(x)}" y="${short(y + (middle ? size * 0.35 : 0))}" font-size="${size}px" font-family="${markup(fontFamily())}"` +
  `${weight === 400 ? "" : ` font-weight="${weight}"`}${anchor === "start" ? "" : ` text-anchor="${anchor}"`} fill="${fill}">${markup(text)}</text>`;

/** @type {(x: number, y: number, width: number, height: number, fill: string) => string} */
export const svgRectangle = (x, y, width, height, fill) =>
  `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${fill}"/>`;

/** As much of a canvas' context as the picture of pods over time needs. */
export class Pen {
  fillStyle = "";
  strokeStyle = "";
  lineWidth = 1;
  font = "";
  textAlign = "left";
  textBaseline = "middle";
  svg = "";
  path = "";

  /** @type {(x: number, y: number, width: number, height: number) => void} */
  fillRect(x, y, width, height) { this.svg += svgRectangle(x, y, width, height, this.fillStyle); }
  /** @type {(x: number, y: number, width: number, height: number) => void} */
  strokeRect(x, y, width, height) {
    this.svg += `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`;
  }
  size() { return Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 12); }
  /** @type {(text: string, x: number, y: number) => void} */
  fillText(text, x, y) {
    const anchor = this.textAlign === "center" ? "middle" : this.textAlign === "right" ? "end" : "start";
    this.svg += svgText(x, y, text, {size: this.size(), fill: this.fillStyle, anchor});
  }
  /** @param {string} text */
  measureText(text) { return {width: textWidth(text, this.size())}; }
  beginPath() { this.path = ""; }
  /** @type {(x: number, y: number) => void} */
  moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }
  /** @type {(x: number, y: number) => void} */
  lineTo(x, y) { this.path += `L${short(x)} ${short(y)}`; }
  stroke() { this.svg += `<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`; }
}
