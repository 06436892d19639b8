/* The inside of a server at one instant, and its GPUs over time: plain SVG. */

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value != null) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

const clipped = (text, size) => (text.length > size ? `${text.slice(0, Math.max(1, size - 1))}…` : text);
const svgText = (x, y, text, more = {}) => svg("text", {x, y, ...more}, text);
const gpuNames = (indices) => indices.join(", ");

/** What the tooltip, the table and screen readers tell of a stay. */
function stayFacts(devices, stay) {
  const facts = [["size", `${gpuCount(stay.gpus.length)}${stay.gpus.length > 0 ? `: ${gpuNames(stay.gpus)}` : ""}`]];
  if (stay.nics.length > 0) facts.push(["NICs", gpuNames(stay.nics)]);
  facts.push(["start", duration(stay.start)], ["finish", stay.finish === Infinity ? "after the end of the run" : duration(stay.finish)]);
  if (stay.gpus.length > 1) {
    facts.push(["GPUs on", nearnessWords(stay, stay.reached)], ["possible", nearnessWords(stay, best(stay))]);
    facts.push(["NVLink", has(stay.reached, 1) ? "one island" : has(best(stay), 1) ? "several islands; one was possible" : "several islands"]);
  }
  if (stay.nics.length > 0 && stay.gpus.length > 0) {
    facts.push(["NIC beside each", has(stay.reached, 3) ? "yes" : has(best(stay), 3) ? "no; was possible" : "no"]);
  }
  if (stay.reason !== 0) facts.push(["why", devices.texts[stay.reason]]);
  return facts;
}

function islandShapes(layout) {
  return layout.islands.map(({label, at, bottom}) => {
    const [left, right] = [Math.min(...at), Math.max(...at)];
    const drops = at.map((x) => `M${x},24V${bottom}`).join("");
    return svg("g", {class: "island"}, svg("path", {d: `${drops}M${left},24H${right}`}),
      svgText((left + right) / 2, 15, label, {"text-anchor": "middle"}));
  });
}

const placeShapes = (boxes, kind) => boxes.map(({label, x, y, width, height}) => svg("g", {class: kind},
  svg("rect", {x, y, width, height, rx: kind === "numa" ? 10 : 7}), svgText(x + tile.pad, y + height - 7, label)));

/** One GPU: its number, and its pods as coloured parts with name and size; a mark for pods that are split. */
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

function otherShape(place, stays) {
  const {device, x, y, width, height} = place;
  const name = device.kind === "rdma" ? "NIC" : device.kind.toUpperCase();
  const chips = stays.map((stay, i) => svg("rect", {x: x + 8 + i * 11, y: y + 20, width: 9, height: 9, rx: 2, class: "chip-of",
    style: `fill:var(--pod-${stay.colour + 1})`}));
  return [svg("rect", {class: `nic${stays.length > 0 ? " held" : ""}`, x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 5}),
    svgText(x + 8, y + 15, `${name} ${device.index}`, {class: "index"}), ...chips.slice(0, Math.floor((width - 12) / 11))];
}

/** The picture at one instant. `show(stays, node)` is called when the reader points at a device. */
function drawServer(devices, machine, now, show) {
  const layout = machine.layout ??= serverLayout(machine);
  const point = (place, kind, stays, shapes) => {
    const name = `${kind === "gpus" ? "GPU" : place.device.kind === "rdma" ? "NIC" : place.device.kind} ${place.device.index}`;
    const told = stays.length === 0 ? "free" : stays.map((stay) =>
      `${stay.name}, ${stayFacts(devices, stay).map(([key, value]) => `${key} ${value}`).join(", ")}`).join("; ");
    const node = svg("g", {class: "device", tabindex: "0", role: "img", "aria-label": `${name}: ${told}`}, shapes);
    node.pods = stays.map((stay) => stay.name);
    for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => show(place, name, stays, node));
    for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => show(null));
    return node;
  };
  const holders = (place, field) => now.filter((stay) => stay[field].includes(place.device.index));
  return svg("svg", {class: "server-picture", viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height,
    style: `min-width:${Math.round(0.72 * layout.width)}px`,  // smaller could not be read: it scrolls instead
    role: "group", "aria-label": `The inside of a server of type ${machine.type}`},
  placeShapes(layout.numas, "numa"), placeShapes(layout.switches, "switch"), islandShapes(layout),
  layout.gpus.map((place) => point(place, "gpus", holders(place, "gpus"), gpuShape(place, holders(place, "gpus")))),
  layout.others.map((place) => {
    const stays = place.device.kind === "rdma" ? holders(place, "nics") : [];
    return point(place, "nics", stays, otherShape(place, stays));
  }));
}

const lane = {left: 76, right: 12, top: 4, height: 15, bottom: 24};

/** Rows of the history: GPUs in the picture's order, and where a NUMA node begins. */
function lanesOf(machine) {
  const layout = machine.layout ??= serverLayout(machine);
  return layout.gpus.map(({device}, i) => ({index: device.index, numa: device.numa,
    first: i === 0 || layout.gpus[i - 1].device.numa !== device.numa}));
}

/** All stays of a server over time, a row a GPU; one path a colour, however many stays there are. */
function drawHistory(machine, stays, last, width) {
  const lanes = lanesOf(machine);
  const x = (time) => lane.left + ((width - lane.left - lane.right) * Math.min(time, last)) / last;
  const rowOf = new Map(lanes.map(({index}, i) => [index, i]));
  const paths = Array.from({length: podColours}, () => "");
  let split = "";
  for (const stay of stays) {
    for (const gpu of stay.gpus) {
      const [left, right] = [x(stay.start), x(stay.finish)];
      const y = lane.top + rowOf.get(gpu) * lane.height + 1;
      paths[stay.colour] += `M${left.toFixed(1)},${y}H${right.toFixed(1)}v${lane.height - 2}H${left.toFixed(1)}z`;
      if (stay.split) split += `M${left.toFixed(1)},${y + lane.height - 3.5}H${right.toFixed(1)}`;
    }
  }
  const bottom = lane.top + lanes.length * lane.height;
  const step = timeTicks(last).interval ?? last;
  const ticks = [];
  for (let t = 0; t <= last; t += step) ticks.push(t);
  const every = Math.ceil((ticks.length * 64) / (width - lane.left));
  return svg("svg", {class: "server-history", viewBox: `0 0 ${width} ${bottom + lane.bottom}`, width, height: bottom + lane.bottom, "aria-hidden": "true"},
    lanes.map(({index, numa, first}, i) => svg("g", {},
      first && i > 0 ? svg("path", {class: "divide", d: `M4,${lane.top + i * lane.height}H${width - lane.right}`}) : null,
      first && numa !== "" ? svgText(4, lane.top + i * lane.height + 12, `N${numa}`, {class: "faint"}) : null,
      svgText(lane.left - 8, lane.top + i * lane.height + 12, `GPU ${index}`, {"text-anchor": "end"}))),
    svg("rect", {class: "ground", x: lane.left, y: lane.top, width: width - lane.left - lane.right, height: bottom - lane.top}),
    paths.map((d, c) => (d === "" ? null : svg("path", {d, style: `fill:var(--pod-${c + 1})`, class: "stay"}))),
    split === "" ? null : svg("path", {d: split, class: "split"}),
    ticks.filter((_, i) => i % every === 0).map((t) => svgText(x(t), bottom + 17, duration(t), {"text-anchor": t === 0 ? "start" : x(t) > width - 40 ? "end" : "middle", class: "faint"})),
    svg("line", {class: "cursor", y1: 0, y2: bottom + 4, x1: lane.left, x2: lane.left}));
}
