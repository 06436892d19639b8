/* Use level by level, and histograms of the servers. */

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
  const most = Math.max(...sums.map((s) => share(s.background + s.group, s)));
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
      grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: names.length > 80 ? 76 : 44},
      legend: use.view ? legend({top: 0, left: 0, itemGap: 18}) : undefined,
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
        formatter: (list) => {
          const i = list[0].dataIndex;
          const s = sums[i];
          return `<b>${markup(names[i])}</b><br>${use.backgroundName} ${amount(use.resource, s.background)} of ` +
            `${amount(use.resource, s.capacity)} ${markup(use.resource)} (${percent(share(s.background, s))})` +
            (use.view ? `<br>${plural(s.members, cluster.member)}` +
            (use.known ? ` (${percent(share(s.group, s))})` : "") : "");
        }}),
      dataZoom: names.length > 80 ? [{type: "slider", height: 18, bottom: 6, ...sliderColours()}, {type: "inside", zoomOnMouseWheel: "ctrl"}] : [],
      xAxis: axis({type: "category", data: shortNames(names), splitLine: {show: false}, name: cluster.levels[level], nameLocation: "middle", nameGap: 24}),
      yAxis: axis({type: "value", min: 0, max: most > 1.0001 ? null : 1, ...(most > 1.0001 ? {} : {interval: 0.25}), axisLine: {show: false}, axisLabel: {formatter: percent}}),
      series: [
        {name: use.backgroundName, type: "bar", stack: "use", barCategoryGap: "22%", itemStyle: {color: colour("bar")},
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
  use.view.members.counts.forEach((m) => counts.set(m, (counts.get(m) ?? 0) + 1));
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
    summary: `${plural(use.view.count, cluster.member)} on ${plural(use.view.members.cells.length, cluster.leaf)}: ` +
      `${number(Math.min(...use.view.members.counts))} to ${number(largest)} on one.`,
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
  if (!cluster || nothingOn(cluster)) return null;
  const use = clusterUse(cluster);
  const shown = cluster.levels.map((_, l) => l).filter((l) => {
    const count = cluster.domains[l].names.length;
    return count > 1 && count <= 1000;
  });
  const whose = use.view && (use.view.label === "all pods" ? use.view.label : `${cluster.member}s of ${use.view.label}`);
  return [
    el("p", {class: "lead"}, `Share of ${use.resource} in use` +
      (whose ? `: ${use.backgroundName} in blue, ${whose} in orange on top.` : ` by ${use.backgroundName}.`)),
    shown.length > 0 ? el("div", {class: "pair"}, shown.map((l) => levelFigure(cluster, use, l))) : null,
    el("div", {class: "pair"}, cellHistogram(cluster, use), membersHistogram(cluster, use)),
  ];
}
