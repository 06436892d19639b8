/* Where the devices of a server stand in its picture, and which colours its pods have. */

const tile = {width: 116, height: 84, gap: 8, nic: 34, pad: 10, label: 20};

/** By number where it is one: 10 follows 9, and what is not known stands last. */
function byPlace(a, b) {
  if (a === "" || b === "") return (a === "") - (b === "");
  return a.localeCompare(b, "en", {numeric: true});
}

function grouped(devices, place) {
  const groups = new Map();
  for (const device of devices) {
    if (!groups.has(device[place])) groups.set(device[place], []);
    groups.get(device[place]).push(device);
  }
  return [...groups].sort(([a], [b]) => byPlace(a, b));
}

/**
 * Rectangles of NUMA nodes, PCIe switches, GPUs and other devices, and the NVLink islands above them. Boxes stand
 * side by side, so that an island is one line whatever it spans; their names stand below what they hold.
 */
function serverLayout(machine) {
  const islands = grouped(machine.devices.filter((d) => d.kind === "gpu" && d.nvlink !== ""), "nvlink");
  const top = islands.length === 0 ? 12 : 44;
  const hasOthers = machine.devices.some((d) => d.kind !== "gpu");
  const rowTop = top + tile.pad;
  const inner = tile.height + (hasOthers ? tile.gap + tile.nic : 0);
  const switchBottom = rowTop + inner + 6 + tile.label;
  const numaBottom = switchBottom + 4 + tile.label;
  const out = {numas: [], switches: [], gpus: [], others: [], islands: [], height: numaBottom + 12};
  let x = 12;
  for (const [numa, ofNuma] of grouped(machine.devices, "numa")) {
    const numaLeft = x;
    x += tile.pad;
    for (const [pcie, devices] of grouped(ofNuma, "pcie")) {
      const left = x;
      const gpus = devices.filter((d) => d.kind === "gpu");
      const others = devices.filter((d) => d.kind !== "gpu");
      const wide = Math.max(gpus.length * (tile.width + tile.gap) - tile.gap, others.length * (58 + tile.gap) - tile.gap);
      gpus.forEach((device, i) => out.gpus.push({device, x: left + tile.pad + i * (tile.width + tile.gap), y: rowTop, width: tile.width, height: tile.height}));
      const each = (wide + tile.gap) / Math.max(others.length, 1) - tile.gap;
      others.forEach((device, i) => out.others.push({device, x: left + tile.pad + i * (each + tile.gap), y: rowTop + tile.height + tile.gap, width: each, height: tile.nic}));
      x = left + wide + 2 * tile.pad;
      if (pcie !== "") out.switches.push({label: `PCIe switch ${pcie}`, x: left, y: rowTop - tile.pad + 3, width: x - left, height: switchBottom - rowTop + tile.pad - 3});
      x += tile.gap;
    }
    x += tile.pad - tile.gap;
    if (numa !== "") out.numas.push({label: `NUMA node ${numa}`, x: numaLeft, y: top - 5, width: x - numaLeft, height: numaBottom - top + 5});
    x += 14;
  }
  out.width = x - 2;
  for (const [island, devices] of islands) {
    const at = out.gpus.filter(({device}) => devices.includes(device)).map((g) => g.x + g.width / 2);
    out.islands.push({label: `NVLink island ${island}`, at, bottom: rowTop});
  }
  return out;
}

const podColours = 12;

/** For each stay a colour that no other has while it is there; of those the one that was free for longest. */
function stayColours(stays) {
  const freeSince = Array.from({length: podColours}, (_, i) => i - podColours - 1e9);
  const until = new Array(podColours).fill(-Infinity);
  return stays.map(({start, finish}, i) => {
    let best = -1;
    for (let c = 0; c < podColours; ++c) {
      if (until[c] <= start && (best < 0 || freeSince[c] < freeSince[best])) best = c;
    }
    if (best < 0) best = i % podColours;
    until[best] = finish;
    freeSince[best] = finish;
    return best;
  });
}

/** The stays of a server as objects, and the instants at which one begins or ends. */
function readStays(server, machine, last) {
  const stays = server.stays.map(([name, start, finish, gpus, nics, reached, attainable, reason]) =>
    ({name, start, finish: finish ?? Infinity, gpus, nics, reached, attainable, reason}));
  const colours = stayColours(stays);
  stays.forEach((stay, i) => {
    stay.colour = colours[i];
    stay.split = crosses(stay) && stay.gpus.length <= numaMost(machine);  // though one NUMA node would be large enough
  });
  const events = [...new Set(stays.flatMap(({start, finish}) => [start, finish]))].filter((t) => t <= last).sort((a, b) => a - b);
  return {stays, events, at: (time) => stays.filter(({start, finish}) => start <= time && time < finish)};
}

const has = (mask, kind) => ((mask >> kind) & 1) === 1;
const crosses = (stay) => stay.gpus.length > 1 && !has(stay.reached, numaKind);

/** How many GPUs the largest NUMA node has. */
function numaMost(machine) {
  machine.numaMost ??= Math.max(0, ...grouped(machine.devices.filter((d) => d.kind === "gpu" && d.numa !== ""), "numa").map(([, gpus]) => gpus.length));
  return machine.numaMost;
}

/** How near a stay's GPUs are, in words. */
function nearnessWords(stay, mask) {
  if (stay.gpus.length === 0) return "–";
  if (stay.gpus.length === 1) return "one GPU";
  return has(mask, 0) ? "one PCIe switch" : has(mask, numaKind) ? "one NUMA node" : "several NUMA nodes";
}
const best = (stay) => stay.reached | stay.attainable;
