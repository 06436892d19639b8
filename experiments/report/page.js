"use strict";
/* The report page. Data comes from the JSON block, charts from ECharts, all else is in here:
   one function a section, which returns its content or null when there is nothing to show. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const state = {run: 0, view: 0, resource: 0, distribution: 0, compared: 0, series: "all"};
  const charts = new Map();  // section id to ECharts instance; the tests look in here
  window.berth = {charts, data, state};

  // ---------------------------------------------------------------- small helpers

  /** An element with attributes and children; texts are texts, never markup. */
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) {
        node.addEventListener(key.slice(2), value);
      } else if (value === true) {
        node.setAttribute(key, "");
      } else if (value !== false && value != null) {
        node.setAttribute(key, value);
      }
    }
    node.append(...children.flat().filter((child) => child != null));
    return node;
  }

  const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
  const markup = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
  const spaced = (name) => name.replace(/_/g, " ");

  function number(value) {
    if (value == null || Number.isNaN(value)) return "–";
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en-US");
    if (size >= 1e6 || size < 1e-4) return value.toPrecision(4).replace("e+", "e");
    if (size >= 1000) return value.toLocaleString("en-US", {maximumFractionDigits: 1});
    return String(Number(value.toPrecision(4)));
  }

  /** A mean with no more digits than its confidence interval knows: 18.26 ± 0.27. */
  function withInterval(name, mean, ci95) {
    if (mean == null || ci95 == null || ci95 === 0 || /(^|_)bytes(_|$)/.test(name)) {
      return `${inUnit(name, mean)}${ci95 == null ? "" : ` ± ${inUnit(name, ci95)}`}`;
    }
    const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(ci95))));
    const fixed = (v) => v.toLocaleString("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits});
    return `${fixed(mean)} ± ${fixed(ci95)}`;
  }

  const percent = (share) => `${Number((100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0))}%`;

  function duration(seconds) {
    const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    const at = parts.findIndex(([size]) => Math.abs(seconds) >= size);
    if (at < 0 || at === 3) return `${number(seconds)} s`;
    const [size, unit] = parts[at];
    const whole = Math.floor(seconds / size);
    const rest = Math.round((seconds - whole * size) / parts[at + 1][0]);
    return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${parts[at + 1][1]}`;
  }

  function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let at = 0;
    while (value >= 1024 && at + 1 < units.length) {
      value /= 1024;
      ++at;
    }
    return `${number(Number(value.toPrecision(4)))} ${units[at]}`;
  }

  const inBytes = (resource) => /memory|storage|bytes|disk/.test(resource);
  const amount = (resource, value) => (inBytes(resource) ? bytes(value) : number(value));

  /** A value in the unit that its metric's name tells. */
  function inUnit(name, value) {
    if (value == null) return "–";
    if (/(^|_)bytes(_|$)/.test(name)) return bytes(value);
    return number(value);
  }

  /** Shares a name's digits at the end, when all names of a level have one beginning. */
  function shortNames(names) {
    const beginning = (name) => name.replace(/\d+$/, "");
    const common = beginning(names[0]);
    const all = common.length > 0 && names.every((n) => beginning(n) === common && n !== common);
    return all ? names.map((n) => n.slice(common.length)) : names;
  }

  function table(columns, rows, options = {}) {
    const head = el("tr", {}, columns.map((c) =>
      el("th", {scope: "col", class: c.number ? "number" : null}, c.title)));
    const body = rows.map((row) => el("tr", {}, row.map((value, i) =>
      el("td", {class: columns[i].number ? "number" : columns[i].class}, value ?? "–"))));
    return el("div", {class: "scroll"}, el("table", {"aria-label": options.label},
      el("thead", {}, head), el("tbody", {}, body)));
  }

  function choice(title, texts, selected, change, id) {
    return el("label", {}, title, el("select", {id, onchange: (e) => change(Number(e.target.value))},
      texts.map((text, i) => el("option", {value: i, selected: i === selected}, text))));
  }

  // ---------------------------------------------------------------- charts

  const palette = () => [1, 2, 3, 4, 5, 6, 7].map((i) => colour(`series-${i}`));
  const fontFamily = () => getComputedStyle(document.body).fontFamily;

  const axis = (more = {}) => ({
    axisLine: {lineStyle: {color: colour("line")}, ...more.axisLine},
    axisTick: {show: false},
    axisLabel: {color: colour("muted"), fontSize: 12, hideOverlap: true, ...more.axisLabel},
    nameTextStyle: {color: colour("muted"), fontSize: 12, ...more.nameTextStyle},
    splitLine: {lineStyle: {color: colour("line"), opacity: 0.7}, ...more.splitLine},
    ...Object.fromEntries(Object.entries(more).filter(([key]) =>
      !["axisLine", "axisLabel", "nameTextStyle", "splitLine"].includes(key))),
  });

  const tooltip = (more = {}) => ({
    confine: true,
    backgroundColor: colour("surface"),
    borderColor: colour("line"),
    textStyle: {color: colour("ink"), fontSize: 13, fontFamily: fontFamily()},
    ...more,
  });

  const legend = (more = {}) => ({
    textStyle: {color: colour("muted"), fontSize: 13},
    inactiveColor: colour("line"),
    icon: "roundRect",
    itemWidth: 14,
    itemHeight: 9,
    ...more,
  });

  const sliderColours = () => ({
    borderColor: colour("line"),
    backgroundColor: "transparent",
    fillerColor: mixedAlpha(colour("bar"), 0.18),
    dataBackground: {lineStyle: {color: colour("line")}, areaStyle: {color: colour("line"), opacity: 0.5}},
    selectedDataBackground: {lineStyle: {color: colour("bar")}, areaStyle: {color: colour("bar"), opacity: 0.25}},
    handleStyle: {color: colour("surface"), borderColor: colour("muted")},
    moveHandleStyle: {color: colour("line")},
    emphasis: {handleStyle: {borderColor: colour("accent")}, moveHandleStyle: {color: colour("muted")}},
    textStyle: {color: colour("muted")},
  });

  const mixedAlpha = (hex, alpha) => hex + Math.round(alpha * 255).toString(16).padStart(2, "0");

  /**
   * A figure with a chart, its summary in words, and its data as a table for those who want to
   * read it. `spec`: {id, title, height, renderer, option(width), summary, columns, rows(), class}.
   * `option` is asked again whenever the theme or the width changes.
   */
  function figure(spec) {
    const box = el("div", {class: "chart", role: "img", id: `chart-${spec.id}`,
      "aria-label": `${spec.title ?? ""}. ${spec.summary}`});
    const details = el("details", {class: "data"}, el("summary", {}, "The data as a table"));
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) {
        const rows = spec.rows();
        details.append(table(spec.columns, rows.slice(0, 500), {label: spec.title}));
        if (rows.length > 500) {
          details.append(el("p", {class: "faint"}, `and ${number(rows.length - 500)} more rows`));
        }
      }
    });
    const node = el("figure", {class: spec.class},
      spec.title ? el("h3", {}, spec.title) : null, box,
      el("figcaption", {}, spec.caption ?? spec.summary), details);
    waiting.push(() => {
      const size = () => (typeof spec.height === "function" ? spec.height(box.clientWidth) : spec.height);
      box.style.height = `${size()}px`;
      const chart = echarts.init(box, null, {renderer: spec.renderer ?? "svg"});
      const draw = () => {
        box.style.height = `${size()}px`;
        chart.resize();
        chart.setOption({animation: false, aria: {enabled: false}, color: palette(),
          textStyle: {fontFamily: fontFamily()}, ...spec.option(box.clientWidth)}, {notMerge: true});
      };
      draw();
      charts.set(spec.id, chart);
      chart.redraw = draw;
      let width = box.clientWidth;
      chart.observer = new ResizeObserver(() => {
        if (box.clientWidth !== width && box.clientWidth > 0) {
          width = box.clientWidth;
          draw();
        }
      });
      chart.observer.observe(box);
    });
    return node;
  }

  let waiting = [];  // charts whose box is not in the page yet

  // ---------------------------------------------------------------- claims

  function claims(run) {
    if (run.claims.length === 0) return null;
    const held = run.claims.filter((c) => c.holds).length;
    const verdict = (holds) => el("span", {class: `verdict ${holds ? "holds" : "fails"}`},
      holds ? "✓ holds" : "✗ does not hold");
    return [
      el("p", {class: "lead"}, held === run.claims.length
        ? `All ${plural(held, "claim")} hold.`.replace("All 1 claim hold", "The one claim holds")
        : `${held} of ${plural(run.claims.length, "claim")} hold.`),
      table([{title: "Claim"}, {title: "Expected"}, {title: "Measured"}, {title: "Verdict"}],
        run.claims.map((c) => [c.text, c.expected, c.measured, verdict(c.holds)]), {label: "Claims"}),
    ];
  }

  // ---------------------------------------------------------------- the cluster

  const at = (column, i) => (Array.isArray(column) ? column[i] : column);

  /** Amounts by cell of the chosen resource and view. */
  function clusterUse(cluster) {
    const view = cluster.views[state.view];
    const n = cluster.names.length;
    const members = new Array(n).fill(0);
    const group = new Array(n).fill(0);
    if (view) {
      view.cells.forEach((cell, i) => {
        members[cell] = view.members[i];
        group[cell] = view.amounts ? at(view.amounts[state.resource], i) : 0;
      });
    }
    return {
      view,
      known: Boolean(view && view.amounts),
      members,
      group,
      capacity: (i) => at(cluster.capacity[state.resource], i),
      background: (i) => at(cluster.background[state.resource], i),
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
    const parts = [`${plural(cluster.servers, "server")}; ` +
      `${percent(capacity > 0 ? background / capacity : 0)} of ${use.resource} is taken by the background`];
    if (cluster.serversPerCell) {
      parts[0] += `; each cell is one ${cluster.leaf}`;
    } else {
      parts[0] += `, ${number(full)} are full and ${number(idle)} idle`;
    }
    if (use.view) {
      const cells = use.view.cells;
      const used = cluster.levels.map((level, l) => {
        const count = new Set(cells.map((c) => pathOf(cluster, c)[l])).size;
        return plural(count, level);
      });
      used.push(plural(cells.length, cluster.leaf));
      parts.push(`${plural(use.view.count, cluster.member)} of ${use.view.label} ` +
        `${use.view.count === 1 ? "stands" : "stand"} in ${used.join(", ")}`);
    }
    return parts.join(". ") + ".";
  }

  function clusterTooltip(cluster, use, cell) {
    const path = pathOf(cluster, cell);
    const line = (name, value) =>
      `<tr><td style="padding-right:14px;color:${colour("muted")}">${markup(name)}</td>` +
      `<td style="text-align:right">${markup(value)}</td></tr>`;
    const capacity = use.capacity(cell);
    const show = (value) => `${amount(use.resource, value)}` +
      (capacity > 0 ? ` (${percent(value / capacity)})` : "");
    let rows = cluster.levels.map((level, l) => line(level, cluster.domains[l].names[path[l]])).join("");
    if (cluster.serversPerCell) rows += line("servers", number(cluster.serversPerCell[cell]));
    rows += line(`${use.resource} capacity`, amount(use.resource, capacity));
    rows += line("background", show(use.background(cell)));
    if (use.view) {
      rows += line(`${cluster.member}s`, number(use.members[cell]) +
        (use.known && use.members[cell] > 0 ? `, ${show(use.group[cell])}` : ""));
    }
    rows += line("free", show(Math.max(0, capacity - use.background(cell) - use.group[cell])));
    return `<b>${markup(cluster.names[cell])}</b><table style="font-size:13px;width:auto;margin-top:2px">${rows}</table>`;
  }

  function clusterOption(cluster, width) {
    const use = clusterUse(cluster);
    const layout = layOut(cluster, width - 60);
    const [none, some, most] = ["busy-none", "busy-some", "busy-full"].map(colour);
    const [group, onGroup, muted, line, ink] = ["group", "on-group", "muted", "line", "ink"].map(colour);
    const ramp = (share) => share < 0.5 ? mixed(none, some, share * 2) : mixed(some, most, share * 2 - 1);
    const short = cluster.domains.map((level) => shortNames(level.names));
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
    const depth = cluster.levels.length;
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
        const text = [full, short[label.level][label.domain]].find((t) => t.length * 6.7 <= room);
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
        p.seriesId === "cells" ? clusterTooltip(cluster, use, p.data[2]) : ""}),
      series: [labels, cells],
    };
  }

  function clusterSection(run) {
    const cluster = run.cluster;
    if (!cluster) return null;
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
      ? ` It is shown at ${duration(use.view.time)}, when most of them run.` : "";
    const what = cluster.levels.length > 0
      ? `Columns are ${cluster.levels.at(-1)}s, each rectangle is a ${cluster.leaf}.`
      : `Each rectangle is a ${cluster.leaf}.`;
    const keys = el("ul", {class: "legend", "aria-label": "Legend"},
      el("li", {}, el("span", {}, "background: idle"), el("span", {class: "ramp"}), el("span", {}, "full")),
      use.view ? el("li", {}, el("span", {class: "chip"}, "3"), el("span", {}, use.known
        ? `${cluster.member}s: how many, as wide as their share of the ${cluster.leaf}`
        : `how many ${cluster.member}s`)) : null);
    return {
      controls,
      content: [
        el("p", {class: "lead"}, what + when + " Hover for the numbers" +
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

  // ---------------------------------------------------------------- levels

  function levelUse(cluster, use, level) {
    const count = cluster.domains[level].names.length;
    const sums = Array.from({length: count}, () => ({capacity: 0, background: 0, group: 0, members: 0}));
    for (let i = 0; i < cluster.names.length; ++i) {
      const sum = sums[pathOf(cluster, i)[level]];
      sum.capacity += use.capacity(i);
      sum.background += use.background(i);
      sum.group += use.group[i];
      sum.members += use.members[i];
    }
    return sums;
  }

  /** `, 12 to 108 in each of these`, or nothing when there is one. */
  function eachOf(counts) {
    if (counts.length < 2) return "";
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    return least === most ? `, ${number(least)} in each of these` : `, ${number(least)} to ${number(most)} in each of these`;
  }

  function levelFigure(cluster, use, level) {
    const names = cluster.domains[level].names;
    const sums = levelUse(cluster, use, level);
    const share = (value, sum) => (sum.capacity > 0 ? value / sum.capacity : 0);
    const holders = sums.filter((s) => s.members > 0).length;
    const title = `By ${cluster.levels[level]}`;
    const summary = use.view
      ? `${plural(use.view.count, cluster.member)} in ${holders} of ${plural(names.length, cluster.levels[level])}` +
        `${eachOf(sums.map((s) => s.members).filter((m) => m > 0))}.`
      : `Background of ${plural(names.length, cluster.levels[level])}.`;
    return figure({
      id: `level-${level}`,
      class: names.length <= 6 ? "narrow" : names.length <= 30 ? "wide" : "full",
      title,
      height: 250,
      summary,
      columns: [{title: cluster.levels[level], class: "name"}, {title: "capacity", number: true},
        {title: "background", number: true}, {title: `${cluster.member}s`, number: true},
        {title: "used", number: true}],
      rows: () => sums.map((s, i) => [names[i], amount(use.resource, s.capacity),
        amount(use.resource, s.background), number(s.members), percent(share(s.background + s.group, s))]),
      option: () => ({
        grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: names.length > 80 ? 58 : 26},
        legend: use.view ? legend({top: 0, left: 0, itemGap: 18}) : undefined,
        tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
          formatter: (list) => {
            const i = list[0].dataIndex;
            const s = sums[i];
            return `<b>${markup(names[i])}</b><br>background ${amount(use.resource, s.background)} of ` +
              `${amount(use.resource, s.capacity)} ${markup(use.resource)} (${percent(share(s.background, s))})` +
              (use.view ? `<br>${plural(s.members, cluster.member)}` +
              (use.known ? ` (${percent(share(s.group, s))})` : "") : "");
          }}),
        dataZoom: names.length > 80 ? [{type: "slider", height: 18, bottom: 6, ...sliderColours()}, {type: "inside", zoomOnMouseWheel: "ctrl"}] : [],
        xAxis: axis({type: "category", data: shortNames(names), splitLine: {show: false}}),
        yAxis: axis({type: "value", min: 0, max: 1, axisLine: {show: false}, axisLabel: {formatter: percent}}),
        series: [
          {name: "background", type: "bar", stack: "use", barCategoryGap: "22%", itemStyle: {color: colour("bar")},
            data: sums.map((s) => share(s.background, s))},
          ...(use.view ? [{name: `${cluster.member}s`, type: "bar", stack: "use",
            itemStyle: {color: colour("group")},
            data: sums.map((s) => share(s.group, s)),
            label: {show: names.length <= 30, position: use.known ? "inside" : "top",
              color: use.known ? colour("on-group") : colour("group"), fontSize: 11, fontWeight: 600,
              formatter: (p) => (sums[p.dataIndex].members > 0 &&
                (!use.known || share(sums[p.dataIndex].group, sums[p.dataIndex]) > 0.055)
                ? number(sums[p.dataIndex].members) : "")}}] : []),
        ],
      }),
    });
  }

  /** Cells by the share of them that is taken, in tenths, idle and full ones apart. */
  function cellHistogram(cluster, use) {
    const names = ["idle", ...Array.from({length: 10}, (_, i) => `<${i * 10 + 10}%`), "full"];
    const without = new Array(12).fill(0);
    const holding = new Array(12).fill(0);
    for (let i = 0; i < cluster.names.length; ++i) {
      const capacity = use.capacity(i);
      const share = capacity > 0 ? (use.background(i) + use.group[i]) / capacity : 0;
      const slot = share <= 0 ? 0 : share >= 1 - 1e-9 ? 11 : 1 + Math.min(9, Math.floor(share * 10));
      (use.members[i] > 0 ? holding : without)[slot] += 1;
    }
    const what = use.known || !use.view ? "in use" : "in use by the background";
    const most = without.map((w, i) => w + holding[i]);
    return figure({
      id: "cells",
      title: `${cluster.leaf[0].toUpperCase()}${cluster.leaf.slice(1)}s by how much is ${what}`,
      height: 250,
      summary: `${number(most[0])} idle, ${number(most[11])} full, ` +
        `${number(most.slice(1, 11).reduce((a, b) => a + b, 0))} between` +
        (use.view ? `; ${number(holding.reduce((a, b) => a + b, 0))} hold ${cluster.member}s.` : "."),
      columns: [{title: "in use"}, {title: `without ${cluster.member}s`, number: true},
        {title: `with ${cluster.member}s`, number: true}],
      rows: () => names.map((name, i) => [name, number(without[i]), number(holding[i])]),
      option: () => ({
        grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: 26},
        legend: use.view ? legend({top: 0, left: 0, itemGap: 18}) : undefined,
        tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}}}),
        xAxis: axis({type: "category", data: names, splitLine: {show: false}, axisLabel: {interval: 0, fontSize: 11}}),
        yAxis: axis({type: "value", minInterval: 1, axisLine: {show: false}}),
        series: [
          {name: use.view ? `without ${cluster.member}s` : `${cluster.leaf}s`, type: "bar", stack: "use",
            barCategoryGap: "22%", itemStyle: {color: colour("bar")}, data: without},
          ...(use.view ? [{name: `with ${cluster.member}s`, type: "bar", stack: "use",
            itemStyle: {color: colour("group")}, data: holding}] : []),
        ],
      }),
    });
  }

  function membersHistogram(cluster, use) {
    if (!use.view) return null;
    const counts = new Map();
    use.view.members.forEach((m) => counts.set(m, (counts.get(m) ?? 0) + 1));
    const largest = Math.max(...counts.keys());
    const step = Math.max(1, Math.ceil(largest / 40));
    const bars = [];
    for (let from = 1; from <= largest; from += step) {
      let sum = 0;
      for (let m = from; m < from + step; ++m) sum += counts.get(m) ?? 0;
      bars.push([step === 1 ? String(from) : `${from}–${from + step - 1}`, sum]);
    }
    return figure({
      id: "members",
      title: `${cluster.leaf[0].toUpperCase()}${cluster.leaf.slice(1)}s by the number of ${cluster.member}s on them`,
      height: 250,
      summary: `${plural(use.view.count, cluster.member)} on ${plural(use.view.members.length, cluster.leaf)}: ` +
        `${number(Math.min(...use.view.members))} to ${number(largest)} on one.`,
      columns: [{title: `${cluster.member}s`}, {title: `${cluster.leaf}s`, number: true}],
      rows: () => bars.map(([name, count]) => [name, number(count)]),
      option: () => ({
        grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: 26},
        tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
          formatter: ([p]) => `${plural(p.value, cluster.leaf)} with ${markup(p.name)} ${cluster.member}${p.name === "1" ? "" : "s"}`}),
        xAxis: axis({type: "category", data: bars.map((b) => b[0]), splitLine: {show: false}}),
        yAxis: axis({type: "value", minInterval: 1, axisLine: {show: false}}),
        series: [{name: `${cluster.leaf}s`, type: "bar", barCategoryGap: "22%", barMaxWidth: 60,
          itemStyle: {color: colour("group")}, data: bars.map((b) => b[1]),
          label: {show: bars.length <= 16, position: "top", color: colour("muted"), fontSize: 11,
            formatter: (p) => (p.value > 0 ? number(p.value) : "")}}],
      }),
    });
  }

  function levelsSection(run) {
    const cluster = run.cluster;
    if (!cluster) return null;
    const use = clusterUse(cluster);
    const shown = cluster.levels.map((_, l) => l).filter((l) => {
      const count = cluster.domains[l].names.length;
      return count > 1 && count <= 1000;
    });
    return [
      el("p", {class: "lead"}, `Share of ${use.resource} in use` +
        (use.view ? `: background, and ${cluster.member}s of ${use.view.label} on top.` : " by the background.")),
      el("div", {class: "pair"}, shown.map((l) => levelFigure(cluster, use, l)),
        cellHistogram(cluster, use), membersHistogram(cluster, use)),
    ];
  }

  // ---------------------------------------------------------------- groups

  function groupsSection(run) {
    if (run.groups.rows.length === 0) return null;
    const columns = run.groups.columns;
    const place = (name) => columns.indexOf(name);
    const plain = (name) => (row) => {
      const text = row[place(name)];
      return text === "" ? "–" : Number.isNaN(Number(text)) ? text : number(Number(text));
    };
    const levels = columns.filter((c) => c.endsWith("_used")).map((c) => c.slice(0, -5));
    const inLevels = new Set(levels.flatMap((l) => [`${l}_used`, `${l}_min`, `${l}_max`]));
    const tells = (name) => name !== "start_s" && (!name.endsWith("_s") ||
      run.groups.rows.some((row) => Number(row[place(name)]) !== 0));
    const shown = columns.filter((c) => !inLevels.has(c) && tells(c)).map((name) => ({
      title: spaced(name), number: name !== "group" && name !== "satisfied", class: name === "group" ? "name" : null, cell: plain(name)}));
    const ofLevels = levels.map((level) => ({title: `${level}s`, number: true, cell: (row) => {
      const [used, min, max] = ["used", "min", "max"].map((what) => row[place(`${level}_${what}`)] ?? "");
      return used === "" ? "–" : min === "" || Number(used) === 0 ? used : `${used} × ${min === max ? min : `${min}–${max}`}`;
    }}));
    const distance = shown.findIndex((c) => c.title === "mean distance");
    shown.splice(distance < 0 ? shown.length : distance, 0, ...ofLevels);
    return [
      el("p", {class: "lead"}, `The groups of replication 0` + (run.groups.leftOut > 0
        ? `: the first ${run.groups.rows.length} of ${number(run.groups.rows.length + run.groups.leftOut)}.` : ".") +
        (levels.length > 0 ? " For each level: how many domains are used × how many members are in one, from the least to the greatest." : "")),
      foldable(table(shown, run.groups.rows.map((row) => shown.map((c) => c.cell(row))), {label: "Groups"}),
        run.groups.rows.length, 12),
    ];
  }

  /** A long table shows its first rows, and a button for the others. */
  function foldable(box, count, shown) {
    if (count <= shown + 3) return box;
    const rows = [...box.querySelectorAll("tbody tr")].slice(shown);
    rows.forEach((row) => { row.hidden = true; });
    const button = el("button", {type: "button", onclick: () => {
      rows.forEach((row) => { row.hidden = false; });
      button.remove();
    }}, `Show all ${number(count)}`);
    return el("div", {}, box, el("p", {}, button));
  }

  // ---------------------------------------------------------------- distributions

  function boxShapes(api, d, y, height, colours) {
    const x = (value) => api.coord([value, 0])[0];
    const [min, q1, median, q3, max] = d.box;
    const middle = y;
    const half = height / 2;
    const stroke = {stroke: colours.box, lineWidth: 1.5, fill: "none"};
    const children = [
      {type: "line", shape: {x1: x(min), y1: middle, x2: x(q1), y2: middle}, style: stroke},
      {type: "line", shape: {x1: x(q3), y1: middle, x2: x(max), y2: middle}, style: stroke},
      {type: "rect", shape: {x: x(q1), y: middle - half, width: Math.max(x(q3) - x(q1), 1), height},
        style: {...stroke, fill: colours.fill}},
      {type: "line", shape: {x1: x(median), y1: middle - half, x2: x(median), y2: middle + half},
        style: {...stroke, lineWidth: 2.5}},
      {type: "line", shape: {x1: x(d.mean - d.ci95), y1: middle, x2: x(d.mean + d.ci95), y2: middle},
        style: {stroke: colours.mean, lineWidth: 5}},
      {type: "circle", shape: {cx: x(d.mean), cy: middle, r: 4.5},
        style: {fill: colours.mean, stroke: colours.paper, lineWidth: 1.5}},
    ];
    return {type: "group", children};
  }

  const boxColours = () => ({box: colour("muted"), fill: colour("busy-none"), mean: colour("group"), paper: colour("paper")});

  /** The whole numbers at which a histogram's axis has labels. */
  function wholes(d) {
    const step = Math.max(1, Math.ceil(d.counts.length / 20));
    return d.counts.map((_, i) => d.from + i).filter((_, i) => i % step === 0);
  }

  function distributionFigure(d) {
    const edges = d.counts.map((_, i) => d.from + i * d.width - (d.whole ? 0.5 : 0));
    const low = edges[0];
    const high = edges.at(-1) + d.width;
    const [min, q1, median, q3, max] = d.box;
    const mean = withInterval(d.name, d.mean, d.ci95);
    const noun = d.of;
    const label = (i) => (d.whole ? number(edges[i] + 0.5) : `${number(edges[i])} to ${number(edges[i] + d.width)}`);
    return figure({
      id: "distribution",
      title: d.name,
      height: 340,
      summary: `${plural(d.n, noun)}: mean ${mean} (95% confidence), standard deviation ${inUnit(d.name, d.sd)}, ` +
        `median ${inUnit(d.name, median)}, half of them from ${inUnit(d.name, q1)} to ${inUnit(d.name, q3)}, ` +
        `95% up to ${inUnit(d.name, d.p95)}, all from ${inUnit(d.name, min)} to ${inUnit(d.name, max)}.`,
      columns: [{title: d.name}, {title: `${noun}s`, number: true}],
      rows: () => d.counts.map((count, i) => [label(i), number(count)]),
      option: () => ({
        grid: [{outerBoundsMode: "none", left: 52, right: 14, top: 4, height: 36}, {outerBoundsMode: "none", left: 52, right: 14, top: 66, bottom: 46}],
        tooltip: tooltip({trigger: "item", formatter: (p) => p.seriesIndex === 0
          ? `mean ${mean}<br>median ${inUnit(d.name, median)}<br>quartiles ${inUnit(d.name, q1)}, ${inUnit(d.name, q3)}<br>` +
            `range ${inUnit(d.name, min)} to ${inUnit(d.name, max)}`
          : `${markup(d.name)} ${label(p.dataIndex)}<br>${plural(d.counts[p.dataIndex], noun)} (${percent(d.counts[p.dataIndex] / d.n)})`}),
        xAxis: [
          {type: "value", gridIndex: 0, min: low, max: high, show: false},
          axis({type: "value", gridIndex: 1, min: low, max: high, name: d.name, nameLocation: "middle", nameGap: 28,
            splitLine: {show: false},
            axisLabel: {formatter: (v) => inUnit(d.name, v), ...(d.whole ? {customValues: wholes(d)} : {})}}),
        ],
        yAxis: [
          {type: "value", gridIndex: 0, min: 0, max: 1, show: false},
          axis({type: "value", gridIndex: 1, minInterval: 1, axisLine: {show: false}, name: `${noun}s`,
            nameTextStyle: {align: "left", padding: [0, 0, 0, -46]}, nameGap: 10}),
        ],
        series: [
          {type: "custom", xAxisIndex: 0, yAxisIndex: 0, data: [[d.mean, 0.5]], encode: {x: 0, y: 1},
            renderItem: (params, api) => boxShapes(api, d, api.coord([d.mean, 0.5])[1], 22, boxColours())},
          {type: "custom", xAxisIndex: 1, yAxisIndex: 1, encode: {x: 0, y: 1},
            data: d.counts.map((count, i) => [edges[i] + d.width / 2, count]),
            renderItem: (params, api) => {
              const [x0, y] = api.coord([api.value(0) - d.width / 2, api.value(1)]);
              const [x1, y0] = api.coord([api.value(0) + d.width / 2, 0]);
              const space = d.whole ? Math.min(8, (x1 - x0) * 0.18) : 1;
              const wide = Math.min(x1 - x0 - space, 90);
              return {type: "rect", shape: {x: (x0 + x1 - wide) / 2, y, width: wide, height: y0 - y},
                style: {fill: colour("bar")}};
            },
            markLine: {silent: true, symbol: "none", data: [{xAxis: d.mean}], lineStyle: {color: colour("group"), type: "solid", width: 1.5},
              label: {formatter: `mean ${inUnit(d.name, d.mean)}`, color: colour("group"), position: "end", distance: 2, fontSize: 12}},
            markArea: {silent: true, itemStyle: {color: colour("group"), opacity: 0.16},
              data: [[{xAxis: d.mean - d.ci95}, {xAxis: d.mean + d.ci95}]]}},
        ],
      }),
    });
  }

  function distributionsSection(run) {
    if (run.distributions.length === 0) return null;
    // Those that vary come first: there is more to see.
    const varies = (d) => d.box[0] < d.box[4];
    const all = [...run.distributions.filter(varies), ...run.distributions.filter((d) => !varies(d))];
    state.distribution = Math.min(state.distribution, all.length - 1);
    const names = all.map((d) => (d.of === "replication" ? d.name : `${d.of}: ${d.name}`));
    return {
      controls: el("div", {class: "controls"}, choice("Metric", names, state.distribution, (i) => {
        state.distribution = i;
        redrawSections(["distributions"]);
      }, "metric")),
      content: [
        el("p", {class: "lead"}, "The box holds the middle half, its line is the median, the whiskers are the extremes; " +
          "the point is the mean with its 95% confidence interval."),
        distributionFigure(all[state.distribution]),
      ],
    };
  }

  /** One metric in all runs, when there are several. */
  function compareSection() {
    if (data.runs.length < 2) return null;
    const names = [...new Set(data.runs.flatMap((run) => run.metrics.map((m) => m.name)))].filter((name) =>
      data.runs.filter((run) => run.metrics.some((m) => m.name === name && m.mean != null)).length > 1);
    if (names.length === 0) return null;
    const differs = (name) => new Set(data.runs.map((run) => run.metrics.find((m) => m.name === name)?.mean)).size > 1;
    names.sort((a, b) => differs(b) - differs(a));
    state.compared = Math.min(state.compared, names.length - 1);
    const name = names[state.compared];
    const rows = data.runs.map((run, i) => ({
      label: runNames[i],
      metric: run.metrics.find((m) => m.name === name && m.mean != null),
      box: run.distributions.find((d) => d.of === "replication" && d.name === name),
    })).filter((row) => row.metric);
    const describe = (row) => row.box ?? {mean: row.metric.mean, ci95: row.metric.ci95 ?? 0,
      box: [row.metric.min, row.metric.mean, row.metric.mean, row.metric.mean, row.metric.max].map((v) => v ?? row.metric.mean)};
    const mean = (m) => withInterval(name, m.mean, m.ci95);
    return {
      controls: el("div", {class: "controls"}, choice("Metric", names, state.compared, (i) => {
        state.compared = i;
        redrawSections(["compare"]);
      }, "compared")),
      content: [figure({
        id: "compare",
        title: name,
        height: 60 + 44 * rows.length,
        summary: rows.map((row) => `${row.label}: ${mean(row.metric)}`).join("; ") + ".",
        columns: [{title: "run", class: "name"}, {title: "mean ± 95%", number: true}, {title: "sd", number: true},
          {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}],
        rows: () => rows.map(({label, metric: m}) => [label, mean(m), inUnit(name, m.sd), inUnit(name, m.min),
          inUnit(name, m.max), number(m.n)]),
        option: (width) => ({
          grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 12 + 7.4 * Math.max(...rows.map((r) => r.label.length))), right: 24, top: 6, bottom: 44},
          tooltip: tooltip({trigger: "item", formatter: (p) => {
            const row = rows[p.dataIndex];
            return `<b>${markup(row.label)}</b><br>mean ${mean(row.metric)}<br>range ${inUnit(name, row.metric.min)} to ` +
              `${inUnit(name, row.metric.max)}<br>n = ${number(row.metric.n)}`;
          }}),
          xAxis: axis({type: "value", scale: true, name, nameLocation: "middle", nameGap: 28,
            axisLabel: {formatter: (v) => inUnit(name, v)}}),
          yAxis: axis({type: "category", inverse: true, data: rows.map((r) => r.label), axisLine: {show: false},
            splitLine: {show: false}, axisLabel: {color: colour("ink"), width: width * 0.32, overflow: "truncate"}}),
          series: [{type: "custom", encode: {x: [1, 2, 3], y: 0},
            data: rows.map((row, i) => [i, describe(row).mean, describe(row).box[0], describe(row).box[4]]),
            renderItem: (params, api) =>
              boxShapes({coord: ([v]) => api.coord([v, params.dataIndex])}, describe(rows[params.dataIndex]),
                api.coord([0, params.dataIndex])[1], 18, boxColours())}],
        }),
      })],
    };
  }

  // ---------------------------------------------------------------- time series

  /** Columns that can share an axis: shares, seconds, bytes, and all other numbers. */
  function unitOf(name, values) {
    if (/(^|_)bytes(_|$)/.test(name)) return "bytes";
    if (/_s($|_)/.test(name)) return "seconds";
    let whole = true;
    let least = Infinity;
    let most = -Infinity;
    for (const value of values) {
      if (value == null) continue;
      whole = whole && Number.isInteger(value);
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    if (/share|utili[sz]ation|fraction|ratio|rate|index/.test(name) && least >= 0 && most <= 1.0001) return "share";
    return !whole && least >= 0 && most <= 1.0001 ? "share" : "number";
  }

  function seriesSection(run) {
    const series = run.series;
    if (!series) return null;
    const band = state.series === "all" ? series.band : undefined;
    const one = band ? null : series.runs.find((r) => r.replication === state.series) ?? series.runs[0];
    const time = band ? band.time : one.time;
    const values = band ? band.mean : one.values;
    if (time.length < 2) return null;
    const titles = {share: "share", seconds: "seconds", bytes: "bytes", number: "number"};
    const shown = series.columns.map((name, c) => ({name, c, unit: unitOf(name, values[c])}))
      .filter(({c}) => values[c].some((v) => v != null));
    if (shown.length === 0) return null;
    const units = Object.keys(titles).filter((unit) => shown.some((s) => s.unit === unit));
    const each = units.length === 1 ? 260 : 170;
    const top = 42;
    const between = 26;
    const colourOf = (i) => palette()[i % 7];
    const dash = (i) => ["solid", "dashed", "dotted"][Math.floor(i / 7) % 3];
    const show = (unit, v) => (unit === "share" ? percent(v) : unit === "bytes" ? bytes(v) : number(v));
    const controls = el("div", {class: "controls"});
    if (series.band) {
      const texts = [`mean and range of ${series.count}`, ...series.runs.map((r) => `replication ${r.replication}`)];
      const selected = band ? 0 : 1 + series.runs.indexOf(one);
      controls.append(choice("Show", texts, selected, (i) => {
        state.series = i === 0 ? "all" : series.runs[i - 1].replication;
        redrawSections(["series"]);
      }, "replication"));
    }
    const last = time.at(-1);
    const mostOf = (unit) => Math.max(...shown.filter((s) => s.unit === unit)
      .map(({c}) => (band ? band.high : values)[c].reduce((a, b) => Math.max(a, b ?? a), 0)));
    return {
      controls,
      content: [
        el("p", {class: "lead"}, "Drag the slider to zoom; click a name to hide or show it." +
          (band ? ` Lines are means over ${series.count} replications, the shade is their range.` : "")),
        figure({
          id: "series",
          renderer: "canvas",
          height: top + units.length * (each + between) + 58,
          summary: `${plural(shown.length, "metric")} over ${duration(last - time[0])}. ` + shown.slice(0, 6).map(({name, c, unit}) => {
            const known = values[c].filter((v) => v != null);
            return `${name}: ${show(unit, Math.min(...known))} to ${show(unit, Math.max(...known))}, at the end ${show(unit, known.at(-1))}`;
          }).join("; ") + ".",
          columns: [{title: "time", number: true}, ...shown.map(({name}) => ({title: name, number: true}))],
          rows: () => time.map((t, i) => [duration(t), ...shown.map(({c}) => number(values[c][i]))]),
          option: () => ({
            legend: legend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 16, pageTextStyle: {color: colour("muted")},
              pageIconColor: colour("accent"), pageIconInactiveColor: colour("line"), data: shown.map((s) => s.name)}),
            grid: units.map((_, g) => ({outerBoundsMode: "none", left: 66, right: 14, top: top + g * (each + between), height: each})),
            axisPointer: {link: [{xAxisIndex: "all"}]},
            tooltip: tooltip({trigger: "axis", formatter: (list) => {
              const rows = list.filter((p) => p.componentSubType === "line").map((p) => {
                const s = shown.find((x) => x.name === p.seriesName);
                return p.value[1] == null ? "" : `<tr><td style="padding-right:14px">${p.marker}${markup(s.name)}</td>` +
                  `<td style="text-align:right">${show(s.unit, p.value[1])}</td></tr>`;
              }).join("");
              return `<b>${duration(list[0].value[0])}</b><table style="font-size:13px;width:auto">${rows}</table>`;
            }}),
            xAxis: units.map((_, g) => axis({type: "value", gridIndex: g, min: time[0], max: last, splitLine: {show: false},
              axisLabel: {show: g === units.length - 1, formatter: (v) => duration(v)}, ...timeTicks(last - time[0])})),
            yAxis: units.map((unit, g) => axis({type: "value", gridIndex: g, scale: unit !== "share", min: unit === "share" ? 0 : null,
              ...(unit === "share" && mostOf(unit) > 0.7 ? {max: 1, interval: 0.25} : {}),
              name: titles[unit], nameLocation: "middle", nameGap: 48, splitNumber: 4, axisLine: {show: false},
              axisLabel: {formatter: (v) => show(unit, v)}})),
            dataZoom: [
              {type: "slider", xAxisIndex: units.map((_, g) => g), bottom: 8, height: 22, filterMode: "none",
                ...sliderColours(), labelFormatter: (v) => duration(v)},
              {type: "inside", xAxisIndex: units.map((_, g) => g), filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true},
            ],
            series: [
              ...shown.map(({name, c, unit}, i) => ({
                name, type: "line", xAxisIndex: units.indexOf(unit), yAxisIndex: units.indexOf(unit),
                step: time.length < 200 ? "end" : false, showSymbol: false, connectNulls: false,
                lineStyle: {width: 1.6, color: colourOf(i), type: dash(i)}, itemStyle: {color: colourOf(i)},
                data: time.map((t, k) => [t, values[c][k]]),
              })),
              ...(band ? shown.flatMap(({c, unit, name}, i) => rangeSeries(band, c, units.indexOf(unit), colourOf(i), name)) : []),
            ],
          }),
        }),
      ],
    };
  }

  /** The shade between the least and the greatest value, as one closed shape that follows its line's legend. */
  function rangeSeries(band, c, grid, fill, name) {
    const step = band.time.length < 200;
    return [{
      name, type: "custom", silent: true, xAxisIndex: grid, yAxisIndex: grid, z: 1, clip: true,
      itemStyle: {color: fill}, tooltip: {show: false}, encode: {x: 0, y: 1},
      // Two corners, for the axis to reach that far; the first of them draws the shape.
      data: [Math.min, Math.max].map((far, i) => [band.time.at(-i),
        (i === 0 ? band.low : band.high)[c].reduce((a, b) => (b == null ? a : a == null ? b : far(a, b)), null)]),
      renderItem: (params, api) => {
        if (params.dataIndex > 0) return null;
        const up = [];
        const down = [];
        let before = null;
        band.time.forEach((t, i) => {
          if (band.low[c][i] == null) return;
          if (step && before != null) {
            up.push(api.coord([t, band.high[c][before]]));
            down.push(api.coord([t, band.low[c][before]]));
          }
          up.push(api.coord([t, band.high[c][i]]));
          down.push(api.coord([t, band.low[c][i]]));
          before = i;
        });
        return {type: "polygon", shape: {points: [...up, ...down.reverse()]}, style: {fill, opacity: 0.14}};
      },
    }];
  }

  function timeTicks(span) {
    const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
      172800, 432000, 864000, 2592000, 8640000];
    const step = steps.find((s) => span / s <= 12);
    return step && span > 5 ? {interval: step} : {};
  }

  // ---------------------------------------------------------------- waiting

  function waitingSection(run) {
    const pods = run.pods;
    if (!pods || pods.causes.length === 0) return null;
    const causes = pods.causes;
    const cut = (text, size) => (text.length > size ? `${text.slice(0, size - 1)}…` : text);
    return [
      el("p", {class: "lead"}, `${plural(pods.explained, "pod")} did not run for a reason that is known; ` +
        "a pod can have more than one. All pods: " +
        pods.outcomes.map(([name, count]) => `${number(count)} ${name}`).join(", ") + "."),
      figure({
        id: "waiting",
        title: "Pods by reason",
        height: 46 + 30 * causes.length,
        summary: causes.slice(0, 5).map(([text, count]) => `${text}: ${plural(count, "pod")}`).join("; ") + ".",
        columns: [{title: "reason", class: "message"}, {title: "pods", number: true}],
        rows: () => causes.map(([text, count]) => [text, number(count)]),
        option: (width) => ({
          grid: {outerBoundsMode: "none", left: Math.min(width * 0.5, 14 + 6.8 * Math.max(...causes.map(([t]) => Math.min(t.length, 64)))), right: 56, top: 6, bottom: 28},
          tooltip: tooltip({trigger: "item", extraCssText: "white-space:normal;max-width:420px",
            formatter: (p) => `${markup(causes[p.dataIndex][0])}<br><b>${plural(causes[p.dataIndex][1], "pod")}</b>`}),
          xAxis: axis({type: "value", minInterval: 1}),
          yAxis: axis({type: "category", inverse: true, data: causes.map(([text]) => cut(text, 64)), splitLine: {show: false},
            axisLabel: {color: colour("ink"), width: width * 0.5 - 14, overflow: "truncate"}}),
          series: [{type: "bar", data: causes.map(([, count]) => count), barMaxWidth: 18, itemStyle: {color: colour("bar")},
            label: {show: true, position: "right", color: colour("muted"), formatter: (p) => number(p.value)}}],
        }),
      }),
      el("h3", {style: "margin-top:22px"}, "As the scheduler said it"),
      foldable(table([{title: "message", class: "message"}, {title: "pods", number: true}],
        pods.messages.map(([text, count]) => [text, number(count)]), {label: "Messages"}), pods.messages.length, 8),
    ];
  }

  // ---------------------------------------------------------------- metrics and configuration

  function metricsSection(run) {
    if (run.metrics.length === 0) return null;
    const several = run.metrics.some((m) => m.n > 1);
    const columns = several
      ? [{title: "Metric", class: "name"}, {title: "mean ± 95%", number: true}, {title: "sd", number: true},
        {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}]
      : [{title: "Metric", class: "name"}, {title: "value", number: true}];
    const box = table(columns, run.metrics.map((m) => {
      return several
        ? [m.name, withInterval(m.name, m.mean, m.ci95), ...[m.sd, m.min, m.max].map((v) => inUnit(m.name, v)), number(m.n)]
        : [m.name, inUnit(m.name, m.mean)];
    }), {label: "Metrics"});
    const filter = el("input", {type: "search", placeholder: "part of a name", oninput: (e) => {
      const wanted = e.target.value.trim().toLowerCase();
      box.querySelectorAll("tbody tr").forEach((row) => {
        row.hidden = !row.firstChild.textContent.toLowerCase().includes(wanted);
      });
    }});
    return {
      controls: run.metrics.length > 12 ? el("div", {class: "controls"}, el("label", {}, "Filter", filter)) : null,
      content: [
        several ? el("p", {class: "lead"}, "Means over the replications; ± is half of the width of the 95% confidence interval.") : null,
        box,
      ],
    };
  }

  function configurationSection(run) {
    if (!run.configuration) return null;
    return [el("p", {class: "lead"}, "Running this again gives the same bytes."),
      el("details", {}, el("summary", {}, "experiment.yaml"), el("pre", {tabindex: "0"}, run.configuration))];
  }

  // ---------------------------------------------------------------- the page

  const sections = [
    ["claims", "Claims", claims],
    ["cluster", "The cluster", clusterSection],
    ["levels", "Level by level", levelsSection],
    ["groups", "Groups", groupsSection],
    ["compare", "The runs side by side", compareSection],
    ["distributions", "Distributions", distributionsSection],
    ["series", "Over time", seriesSection],
    ["waiting", "Why pods wait", waitingSection],
    ["metrics", "Metrics", metricsSection],
    ["configuration", "Configuration", configurationSection],
  ];

  const runNames = data.runs.map((run) => {
    const same = data.runs.filter((other) => other.experiment === run.experiment).length > 1;
    return same ? `${run.experiment} (${run.directory})` : run.experiment;
  });

  function renderSection([id, title, make]) {
    const made = make(data.runs[state.run]);
    if (!made) return null;
    const {controls, content} = Array.isArray(made) ? {content: made} : made;
    return el("section", {id, "aria-labelledby": `${id}-title`},
      el("div", {class: "head"}, el("h2", {id: `${id}-title`}, title),
        controls && controls.childNodes.length > 0 ? controls : null),
      content);
  }

  function startCharts() {
    const start = waiting;
    waiting = [];
    start.forEach((run) => run());
  }

  function dropCharts(within) {
    for (const [id, chart] of charts) {
      if (within.contains(chart.getDom())) {
        chart.observer.disconnect();
        chart.dispose();
        charts.delete(id);
      }
    }
  }

  /** Renders some sections anew and keeps the focus where it was. */
  function redrawSections(ids) {
    const focused = document.activeElement?.id;
    for (const section of sections.filter(([id]) => ids.includes(id))) {
      const old = document.getElementById(section[0]);
      dropCharts(old);
      old.replaceWith(renderSection(section));
    }
    startCharts();
    if (focused) document.getElementById(focused)?.focus();
  }

  function render() {
    const run = data.runs[state.run];
    const main = document.getElementById("main");
    dropCharts(main);
    const made = sections.map(renderSection).filter(Boolean);
    main.replaceChildren(...made);
    document.title = `${run.experiment} – berth`;
    document.getElementById("title").textContent = run.experiment;
    const facts = [];
    if (run.replications > 0) facts.push(["replications", number(run.replications)]);
    if (run.cluster) facts.push(["servers", number(run.cluster.servers)]);
    const known = Object.fromEntries([...run.machine, ...run.origin]);
    for (const key of ["seed", "version"]) {
      if (known[key] != null) facts.push([key, known[key]]);
    }
    const pick = (pattern) => Object.entries(known).find(([key]) => pattern.test(key));
    const rate = pick(/^events_per_s/);
    const wall = pick(/^wall/);
    const memory = pick(/^peak_(memory|rss)/);
    if (wall) facts.push(["took", duration(Number(wall[1]))]);
    if (rate) facts.push(["events per second", number(Math.round(Number(rate[1])))]);
    if (memory) facts.push(["peak memory", bytes(Number(memory[1]))]);
    document.getElementById("facts").replaceChildren(...facts.map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, value))));
    document.getElementById("contents").replaceChildren(...made.map((section) =>
      el("a", {href: `#${section.id}`}, section.querySelector("h2").textContent)));
    startCharts();
  }

  // Theme: what the system says, until the reader says otherwise.
  const themeButton = document.getElementById("theme");
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
  let wanted = null;
  try {
    wanted = localStorage.getItem("berth-theme");
  } catch {
    // A browser may keep nothing for pages from a file.
  }
  function applyTheme() {
    const dark = wanted ? wanted === "dark" : systemDark.matches;
    root.dataset.theme = dark ? "dark" : "light";
    root.style.colorScheme = root.dataset.theme;
    themeButton.setAttribute("aria-pressed", String(dark));
    for (const chart of charts.values()) {
      chart.redraw();
    }
  }
  themeButton.addEventListener("click", () => {
    wanted = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("berth-theme", wanted);
    } catch {
      // As above: the choice then lasts as long as the page.
    }
    applyTheme();
  });
  systemDark.addEventListener("change", applyTheme);

  if (data.runs.length > 1) {
    const select = document.getElementById("run");
    select.append(...runNames.map((name, i) => el("option", {value: i}, name)));
    select.closest("label").hidden = false;
    select.addEventListener("change", () => {
      Object.assign(state, {run: Number(select.value), view: 0, resource: 0, distribution: 0, series: "all"});
      render();
    });
  }
  applyTheme();
  render();
})();
