/* The cluster: where each server goes, how it is drawn, what is said of it. */

const at = (column, i) => (Array.isArray(column) ? column[i] : column);

/** Whether anything was in use before the run. */
const anyBackground = (cluster) => cluster.background.some((amounts) => (Array.isArray(amounts) ? amounts : [amounts]).some((v) => v > 0));

/** Nothing was in use before, and where pods went was not recorded: there is no picture to see. */
const nothingOn = (cluster) => cluster.views.length === 0 && !anyBackground(cluster);

/** Amounts by cell of the chosen resource and view. */
function clusterUse(cluster) {
  const view = cluster.views[state.view];
  const n = cluster.names.length;
  const members = new Array(n).fill(0);
  const group = new Array(n).fill(0);
  const others = new Array(n).fill(0);
  const otherAmounts = new Array(n).fill(0);
  const spread = (some, counts, amounts) => some.cells.forEach((cell, i) => {
    counts[cell] = some.counts[i];
    amounts[cell] = some.amounts ? at(some.amounts[state.resource], i) : 0;
  });
  if (view) {
    spread(view.members, members, group);
    spread(view.others, others, otherAmounts);
  }
  return {
    view,
    known: Boolean(view && view.members.amounts),
    members,
    group,
    others,
    otherAmounts,
    capacity: (i) => at(cluster.capacity[state.resource], i),
    /** What was there before, and what pods outside of the view take. */
    background: (i) => at(cluster.background[state.resource], i) + otherAmounts[i],
    backgroundName: [anyBackground(cluster) ? "what was in use before" : "", view && view.others.cells.length > 0 ? "other pods" : ""].filter(Boolean).join(" and ") || "other work",
    resource: cluster.resources[state.resource],
  };
}

/** The domains above a cell, top-down. */
function pathOf(cluster, cell) {
  const path = [];
  let domain = cluster.parents[cell];
  for (let level = cluster.levels.length - 1; level >= 0; --level) {
    path.unshift(domain);
    domain = cluster.domains[level].parents[domain];
  }
  return path;
}

/**
 * Where each cell goes: domains of the lowest level are columns of cells, set apart by their
 * parents; what is too wide goes on in the next band. Units: x in cells, y in pixels.
 */
function layOut(cluster, width) {
  const depth = cluster.levels.length;
  const columns = [];  // {cells, path}
  let tallest = 0;
  const blocks = [];
  for (let c = 0; c < cluster.names.length; ++c) {
    if (depth === 0 ? c === 0 : blocks.length === 0 || cluster.parents[c] !== cluster.parents[c - 1]) {
      blocks.push({first: c, cells: [], path: pathOf(cluster, c)});
    }
    blocks.at(-1).cells.push(c);
    tallest = Math.max(tallest, blocks.at(-1).cells.length);
  }
  const few = Math.ceil(Math.sqrt(cluster.names.length / 2.5));
  const most = Math.max(1, Math.min(tallest, blocks.length < 6 ? Math.max(few, 4) : 40));
  const rows = Math.ceil(tallest / Math.ceil(tallest / most));  // what is cut is cut evenly
  for (const block of blocks) {
    for (let i = 0; i < block.cells.length; i += rows) {
      columns.push({cells: block.cells.slice(i, i + rows), path: block.path, block});
    }
  }
  const perBand = Math.max(8, Math.floor(width / (cluster.names.length > 4000 ? 8 : 13)));
  const height = columns.length > perBand ? (cluster.names.length > 4000 ? 7 : 10) : rows > 24 ? 12 : 17;
  // The level at which two neighbours part; depth when they are of one block.
  const parting = (a, b) => {
    const level = a.path.findIndex((domain, i) => domain !== b.path[i]);
    return level < 0 ? depth : level;
  };
  const gap = (level) => (level >= depth ? 0 : 0.22 + 0.5 * (depth - 1 - level));
  // A band ends where a high domain ends, if that wastes less than a third of it.
  const bands = [];
  let band = [];
  let x = 0;
  columns.forEach((column, i) => {
    const level = i === 0 ? depth : parting(columns[i - 1], column);
    let step = i === 0 || band.length === 0 ? 0 : gap(level);
    let ends = band.length > 0 && x + step + 1 > perBand;
    if (!ends && band.length > 0 && level < depth - 1) {
      const same = columns.slice(i).findIndex((c) => parting(column, c) <= level);
      const size = same < 0 ? columns.length - i : same;
      ends = x + step + size * (1 + gap(depth - 1)) > perBand && x > perBand * 0.6;
    }
    if (ends) {
      bands.push(band);
      band = [];
      x = step = 0;
    }
    column.x = x + step;
    x = column.x + 1;
    band.push(column);
  });
  bands.push(band);
  const total = Math.max(...bands.map((b) => b.at(-1).x + 1));
  const headRows = Math.max(0, depth);
  const head = 18 * headRows;
  const labels = [];
  const place = new Array(cluster.names.length);
  let y = 0;
  for (const one of bands) {
    for (let level = 0; level < depth; ++level) {
      for (let i = 0; i < one.length;) {
        let j = i;
        while (j + 1 < one.length && one[j + 1].path.slice(0, level + 1).join() === one[i].path.slice(0, level + 1).join()) ++j;
        labels.push({level, domain: one[i].path[level], x0: one[i].x, x1: one[j].x + 1,
          y: y + 18 * level, bottom: y + head + rows * height});
        i = j + 1;
      }
    }
    for (const column of one) {
      column.cells.forEach((cell, row) => {
        place[cell] = [column.x, y + head + row * height];
      });
    }
    y += head + rows * height + 14;
  }
  return {place, labels, total, cellHeight: height, height: y, rows};
}

function mixed(from, to, share) {
  const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [a, b] = [parse(from), parse(to)];
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * share)).join(",")})`;
}

function clusterSummary(cluster, use) {
  let capacity = 0;
  let background = 0;
  let full = 0;
  let idle = 0;
  for (let i = 0; i < cluster.names.length; ++i) {
    capacity += use.capacity(i);
    background += use.background(i);
    full += use.capacity(i) > 0 && use.background(i) >= use.capacity(i);
    idle += use.background(i) === 0;
  }
  const parts = [background === 0
    ? `${plural(cluster.servers, "server")}; of ${use.resource} they have ${amount(use.resource, capacity)}`
    : `${plural(cluster.servers, "server")}; ${use.backgroundName} ${use.backgroundName.includes("pods") || use.backgroundName.includes(" and ") ? "take" : "takes"} ` +
    `${percent(capacity > 0 ? background / capacity : 0)} of ${use.resource}`];
  if (cluster.serversPerCell) {
    parts[0] += `; each cell is one ${cluster.leaf}`;
  } else if (background > 0) {
    parts[0] += `: it fills ${plural(full, cluster.leaf)} and leaves ${number(idle)} untouched`;
  }
  if (use.view) {
    const cells = use.view.members.cells;
    const used = cluster.levels.map((level, l) => {
      const count = new Set(cells.map((c) => pathOf(cluster, c)[l])).size;
      return plural(count, level);
    });
    used.push(plural(cells.length, cluster.leaf));
    parts.push(`${plural(use.view.count, cluster.member)} of ${use.view.label} ` +
      `${use.view.count === 1 ? "is" : "are"} on ${used.reverse().join(", in ")}`);
  }
  return parts.join(". ") + ".";
}

function clusterTooltip(cluster, use, cell) {
  const path = pathOf(cluster, cell);
  const line = (name, value) =>
    `<tr><td class="faint">${markup(name)}</td><td class="number">${markup(value)}</td></tr>`;
  const capacity = use.capacity(cell);
  const show = (value) => `${amount(use.resource, value)}` +
    (capacity > 0 ? ` (${percent(value / capacity)})` : "");
  let rows = cluster.levels.map((level, l) => line(level, cluster.domains[l].names[path[l]])).join("");
  if (cluster.serversPerCell) rows += line("servers", number(cluster.serversPerCell[cell]));
  rows += line(`${use.resource} capacity`, amount(use.resource, capacity));
  rows += line("background", show(use.background(cell) - use.otherAmounts[cell]));
  if (use.others[cell] > 0) {
    rows += line("other pods", number(use.others[cell]) +
      (use.view.others.amounts ? ` with ${show(use.otherAmounts[cell])}` : ""));
  }
  if (use.view) {
    rows += line(`${cluster.member}s`, number(use.members[cell]) +
      (use.known && use.members[cell] > 0 ? ` with ${show(use.group[cell])}` : ""));
  }
  rows += line("free", show(Math.max(0, capacity - use.background(cell) - use.group[cell])));
  return `<b>${markup(cluster.names[cell])}</b><table class="tip">${rows}</table>`;
}

function clusterOption(cluster, width, use = clusterUse(cluster), tip = clusterTooltip) {
  const depth = cluster.levels.length;
  const layout = layOut(cluster, width - 60);
  const [none, some, most] = ["busy-none", "busy-some", "busy-full"].map(colour);
  const [group, onGroup, muted, line, ink] = ["group", "on-group", "muted", "line", "ink"].map(colour);
  const ramp = (share) => share < 0.5 ? mixed(none, some, share * 2) : mixed(some, most, share * 2 - 1);
  const short = cluster.domains.map((level) => shortNames(level.names));
  const names = cluster.domains.map((level) => level.names);
  const longest = depth > 0 ? Math.max(...names[depth - 1].map((t) => t.length)) * 6.7 : 0;
  const narrowest = Math.min(...layout.labels.filter((l) => l.level === depth - 1).map((l) => l.x1 - l.x0));
  const wideNames = longest > narrowest * (width - 60) / layout.total;
  const pixel = (api, x, y) => api.coord([x, y]);
  const cells = {
    id: "cells",
    type: "custom",
    clip: true,
    data: layout.place.map(([x, y], i) => [x, y, i]),
    encode: {x: 0, y: 1, tooltip: []},
    progressive: 0,
    renderItem: (params, api) => {
      const i = api.value(2);
      const [x, y] = pixel(api, api.value(0), api.value(1));
      const [w, h] = api.size([1, layout.cellHeight]);
      const capacity = use.capacity(i);
      const share = capacity > 0 ? Math.min(1, use.background(i) / capacity) : 0;
      const space = w > 12 ? 1.5 : w > 4 ? 1 : 0.4;
      const shape = {x, y, width: Math.max(w - space, 0.5), height: Math.max(h - space, 0.5)};
      const children = [{type: "rect", shape, style: {fill: ramp(share)}}];
      if (use.members[i] > 0) {
        const text = String(use.members[i]);
        const fits = shape.width >= 7 * text.length + 5 && shape.height >= 9;
        const taken = use.known ? use.group[i] / capacity : 0;
        const least = fits ? 7 * text.length + 5 : Math.min(shape.width, 5);
        children.push({
          type: "rect",
          shape: {...shape, width: Math.min(shape.width, Math.max(taken * shape.width, least))},
          style: {fill: group},
        });
        if (fits) {
          children.push({type: "text", silent: true, style: {text, x: shape.x + 4,
            y: shape.y + shape.height / 2 + 0.5, fill: onGroup, align: "left", verticalAlign: "middle",
            font: `600 ${Math.min(11, h - 3)}px ${fontFamily()}`}});
        }
      }
      return {type: "group", children};
    },
  };
  const labels = {
    id: "domains",
    type: "custom",
    silent: true,
    clip: true,
    data: layout.labels.map((label, i) => [label.x0, label.y, i]),
    encode: {x: 0, y: 1},
    progressive: 0,
    renderItem: (params, api) => {
      const label = layout.labels[api.value(2)];
      const [x0, y] = pixel(api, label.x0, label.y);
      const [x1, bottom] = pixel(api, label.x1, label.bottom);
      const lowest = label.level === depth - 1;
      const full = cluster.domains[label.level].names[label.domain];
      const room = x1 - x0 - 3;
      const brief = short[label.level][label.domain];
      let text = [full, brief].find((t) => t.length * 6.7 <= room);
      if (lowest) {
        // One form for all; where not even the short one fits, every second, third, ... domain has its label.
        const need = Math.max(...(wideNames ? short : names)[label.level].map((t) => t.length)) * 6.7 + 3;
        text = label.domain % Math.ceil(need / (x1 - x0)) === 0 ? (wideNames ? brief : full) : undefined;
      }
      const children = [];
      if (!lowest) {
        // The boundary: a bracket over all of the domain, and its side lines down to the end.
        const inset = 0.16 * label.level;
        children.push({type: "line", shape: {x1: x0 - inset, y1: y + 17, x2: x1 - 1.5, y2: y + 17},
          style: {stroke: label.level === 0 ? ink : muted, lineWidth: label.level === 0 ? 1.5 : 1}});
      }
      if (label.level === 0 && depth > 1) {
        const edge = x0 - Math.min(7, api.size([gapBefore, 1])[0]);
        if (label.x0 > 0) {
          children.push({type: "line", shape: {x1: edge, y1: y + 2, x2: edge, y2: bottom},
            style: {stroke: line, lineWidth: 1}});
        }
      }
      if (text !== undefined) {
        children.push({type: "text", style: {text, x: lowest ? (x0 + x1) / 2 : x0 + 1, y: y + 9,
          fill: lowest ? muted : ink, align: lowest ? "center" : "left", verticalAlign: "middle",
          font: `${lowest ? 400 : 600} 12px ${fontFamily()}`}});
      }
      return {type: "group", children};
    },
  };
  const gapBefore = depth > 1 ? (0.22 + 0.5 * (depth - 1)) / 2 : 0.2;
  const heads = cluster.levels.map((level, l) => ({type: "text", left: 0, top: 18 * l + 8, silent: true,
    style: {text: level, fill: muted, font: `12px ${fontFamily()}`}}));
  return {
    grid: {outerBoundsMode: "none", left: depth > 0 ? 56 : 0, right: 4, top: 4, bottom: 0},
    graphic: heads,
    xAxis: {type: "value", min: 0, max: layout.total, show: false},
    yAxis: {type: "value", min: 0, max: layout.height, inverse: true, show: false},
    dataZoom: [0].map(() => ({type: "inside", xAxisIndex: 0, filterMode: "none",
      zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, moveOnMouseMove: true})),
    tooltip: tooltip({trigger: "item", formatter: (p) =>
      p.seriesId === "cells" ? tip(cluster, use, p.data[2]) : ""}),
    series: [labels, cells],
  };
}

function clusterSection(run) {
  const cluster = run.cluster;
  if (!cluster || nothingOn(cluster)) return null;
  const use = clusterUse(cluster);
  const many = cluster.names.length > 2500;
  const controls = el("div", {class: "controls"});
  if (cluster.views.length > 1) {
    controls.append(choice("Show", cluster.views.map((v) =>
      `${v.label} (${plural(v.count, cluster.member)})`), state.view, (i) => {
      state.view = i;
      redrawSections(["cluster", "levels"]);
    }, "view"));
  }
  if (cluster.resources.length > 1) {
    controls.append(choice("Resource", cluster.resources, state.resource, (i) => {
      state.resource = i;
      redrawSections(["cluster", "levels"]);
    }, "resource"));
  }
  const when = use.view && use.view.time > 0
    ? ` It is shown at ${duration(use.view.time)}, when it is fullest${state.view > 0 || !/^all /.test(use.view.label) ? " of these" : ""}.` : "";
  const what = cluster.levels.length > 0
    ? `Columns are ${cluster.levels.at(-1)}s, each rectangle is a ${cluster.leaf}.`
    : `Each rectangle is a ${cluster.leaf}.`;
  const hidden = !use.view && run.groups.rows.length > 0
    ? " Placements were not recorded, so that no members are shown." : "";
  const keys = el("ul", {class: "legend", "aria-label": "Legend"},
    use.backgroundName === "other work" ? null : el("li", {}, el("span", {class: "ramp"}), el("span", {}, `Blue: how full each ${cluster.leaf} already is with ${use.backgroundName}.`)),
    use.view ? el("li", {}, el("span", {class: "chip"}, "3"), el("span", {}, `Orange: how many ${cluster.member}s are on it` +
      (use.known ? `, as wide as what they take of the ${cluster.leaf}.` : "."))) : null);
  return {
    controls,
    content: [
      el("p", {class: "lead"}, what + when + hidden + " Hover for the numbers" +
        (many ? "; hold Ctrl and turn the wheel to zoom." : ".")),
      keys,
      figure({
        id: "cluster",
        renderer: "canvas",
        height: (width) => layOut(cluster, width - 60).height + 4,
        option: (width) => clusterOption(cluster, width),
        summary: clusterSummary(cluster, use),
        columns: [{title: cluster.leaf, class: "name"}, ...cluster.levels.map((title) => ({title})),
          {title: "capacity", number: true}, {title: "background", number: true},
          {title: `${cluster.member}s`, number: true}],
        rows: () => cluster.names.map((name, i) => [name,
          ...pathOf(cluster, i).map((domain, l) => cluster.domains[l].names[domain]),
          amount(use.resource, use.capacity(i)), amount(use.resource, use.background(i)),
          number(use.members[i])]),
      }),
    ],
  };
}
