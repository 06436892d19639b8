/* How near pods' devices are to each other, what was free in broken pieces, and why it was not better. */

const share = (part, of) => (of > 0 ? part / of : null);

function sizesFigure(devices) {
  const kinds = nearnessKinds.map((kind, k) => ({...kind, k})).filter(({k}) => devices.sizes[0].kinds[k][0] > 0);
  const rows = devices.sizes.map((size) => ({
    label: size.gpus === 0 ? "all" : gpuCount(size.gpus),
    pods: size.kinds[0][0],
    values: kinds.map(({k}) => {
      const [pods, reached, attainable] = size.kinds[k];
      return pods === 0 ? null : {reached: reached / pods, attainable: attainable / pods,
        note: `${number(reached)} of ${plural(pods, "pod")}, ${number(attainable)} could have`};
    }),
  }));
  return nearnessBars({
    id: "locality",
    title: "What pods of each size got",
    rows,
    panels: kinds,
    summary: kinds.map(({title}, i) => `${title}: ${ofPossible(rows[0].values[i])}`).join("; ") + ".",
    caption: "Narrow bars: the share of pods that have it. Wide ones: the share that could have had it with the devices that were free on that server at that instant.",
    columns: [{title: "pods with"}, {title: "pods", number: true}, ...kinds.flatMap(({title}) => [{title, number: true}, {title: "possible", number: true}])],
    cells: (row) => [row.label, number(row.pods), ...row.values.flatMap((v) => [percent1(v?.reached), percent1(v?.attainable)])],
  });
}

function windowsFigure(run) {
  const {from, width, counts} = run.devices.windows;
  if (counts.length < 2) return null;
  const k = state.nearness;
  const {title} = nearnessKinds[k];
  const points = counts.map((kinds, i) => {
    const [pods, reached, attainable] = kinds[k];
    return {from: from + i * width, pods, reached: share(reached, pods), attainable: share(attainable, pods)};
  });
  const known = points.filter((p) => p.pods > 0);
  if (known.length < 2) return null;
  const missed = known.reduce((a, b) => (b.attainable - b.reached > a.attainable - a.reached ? b : a));
  const step = (field) => [...points.map((p) => [p.from, p[field]]), [from + counts.length * width, points.at(-1)[field]]];
  const line = (name, field, more) => ({name, type: "line", step: "end", symbol: "none", data: step(field), ...more});
  return figure({
    id: "locality-time",
    title: `By the time of start: ${title}`,
    height: 230,
    summary: `In each ${duration(width)} of start times${run.replications > 1 ? ", over all replications" : ""}. ` + (missed.attainable > missed.reached
      ? `Most was missed from ${duration(missed.from)} on: ${ofPossible(missed)}, ${plural(missed.pods, "pod")}.` : "No pod missed what was possible."),
    columns: [{title: "from", number: true}, {title: "pods", number: true}, {title, number: true}, {title: "possible", number: true}],
    rows: () => points.map((p) => [duration(p.from), number(p.pods), percent1(p.reached), percent1(p.attainable)]),
    option: () => ({
      legend: legend({top: 0, left: 0, data: ["reached", "possible"]}),
      grid: {outerBoundsMode: "none", left: 48, right: 14, top: 30, bottom: 26},
      tooltip: tooltip({trigger: "axis", formatter: (list) => {
        const p = points[Math.min(list[0].dataIndex, points.length - 1)];
        return `<b>${duration(p.from)} to ${duration(p.from + width)}</b><br>${p.pods === 0 ? "no pod started" : `${ofPossible(p)} of ${plural(p.pods, "pod")}`}`;
      }}),
      xAxis: axis({type: "value", min: from, max: from + counts.length * width, splitLine: {show: false},
        axisLabel: {formatter: (v) => duration(v), alignMaxLabel: "right"}, ...timeTicks(1.5 * counts.length * width)}),
      yAxis: axis({type: "value", min: 0, max: 1, interval: 0.25, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => percent(v)}}),
      series: [line("possible", "attainable", {itemStyle: {color: colour("busy-some")}, lineStyle: {width: 1.5, color: colour("busy-some")},
        areaStyle: {color: colour("busy-some"), opacity: 0.35}}),
      line("reached", "reached", {itemStyle: {color: colour("busy-full")}, lineStyle: {width: 2, color: colour("busy-full")},
        areaStyle: {color: colour("busy-full"), opacity: 0.3}})],
    }),
  });
}

function freeFigure(run) {
  const free = run.devices.free;
  if (!free) return null;
  const last = free.time.at(-1);
  const line = (name, values, hue) => ({name, type: "line", step: "end", symbol: "none", itemStyle: {color: hue}, lineStyle: {color: hue, width: 1.5},
    areaStyle: {color: hue, opacity: 0.25}, data: free.time.map((t, i) => [t, values[i]])});
  const metric = run.metrics.find((m) => m.name === "free_gpus_broken");
  return figure({
    id: "locality-free",
    title: "Free GPUs, and those of broken islands",
    renderer: "canvas",
    height: 270,
    summary: (metric?.mean == null ? "" : `Over time, ${percent1(metric.mean)} of the free GPUs were on an NVLink island (where there is none: a NUMA node) ` +
      "of which another GPU was in use. ") + `Replication 0, ${free.sampled ? "as sampled" : "counted from its pods"}.`,
    columns: [{title: "time", number: true}, {title: "free", number: true}, {title: "of broken islands", number: true}],
    rows: () => free.time.map((t, i) => [duration(t), number(free.all[i]), number(free.broken[i])]),
    option: () => ({
      legend: legend({top: 0, left: 0, data: ["free", "of broken islands"]}),
      grid: {outerBoundsMode: "none", left: 48, right: 30, top: 30, bottom: 64},
      tooltip: tooltip({trigger: "axis", formatter: (list) => `<b>${duration(list[0].value[0])}</b><br>` +
        list.map((p) => `${p.marker}${p.seriesName}: ${number(p.value[1])}`).join("<br>")}),
      ...timeAxes(free.time[0], last),
      yAxis: axis({type: "value", min: 0, minInterval: 1, axisLine: {show: false, onZero: false}}),
      series: [line("free", free.all, colour("bar")), line("of broken islands", free.broken, colour("group"))],
    }),
  });
}

function reasonsTable(devices) {
  const {sizes, rows} = devices.reasons;
  if (rows.length === 0) return [];
  return [
    el("h3", {class: "below"}, "Why they are not nearer"),
    el("p", {class: "lead"}, "Pods by the first thing that kept their GPUs apart. Enough GPUs are as many as the pod asked for; " +
      "“was not chosen” means that it was possible and the allocator decided otherwise."),
    table([{title: "reason", class: "message"}, {title: "pods", number: true}, ...sizes.map((s) => ({title: gpuCount(s), number: true}))],
      () => rows.map((row) => [row.text, number(row.pods), ...row.bySize.map((n) => (n === 0 ? "–" : number(n)))]), {label: "Why GPUs are not nearer", shown: 12}),
  ];
}

function localitySection(run) {
  const devices = run.devices;
  if (!devices || devices.sizes[0].kinds[0][0] === 0) return null;
  const counts = devices.sizes[0].kinds;
  const offered = nearnessKinds.map((kind, k) => ({...kind, k})).filter(({k}) => counts[k][0] > 0);
  if (!offered.some(({k}) => k === state.nearness)) state.nearness = numaKind;
  const [pods, reached, attainable] = counts[numaKind];
  const lead = `${plural(pods, "pod")} had devices to keep together: more than one GPU, or a GPU and a NIC. ` +
    `${percent1(reached / pods)} have their GPUs on one NUMA node, ${percent1(attainable / pods)} could have.` +
    (run.allocator ? ` The allocator: ${run.allocator}.` : "") +
    (run.replications > 1 ? " Pods of all replications together." : "") +
    (devices.evictions ? " Pods that were evicted count by their last place." : "");
  return {
    controls: devices.windows.counts.length < 2 ? null : el("div", {class: "controls"},
      choice("Over time", offered.map(({title}) => title), offered.findIndex(({k}) => k === state.nearness), (i) => {
        state.nearness = offered[i].k;
        redrawSections(["locality"]);
      }, "nearness")),
    content: [
      el("p", {class: "lead"}, lead),
      sizesFigure(devices),
      el("div", {class: "pair below"}, windowsFigure(run), freeFigure(run)),
      ...reasonsTable(devices),
    ],
  };
}
