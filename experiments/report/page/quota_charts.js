/* One quota over time, and who holds what its parent has. */

/** Values as a chart wants them, the last one held until the end of the samples. */
function heldUntil(times, values, end) {
  const points = times.map((t, i) => [t, values[i]]);
  if (times.length > 0 && times.at(-1) < end) points.push([end, values.at(-1)]);
  return points;
}

/** Stretches with more in use than runtime: [from, until, runtime, used]. */
function overUses(steps, end) {
  const list = [];
  steps.time.forEach((from, i) => {
    if (steps.used[i] != null && steps.runtime[i] != null && steps.used[i] > steps.runtime[i]) {
      const until = i + 1 < steps.time.length ? steps.time[i + 1] : end;
      if (until > from) list.push([from, until, steps.runtime[i], steps.used[i]]);
    }
  });
  return list;
}

const most = (values) => values.reduce((a, b) => (b != null && b > a ? b : a), 0);

/** How far up the axis goes: far enough for what is held, and for what is asked or allowed if that is not far off. */
function quotaReach(steps) {
  const near = Math.max(most(steps.used), most(steps.runtime), most(steps.min));
  const far = ["request", "max"].filter((name) => most(steps[name]) > 3 * near && near > 0);
  const reach = Math.max(near, ...["request", "max"].filter((name) => !far.includes(name)).map((name) => most(steps[name])));
  return {reach: reach > 0 ? reach * 1.06 : 1, far};
}

/** A triangle on the axis for the evictions of each instant, larger for more. */
function evictionMarks(marks) {
  const counts = new Map();
  marks.forEach(([t]) => counts.set(t, (counts.get(t) ?? 0) + 1));
  const fill = colour("fails");
  return {name: "evictions", type: "custom", silent: true, z: 7, clip: false, encode: {x: 0, y: 1}, itemStyle: {color: fill},
    data: [...counts].map(([t, count]) => [t, 0, count]),
    renderItem: (params, api) => {
      const [x, y] = api.coord([api.value(0), 0]);
      const {x: left, width} = params.coordSys;
      if (x < left - 1 || x > left + width + 1) return null;
      const half = Math.min(9, 3.5 + Math.sqrt(api.value(2)));
      return {type: "polygon", shape: {points: [[x - half, y + 1], [x + half, y + 1], [x, y - 2 * half]]},
        style: {fill, stroke: colour("surface"), lineWidth: 1}};
    }};
}

/** A vertical line for each change; a refused one in the colour of failure, with a cross on top. */
function changeMarks(marks) {
  return {name: "changes", type: "custom", silent: true, z: 6, clip: false, encode: {x: 0, y: 1},
    itemStyle: {color: colour("muted")},
    data: marks.map(([t, , , accepted]) => [t, 0, accepted ? 1 : 0]),
    renderItem: (params, api) => {
      const {x: left, y: top, width, height} = params.coordSys;
      const x = api.coord([api.value(0), 0])[0];
      if (x < left - 1 || x > left + width + 1) return null;
      const stroke = api.value(2) ? colour("muted") : colour("fails");
      const style = {stroke, lineWidth: 1.4, fill: "none"};
      const top4 = top - 4;
      const sign = api.value(2)
        ? {type: "circle", shape: {cx: x, cy: top4, r: 3.5}, style: {...style, fill: stroke}}
        : {type: "path", shape: {pathData: `M${x - 4},${top4 - 4}L${x + 4},${top4 + 4}M${x + 4},${top4 - 4}L${x - 4},${top4 + 4}`},
          style: {...style, lineWidth: 2}};
      return {type: "group", children: [sign, {type: "line", shape: {x1: x, y1: top, x2: x, y2: top + height},
        style: {...style, lineDash: [3, 3]}}]};
    }};
}

function overUseSeries(stretches) {
  const fill = colour("fails");
  return {name: "over runtime", type: "custom", silent: true, z: 5, clip: true, encode: {x: [0, 1], y: [2, 3]},
    itemStyle: {color: fill, opacity: 0.55}, data: stretches,
    renderItem: (params, api) => {
      const [x0, y0] = api.coord([api.value(0), api.value(2)]);
      const [x1, y1] = api.coord([api.value(1), api.value(3)]);
      return {type: "rect", shape: {x: x0, y: y1, width: Math.max(1, x1 - x0), height: y0 - y1}, style: {fill, opacity: 0.55}};
    }};
}

/** What happened about a time: changes with their messages, evictions by cause. */
function happenings(time, near, changes, evictions) {
  const rows = changes.filter(([t]) => Math.abs(t - time) <= near).map(([t, change, name, accepted, message]) =>
    `<b>${duration(t)}: ${markup(change)} ${markup(name)}</b> ${accepted ? "" : "refused"}${message ? `<br>${markup(message)}` : ""}`);
  const lost = evictions.filter(([t]) => Math.abs(t - time) <= near);
  if (lost.length > 0) {
    const names = lost.slice(0, 3).map(([, , cause, pod]) => `${markup(pod)} (${markup(cause)})`);
    rows.push(`${plural(lost.length, "pod")} evicted: ${names.join(", ")}${lost.length > 3 ? ", …" : ""}`);
  }
  return rows.slice(0, 5).map((row) => `<div class="happening">${row}</div>`).join("");
}

const timeAxes = (first, last) => ({
  xAxis: axis({type: "value", min: first, max: last, splitLine: {show: false},
    axisLabel: {formatter: (v) => duration(v), alignMaxLabel: "right"}, ...timeTicks(last - first)}),
  dataZoom: [{type: "slider", bottom: 8, height: 22, filterMode: "none", ...sliderColours(), labelFormatter: (v) => duration(v)},
    {type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true}],
});

/** Up to `reach`; bytes in round steps of their own unit, since 2 TiB is no round number of bytes. */
function amountAxis(resource, reach) {
  const unit = inBytes(resource) && reach > 1 ? 1024 ** Math.floor(Math.log2(reach) / 10) : 1;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((s) => reach / (s * unit) <= 5);
  return axis({type: "value", min: 0, max: reach, splitNumber: 4, axisLine: {show: false, onZero: false},
    ...(inBytes(resource) && step ? {interval: step * unit} : {}),
    axisLabel: {formatter: (v) => amount(resource, inBytes(resource) ? v : Number(v.toPrecision(3))), showMaxLabel: false}});
}

/** How many seconds are within a few pixels of the pointer, at the zoom of now. */
function pointerReach(id, first, last) {
  const zoom = charts.get(id)?.getOption().dataZoom?.[0];
  return ((last - first) * ((zoom?.end ?? 100) - (zoom?.start ?? 0))) / 100 / 70;
}

/** What a quota did, in words. */
function quotaWords(quotas, q, r) {
  const resource = quotas.resources[r];
  const figures = quotas.figures[r];
  const show = (v) => (v == null ? "none" : amount(resource, v));
  const some = withDescendants(quotas, q);
  const lost = evictionsOf(quotas, some);
  const changed = changesOf(quotas, some);
  const refused = changed.filter(([, , , accepted]) => !accepted).length;
  const words = [`${quotaName(quotas, q)} used ${show(figures.used[q])} of ${resource} on average` +
    (!borrows(quotas, q) ? "." : ` (min ${show(figures.min[q])}, max ${show(figures.max[q])}).`)];
  if (borrows(quotas, q) && figures.min[q] > 0) {
    words.push(figures.overMin[q] > 0
      ? `It was above its min for ${duration(figures.overMin[q])} of ${duration(figures.there[q])}: ${resourceHours(resource, figures.borrowed[q])} borrowed.`
      : "It never used more than its min.");
  }
  if (figures.overUse[q] > 0) words.push(`It was above its runtime for ${duration(figures.overUse[q])}.`);
  if (lost.pods > 0) {
    words.push(`${plural(lost.pods, "pod")}${some.size > 1 ? " in it or below" : ""} evicted (${causesText(lost.causes)}), ` +
      `${duration(lost.lost)} of work lost.`);
  }
  if (changed.length > 0) words.push(`${plural(changed.length, "change")}${refused > 0 ? `, ${refused} refused` : ""}.`);
  return words.join(" ");
}

function quotaFigure(quotas) {
  const {chosen: q, resource: r} = quotaState(quotas);
  const resource = quotas.resources[r];
  const name = quotaName(quotas, q);
  const steps = quotaSteps(quotas, q, r);
  if (!steps || steps.time.length === 0 || !(quotas.last > quotas.first)) {
    return [el("h3", {}, `${name}: ${resource}`), el("p", {class: "lead"}, `${quotaWords(quotas, q, r)} ` +
      (quotas.series[q] ? "There is no series of this resource." : "Its series is not in this page, to keep it small."))];
  }
  const some = withDescendants(quotas, q);
  const evictions = quotas.evictions.marks.filter(([, quota]) => some.has(quota));
  const changes = changesOf(quotas, some);
  const over = overUses(steps, quotas.last);
  const {reach, far} = quotaReach(steps);
  const looks = {used: {width: 1.8, type: "solid", colour: "series-1"}, runtime: {width: 1.8, type: "solid", colour: "series-3"},
    request: {width: 1.4, type: "solid", colour: "series-5"}, min: {width: 1.5, type: "dashed", colour: "ink"},
    max: {width: 1.5, type: "dotted", colour: "series-4"}};
  const lines = Object.keys(looks).filter((line) => steps[line].some((v) => v != null));
  const show = (v) => (v == null ? "–" : amount(resource, v));
  const marks = [...(over.length ? [overUseSeries(over)] : []), ...(evictions.length ? [evictionMarks(evictions)] : []),
    ...(changes.length ? [changeMarks(changes)] : [])];
  const beyond = far.map((line) => `${line} goes up to ${show(most(steps[line]))}, beyond the chart`).join("; ");
  return figure({
    id: "quota",
    title: `${name}: ${resource}`,
    renderer: "canvas",
    height: 360,
    summary: `${quotaWords(quotas, q, r)}${beyond ? ` Its ${beyond}.` : ""}`,
    columns: [{title: "time", number: true}, ...lines.map((line) => ({title: line, number: true}))],
    rows: () => steps.time.map((t, i) => [duration(t), ...lines.map((line) => show(steps[line][i]))]),
    option: () => ({
      legend: lineLegend({top: 0, left: 0, right: 0, itemGap: 16, 
        data: [...lines.map((line) => ({name: line, itemStyle: {opacity: 0}})), ...marks.map((m) => ({name: m.name}))]}),
      grid: {outerBoundsMode: "none", left: 78, right: 30, top: 58, bottom: 64},
      tooltip: tooltip({trigger: "axis", extraCssText: "white-space:normal;max-width:380px", formatter: (list) => {
        const time = list[0].axisValue;
        const i = stepIndex(steps.time, time);
        const rows = lines.map((line) => `<tr><td><span class="dot" style="background:${colour(looks[line].colour)}"></span>${line}</td>` +
          `<td class="number">${i < 0 ? "–" : show(steps[line][i])}</td></tr>`).join("");
        return `<b>${duration(time)}</b><table class="tip">${rows}</table>` +
          happenings(time, pointerReach("quota", quotas.first, quotas.last), changes, evictions);
      }}),
      ...timeAxes(quotas.first, quotas.last),
      yAxis: amountAxis(resource, reach),
      series: [
        ...lines.map((line) => ({name: line, type: "line", step: "end", showSymbol: false, z: {request: 2, runtime: 3, used: 4}[line] ?? 5,
          lineStyle: {width: looks[line].width, type: looks[line].type, color: colour(looks[line].colour)},
          itemStyle: {color: colour(looks[line].colour)},
          ...(line === "used" ? {areaStyle: {color: colour(looks.used.colour), opacity: 0.22}} : {}),
          data: heldUntil(steps.time, steps[line], quotas.last)})),
        ...marks,
      ],
    }),
  });
}

/** Used by each child on one grid of times; what is not named is in `others`. */
function childrenUse(quotas, parent, r, chosen) {
  const figures = quotas.figures[r];
  const all = everChildrenOf(quotas, parent).filter((q) => figures.used[q] != null);
  const held = (q) => figures.used[q] * figures.there[q];
  const shown = all.filter((q) => quotaSteps(quotas, q, r)).sort((a, b) => (b === chosen) - (a === chosen) || held(b) - held(a)).slice(0, 12);
  const steps = shown.map((q) => quotaSteps(quotas, q, r));
  const whole = quotaSteps(quotas, parent, r);
  let times = [...new Set([...steps, ...(whole ? [whole] : [])].flatMap((s) => s.time))].sort((a, b) => a - b);
  if (times.length > 700) {
    times = Array.from({length: 700}, (_, i) => quotas.first + ((quotas.last - quotas.first) * i) / 699);
  }
  const at = (s, name, t) => {
    const i = stepIndex(s.time, t);
    return i < 0 ? null : s[name][i];
  };
  const used = shown.map((q, k) => times.map((t) => (parentAt(quotas, q, t) === parent ? at(steps[k], "used", t) ?? 0 : 0)));
  const borrowed = shown.map((q, k) => times.map((t, i) => (borrows(quotas, q) ? Math.max(0, used[k][i] - Math.max(0, at(steps[k], "min", t) ?? 0)) : 0)));
  const total = whole ? times.map((t) => at(whole, "used", t)) : null;
  const runtime = whole && whole.runtime.some((v) => v != null) ? times.map((t) => at(whole, "runtime", t)) : null;
  const others = total && times.map((_, i) => Math.max(0, (total[i] ?? 0) - used.reduce((all, one) => all + one[i], 0)));
  const sum = (values) => values.reduce((a, b) => a + (b ?? 0), 0);
  // What is left when all children are named is rounding, or a parent's own pods.
  const some = others && sum(others) > 0.005 * sum(total) ? others : null;
  return {times, shown, used, borrowed, total, runtime, others: some, left: all.length - shown.length};
}

function childrenFigure(quotas) {
  const {chosen, resource: r} = quotaState(quotas);
  const parent = childrenOf(quotas, chosen).length > 0 || chosen === 0 ? chosen : quotas.parents[chosen];
  const resource = quotas.resources[r];
  const {times, shown, used, borrowed, total, runtime, others, left} = childrenUse(quotas, parent, r, chosen);
  const name = quotaName(quotas, parent);
  const title = parent === 0 ? `Who holds what is in use: ${resource}` : `Who holds what ${name} has: ${resource}`;
  if (shown.length === 0 && left > 0) {
    return [el("h3", {}, title), el("p", {class: "lead"}, "The series of these quotas are not in this page, to keep it small.")];
  }
  if (shown.length === 0 || times.length < 2) return null;
  const show = (v) => (v == null ? "–" : amount(resource, v));
  const otherName = left > 0 ? plural(left, "other") : "not in a child";
  const hues = palette().filter((hue) => hue !== colour("series-3"));  // that is the runtime's, here as above
  const fill = (k, alpha) => mixedAlpha(hues[k % 6], k < 6 ? alpha : alpha * 0.55);
  const areas = [...shown.map((q, k) => ({name: quotaName(quotas, q), values: used[k], borrowed: borrowed[k], fill: fill(k, 0.8), pale: fill(k, 0.35)})),
    ...(others ? [{name: otherName, values: others, borrowed: others.map(() => 0), fill: colour("line")}] : [])];
  const lends = (area) => area.borrowed.some((v) => v > 0);
  /** Within the min, and above it what is beyond. */
  const stack = areas.flatMap((area) => [{...area, values: area.values.map((v, i) => v - area.borrowed[i])},
    ...(lends(area) ? [{...area, values: area.borrowed, fill: area.pale}] : [])]);
  const lines = [...(total ? [{name: "all of it", values: total, type: "solid", colour: "ink"}] : []),
    ...(runtime ? [{name: "runtime", values: runtime, type: "solid", colour: "series-3"}] : [])];
  const means = shown.map((q) => [quotaName(quotas, q), quotas.figures[r].used[q]]).sort((a, b) => b[1] - a[1]);
  const top = Math.max(most(lines.flatMap((l) => l.values)), most(times.map((_, i) => stack.reduce((sum, one) => sum + (one.values[i] ?? 0), 0))));
  return figure({
    id: "quota-children",
    title,
    renderer: "canvas",
    height: 340,
    summary: `${plural(shown.length + left, "quota")} ${parent === 0 ? "at the first level" : `below ${name}`}. On average ` +
      means.slice(0, 4).map(([child, mean]) => `${child} held ${show(mean)}`).join(", ") + "." +
      (areas.some(lends) ? " Pale is what is in use beyond the min." : ""),
    columns: [{title: "time", number: true}, ...[...areas, ...lines].map((s) => ({title: s.name, number: true})),
      ...areas.filter(lends).map((s) => ({title: `${s.name} beyond min`, number: true}))],
    rows: () => times.map((t, i) => [duration(t), ...[...areas, ...lines].map((s) => show(s.values[i])), ...areas.filter(lends).map((s) => show(s.borrowed[i]))]),
    option: () => ({
      legend: lineLegend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 16, pageTextStyle: {color: colour("muted")},
        pageIconColor: colour("accent"), pageIconInactiveColor: colour("line"), 
        data: [...areas.map((s) => ({name: s.name, icon: "roundRect", itemStyle: {color: s.fill, opacity: 1}})), ...lines.map((s) => ({name: s.name, itemStyle: {opacity: 0}}))]}),
      grid: {outerBoundsMode: "none", left: 78, right: 30, top: 40, bottom: 64},
      tooltip: tooltip({trigger: "axis", formatter: (list) => {
        const i = Math.max(0, stepIndex(times, list[0].axisValue));
        const rows = [...areas].reverse().concat(lines).map((s) =>
          `<tr><td><span class="dot" style="background:${s.fill ?? colour(s.colour)}"></span>${markup(s.name)}</td><td class="number">${show(s.values[i])}` +
          `${s.borrowed?.[i] > 0 ? ` (${show(s.borrowed[i])} beyond min)` : ""}</td></tr>`);
        return `<b>${duration(list[0].axisValue)}</b><table class="tip">${rows.join("")}</table>`;
      }}),
      ...timeAxes(quotas.first, quotas.last),
      yAxis: amountAxis(resource, top > 0 ? top * 1.06 : 1),
      series: [
        ...stack.map((s) => ({name: s.name, type: "line", stack: "held", step: "end", showSymbol: false, silent: true,
          lineStyle: {width: 0.8, color: colour("surface")}, itemStyle: {color: s.fill}, areaStyle: {color: s.fill, opacity: 1},
          data: heldUntil(times, s.values, quotas.last)})),
        ...lines.map((s) => ({name: s.name, type: "line", step: "end", showSymbol: false, z: 4,
          lineStyle: {width: 1.8, type: s.type, color: colour(s.colour)}, itemStyle: {color: colour(s.colour)},
          data: heldUntil(times, s.values, quotas.last)})),
      ],
    }),
  });
}
