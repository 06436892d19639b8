/* GPUs that are shared: what was left over while the workload arrived, why it was of no use, and where the GPU time went. */

const fragmentClasses = [
  ["q3_satisfied", "usable by typical pods"],
  ["q2_lack_gpu", "devices too small or too few"],
  ["q4_lack_cpu", "CPU missing"],
  ["q1_lack_both", "devices and CPU missing"],
  ["xl_satisfied", "no GPU wanted, CPU there"],
  ["xr_lack_cpu", "no GPU wanted, CPU missing"],
  ["no_access", "model not accepted"],
];

const points = (value) => (plain ? plainly(value) : value == null ? "–" : `${value.toFixed(1)}%`);

const whole = (percents) => (plain ? percents : `${percents}%`);

/** Lines over what has arrived, one a run, with the middle half of the replications. */
function arrivalFigure({id, title, field, summary, ideal}) {
  const rows = data.runs.map((run, i) => ({name: runNames[i], series: run.arrival, colour: palette()[i % 7], dash: ["solid", "dashed", "dotted"][Math.floor(i / 7) % 3]}))
    .filter((row) => row.series);
  const last = Math.max(...rows.map((row) => row.series.arrived.at(-1)));
  const at = (row, x) => row.series[field].median[row.series.arrived.indexOf(x)];
  const marks = [50, 80, 90, 95, 100, 110, 120, 130].filter((x) => rows.some((row) => at(row, x) != null));
  return figure({
    id,
    title,
    height: 300 + 18 * Math.ceil(rows.length / 4),
    summary: `${summary} ${rows.map((row) => `${row.name}: ${points(row.series[field].median.at(-1))} at the end`).join("; ")}.`,
    columns: [{title: "arrived"}, ...rows.map((row) => ({title: row.name, number: true}))],
    rows: () => marks.map((x) => [whole(x), ...rows.map((row) => points(at(row, x)))]),
    option: () => ({
      legend: plainLineLegend({top: 0, left: 0, right: 0, data: rows.map((row) => row.name)}),
      grid: {outerBoundsMode: "none", left: 52, right: 34, top: 24 + 18 * Math.ceil(rows.length / 4), bottom: 74},
      tooltip: tooltip({trigger: "axis", formatter: (list) => {
        const x = list[0].value[0];
        const cells = rows.filter((row) => at(row, x) != null).sort((a, b) => at(b, x) - at(a, x))
          .map((row) => `<tr><td>${markup(row.name)}</td><td class="number">${points(at(row, x))}</td></tr>`).join("");
        return `<b>${x}% of the GPUs arrived</b><table class="tip">${cells}</table>`;
      }}),
      xAxis: axis({type: "value", min: 0, max: last, splitLine: {show: false}, name: "GPUs that have arrived, % of the cluster", nameLocation: "middle", nameGap: 26,
        axisLabel: {formatter: (v) => `${v}%`}}),
      yAxis: axis({type: "value", min: 0, splitNumber: 5, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => `${v}%`}}),
      dataZoom: [
        {type: "slider", xAxisIndex: 0, bottom: 6, height: 20, filterMode: "none", ...(ideal && last > 110 ? {startValue: 70, endValue: Math.min(last, 130)} : {}), ...sliderColours(), labelFormatter: (v) => `${Math.round(v)}%`},
        {type: "inside", xAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true},
      ],
      series: [
        ...(ideal ? [{type: "line", silent: true, showSymbol: false, tooltip: {show: false}, lineStyle: {width: 1, type: "dashed", color: colour("muted")},
          itemStyle: {color: colour("muted")}, data: [[0, 100], [100, 0], ...(last > 100 ? [[last, 0]] : [])]}] : []),
        ...rows.flatMap((row) => {
          const line = (values, more) => ({name: row.name, type: "line", showSymbol: false, symbol: "none", itemStyle: {color: row.colour},
            data: row.series.arrived.map((x, k) => [x, values[k]]), ...more});
          const band = row.series[field];
          const hidden = {lineStyle: {opacity: 0}, silent: true, tooltip: {show: false}, stack: `${id}-${row.name}`};
          return [
            line(band.median, {lineStyle: {width: 1.6, color: row.colour, type: row.dash}, z: 3}),
            line(band.low, hidden),
            line(band.high.map((high, k) => high - band.low[k]), {...hidden, areaStyle: {color: row.colour, opacity: 0.16}}),
          ];
        }),
      ],
    }),
  });
}

function classesFigure(run) {
  const series = run.arrival;
  if (!series) return null;
  const shown = fragmentClasses.map(([name, text], i) => ({name, text, colour: palette()[i], values: series.classes[name]}))
    .filter((part) => part.values.some((v) => v > 0.005));
  const at = (k) => shown.map((part) => part.values[k]);
  const end = series.arrived.length - 1;
  return figure({
    id: "fragment-classes",
    title: "What the free GPUs were to typical pods",
    height: 300,
    summary: `${data.runs.length > 1 ? `${run.experiment}. ` : ""}At the end, of all GPUs: ` + shown.map((part) => `${part.text} ${points(part.values[end])}`).join("; ") + ".",
    columns: [{title: "arrived"}, ...shown.map((part) => ({title: part.text, number: true}))],
    rows: () => series.arrived.map((x, k) => [whole(x), ...at(k).map(points)]).filter((_, k) => k % 5 === 0 || k === end),
    option: () => ({
      legend: legend({top: 0, left: 0, right: 0, data: shown.map((part) => part.text)}),
      grid: {outerBoundsMode: "none", left: 52, right: 28, top: 58, bottom: 44},
      tooltip: tooltip({trigger: "axis", formatter: (list) => `<b>${list[0].value[0]}% of the GPUs arrived</b><table class="tip">` +
        list.map((p) => `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${points(p.value[1])}</td></tr>`).reverse().join("") + "</table>"}),
      xAxis: axis({type: "value", min: series.arrived[0], max: series.arrived[end], splitLine: {show: false}, name: "GPUs that have arrived, % of the cluster",
        nameLocation: "middle", nameGap: 26, axisLabel: {formatter: (v) => `${v}%`}}),
      yAxis: axis({type: "value", min: 0, max: 100, interval: 25, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => `${v}%`}}),
      series: shown.map((part) => ({name: part.text, type: "line", stack: "classes", showSymbol: false, itemStyle: {color: part.colour},
        lineStyle: {width: 0.8, color: part.colour}, areaStyle: {color: part.colour, opacity: 0.55}, data: series.arrived.map((x, k) => [x, part.values[k]])})),
    }),
  });
}

/** Each use of GPU time has one colour, whatever else a run has: blue is what was allocated, grey what nobody asked for. */
const gpuTimeColours = {allocated: "bar", no_demand: "pod-6", quota: "series-4", gang_waiting: "series-3", split: "series-6", nic_mismatch: "pod-9",
  cpu_or_memory: "series-5", model_mismatch: "pod-8", fragmented: "series-2", scheduler: "series-7", failed: "fails"};
const gpuTimeColour = (name) => colour(gpuTimeColours[name.replace(/^gpu_time_(idle_)?/, "")] ?? "muted");

/** Where the GPU time went, a bar a run. */
function gpuTimeFigure() {
  const share = (run, name) => run.metrics.find((m) => m.name === name)?.mean;
  const runs = data.runs.map((run, i) => ({run, name: runNames[i]})).filter(({run}) => share(run, "gpu_time_allocated") != null);
  if (runs.length === 0) return null;
  const names = [...new Set(runs.flatMap(({run}) => run.metrics.map((m) => m.name)))].filter((name) => /^gpu_time_(allocated|idle_)/.test(name))
    .filter((name) => runs.some(({run}) => share(run, name) > 0.0005));
  const text = (name) => name.replace(/^gpu_time_idle_/, "idle: ").replace(/^gpu_time_/, "").replaceAll("_", " ");
  return figure({
    id: "gpu-time",
    title: "Where the GPU time went",
    height: (width) => 48 + 22 * legendRows(names.map(text), width) + 30 * runs.length,
    summary: runs.map(({run, name}) => `${name}: ` + names.map((n) => `${text(n)} ${percent1(share(run, n) ?? 0)}`).join(", ")).join("; ") + ".",
    columns: [{title: "run"}, ...names.map((n) => ({title: text(n), number: true}))],
    rows: () => runs.map(({run, name}) => [name, ...names.map((n) => percent1(share(run, n) ?? 0))]),
    option: (width) => ({
      legend: legend({top: 0, left: 0, right: 0, data: names.map(text)}),
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.35, 20 + 7 * Math.max(...runs.map(({name}) => name.length))), right: 34, top: 18 + 22 * legendRows(names.map(text), width), bottom: 24},
      tooltip: tooltip({trigger: "item", formatter: (p) => `${markup(p.seriesName)}<br><b>${percent1(p.value)}</b>`}),
      xAxis: axis({type: "value", min: 0, max: 1, axisLabel: {formatter: (v) => percent(v)}}),
      yAxis: axis({type: "category", inverse: true, data: runs.map(({name}) => name), splitLine: {show: false}, axisLabel: nameLabels(width * 0.33, {color: colour("ink")})}),
      series: names.map((n) => ({name: text(n), type: "bar", stack: "time", barMaxWidth: 18,
        itemStyle: {color: gpuTimeColour(n)}, data: runs.map(({run}) => share(run, n) ?? 0)})),
    }),
  });
}

function sharingSection(run) {
  const time = gpuTimeFigure();
  const any = data.runs.some((other) => other.arrival);
  if (!any && !time) return null;
  const several = data.runs.some((other) => other.replications > 1);
  return [
    any ? el("p", {class: "lead"}, "Free GPUs are a fragment where typical pods, each by its weight, cannot use them." +
      (several ? " Lines are medians over the replications, the shade is their middle half." : "")) : null,
    any ? arrivalFigure({id: "unallocated", title: "GPUs not allocated, while the workload arrives", field: "unallocated", ideal: true,
      summary: "Dashed: what would be left without any fragment."}) : null,
    any ? arrivalFigure({id: "fragmentation", title: "Fragments, of the free GPUs", field: "ratio", summary: "The share of the free GPUs that typical pods cannot use."}) : null,
    any ? classesFigure(run) : null,
    time,
  ];
}
