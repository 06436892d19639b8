/* Axes of times and of amounts. */

import {amount, duration, inBytes} from "../base/text.js";
import {axis, sliderColours} from "./look.js";

/** @type {(span: number) => {interval?: number}} */
export function timeTicks(span) {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
    172800, 432000, 864000, 2592000, 8640000];
  const step = steps.find((s) => span / s <= 12);
  return step && span > 5 ? {interval: step} : {};
}

/**
 * @param {number} first
 * @param {number} last
 */
export const timeAxes = (first, last) => ({
  xAxis: axis({type: "value", min: first, max: last, splitLine: {show: false},
    axisLabel: {formatter: (v) => duration(v), alignMaxLabel: "right"}, ...timeTicks(last - first)}),
  dataZoom: [{type: "slider", bottom: 8, height: 22, filterMode: "none", ...sliderColours(), labelFormatter: (/** @type {number} */ v) => duration(v)},
    {type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true}],
});

/**
 * An axis up to `reach`. Bytes have round steps of their own unit, since 2 TiB is not a round
 * number of bytes.
 * @param {string} resource
 * @param {number} reach
 */
export function amountAxis(resource, reach) {
  const unit = inBytes(resource) && reach > 1 ? 1024 ** Math.floor(Math.log2(reach) / 10) : 1;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((s) => reach / (s * unit) <= 5);
  return axis({type: "value", min: 0, max: reach, splitNumber: 4, axisLine: {show: false, onZero: false},
    ...(inBytes(resource) && step ? {interval: step * unit} : {}),
    axisLabel: {formatter: (v) => amount(resource, inBytes(resource) ? v : Number(v.toPrecision(3))), showMaxLabel: false}});
}
