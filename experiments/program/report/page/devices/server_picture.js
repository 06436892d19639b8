/* The inside of a server at one instant, as plain SVG. */

import {svg, svgText} from "../base/dom.js";
import {duration} from "../base/text.js";
import {gpuCount, includesKind, nearnessWords, possibleKinds} from "./nearness.js";
import {layoutOf, tile} from "./server_layout.js";
/** @import {Devices, Machine} from "../data.d.ts" */
/** @import {PlaceBox, PlacedDevice, ServerLayout, ShowDevice, Stay} from "./devices.d.ts" */

/** @type {(text: string, size: number) => string} */
const clipped = (text, size) => (text.length > size ? `${text.slice(0, Math.max(1, size - 1))}…` : text);
/** @param {number[]} indices */
export const gpuNames = (indices) => indices.join(", ");

/**
 * The facts about a stay for the tooltip, the table and screen readers.
 * @type {(devices: Devices, stay: Stay) => [string, string][]}
 */
export function stayFacts(devices, stay) {
  /** @type {[string, string][]} */
  const facts = [["size", `${gpuCount(stay.gpus.length)}${stay.gpus.length > 0 ? `: ${gpuNames(stay.gpus)}` : ""}`]];
  if (stay.nics.length > 0) facts.push(["NICs", gpuNames(stay.nics)]);
  facts.push(["start", duration(stay.start)], ["finish", stay.finish === Infinity ? "after the end of the run" : duration(stay.finish)]);
  if (stay.gpus.length > 1) {
    facts.push(["GPUs on", nearnessWords(stay, stay.reached)], ["possible", nearnessWords(stay, possibleKinds(stay))]);
    facts.push(["NVLink", includesKind(stay.reached, 1) ? "one island" : includesKind(possibleKinds(stay), 1) ? "several islands; one was possible" : "several islands"]);
  }
  if (stay.nics.length > 0 && stay.gpus.length > 0) {
    facts.push(["NIC beside each", includesKind(stay.reached, 3) ? "yes" : includesKind(possibleKinds(stay), 3) ? "no; was possible" : "no"]);
  }
  if (stay.reason !== 0) facts.push(["why", devices.texts[stay.reason]]);
  return facts;
}

/** @param {ServerLayout} layout */
function islandShapes(layout) {
  return layout.islands.map(({label, at, bottom}) => {
    const [left, right] = [Math.min(...at), Math.max(...at)];
    const drops = at.map((x) => `M${x},24V${bottom}`).join("");
    return svg("g", {class: "island"}, svg("path", {d: `${drops}M${left},24H${right}`}),
      svgText((left + right) / 2, 15, label, {"text-anchor": "middle"}));
  });
}

/** @type {(boxes: PlaceBox[], kind: string) => SVGGElement[]} */
const placeShapes = (boxes, kind) => boxes.map(({label, x, y, width, height}) => svg("g", {class: kind},
  svg("rect", {x, y, width, height, rx: kind === "numa" ? 10 : 7}), svgText(x + tile.pad, y + height - 7, label)));

/**
 * A GPU: its number, and its pods as coloured parts with name and size. Split pods have a mark.
 * @type {(place: PlacedDevice, stays: Stay[]) => SVGGElement[]}
 */
function gpuShape(place, stays) {
  const {device, x, y, width, height} = place;
  const each = width / Math.max(stays.length, 1);
  const parts = stays.map((stay, i) => {
    const left = x + i * each;
    const size = Math.floor((each - 14) / 7.4);
    return svg("g", {class: `pod${stay.split ? " split" : ""}`},
      svg("rect", {x: left, y, width: each, height, rx: 6, style: `fill:var(--pod-${stay.colour + 1})`}),
      stay.split ? svg("rect", {class: "edge", x: left + 1.5, y: y + 1.5, width: each - 3, height: height - 3, rx: 5}) : null,
      svgText(left + 9, y + 40, clipped(stay.name, size), {class: "name"}),
      svgText(left + 9, y + 58, clipped(gpuCount(stay.gpus.length), size + 1)),
      stay.split ? svgText(left + 9, y + 75, clipped("NUMA split", size + 2), {class: "warn"}) : null);
  });
  if (stays.length === 0) {
    parts.push(svg("rect", {class: "free", x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 6}),
      svgText(x + 9, y + 40, "free", {class: "faint"}));
  }
  return [...parts, svgText(x + 9, y + 20, `GPU ${device.index}`, {class: "index"})];
}

/**
 * @param {PlacedDevice} place
 * @param {Stay[]} stays
 */
function otherShape(place, stays) {
  const {device, x, y, width, height} = place;
  const name = device.kind === "rdma" ? "NIC" : device.kind.toUpperCase();
  const chips = stays.map((stay, i) => svg("rect", {x: x + 8 + i * 11, y: y + 20, width: 9, height: 9, rx: 2, class: "chip-of",
    style: `fill:var(--pod-${stay.colour + 1})`}));
  return [svg("rect", {class: `nic${stays.length > 0 ? " held" : ""}`, x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 5}),
    svgText(x + 8, y + 15, `${name} ${device.index}`, {class: "index"}), ...chips.slice(0, Math.floor((width - 12) / 11))];
}

/**
 * The pods that hold a device, by the device's shape in the picture.
 * @type {WeakMap<Element, string[]>}
 */
export const podsOn = new WeakMap();

/**
 * The picture at one instant. `show(stays, node)` is called when the reader points at a device.
 * @type {(devices: Devices, machine: Machine, now: Stay[], show: ShowDevice) => SVGSVGElement}
 */
export function drawServer(devices, machine, now, show) {
  const layout = layoutOf(machine);
  const point = (/** @type {PlacedDevice} */ place, /** @type {string} */ kind, /** @type {Stay[]} */ stays, /** @type {Node[]} */ shapes) => {
    const name = `${kind === "gpus" ? "GPU" : place.device.kind === "rdma" ? "NIC" : place.device.kind} ${place.device.index}`;
    const told = stays.length === 0 ? "free" : stays.map((stay) =>
      `${stay.name}, ${stayFacts(devices, stay).map(([key, value]) => `${key} ${value}`).join(", ")}`).join("; ");
    const node = svg("g", {class: "device", tabindex: "0", role: "img", "aria-label": `${name}: ${told}`}, shapes);
    podsOn.set(node, stays.map((stay) => stay.name));
    for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => show(place, name, stays, node));
    for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => show(null));
    return node;
  };
  const holders = (/** @type {PlacedDevice} */ place, /** @type {"gpus" | "nics"} */ field) => now.filter((stay) => stay[field].includes(place.device.index));
  return svg("svg", {class: "server-picture", viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height,
    // a smaller picture would be unreadable, so it scrolls instead
    style: `min-width:${Math.round(0.72 * layout.width)}px`,
    role: "group", "aria-label": `The inside of a server of type ${machine.type}`},
  placeShapes(layout.numas, "numa"), placeShapes(layout.switches, "switch"), islandShapes(layout),
  layout.gpus.map((place) => point(place, "gpus", holders(place, "gpus"), gpuShape(place, holders(place, "gpus")))),
  layout.others.map((place) => {
    const stays = place.device.kind === "rdma" ? holders(place, "nics") : [];
    return point(place, "nics", stays, otherShape(place, stays));
  }));
}
