/* Every point of a sweep against one of them: pairs of replications with one seed, corrected for their number by Holm. */

/** The logarithm of the gamma function, by Stirling's series from 10 on and the recurrence below. */
function logGamma(x) {
  let shift = 0;
  for (; x < 10; ++x) shift += Math.log(x);
  const square = x * x;
  const series = 1 / (12 * x) * (1 - 1 / (30 * square) * (1 - 2 / (7 * square) * (1 - 3 / (4 * square))));
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}

/** The regularised incomplete beta function I_x(a, b): Abramowitz and Stegun 26.5.8, evaluated from the back. */
function betaShare(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  let fraction = 1;
  for (let m = 200; m > 0; --m) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1));
    fraction = 1 + odd / (1 + even / fraction);
  }
  const front = Math.exp(a * Math.log(x) + b * Math.log(1 - x) + logGamma(a + b) - logGamma(a) - logGamma(b));
  return front / (a * fraction);
}

/** The two-sided p of Student's t. */
const ofStudent = (t, degrees) => betaShare(degrees / (degrees + t * t), degrees / 2, 0.5);

/** Holm's correction: each p as it is to be compared with the level of the whole family. */
function holmAdjusted(all) {
  const order = [...all.keys()].sort((i, j) => all[i] - all[j] || i - j);
  const adjusted = new Array(all.length);
  let most = 0;
  order.forEach((i, rank) => {
    most = Math.max(most, Math.min(1, (order.length - rank) * all[i]));
    adjusted[i] = most;
  });
  return adjusted;
}

/** A point less the baseline in one metric: {n, mean, ci95, p, equal}; p and ci95 are null where nothing can be tested. */
function pairedDifference(metric, point, baseline) {
  const rounding = 2.5e-7;  // the page's numbers have 24 bits
  const at = sweepValues(metric);
  const differences = [];
  for (const r of sweep.replications.keys()) {
    const [value, before] = [at(point, r), at(baseline, r)];
    if (Number.isNaN(value) || Number.isNaN(before)) continue;
    const same = Math.abs(value - before) <= rounding * Math.max(Math.abs(value), Math.abs(before));
    differences.push(same ? 0 : value - before);
  }
  const n = differences.length;
  const equal = differences.every((d) => d === 0);
  const mean = n === 0 ? null : differences.reduce((a, b) => a + b, 0) / n;
  if (n < 2 || equal) return {n, mean, ci95: equal && n > 1 ? 0 : null, p: null, equal};
  const sd = Math.sqrt(differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (n - 1));
  const error = sd / Math.sqrt(n);
  return {n, mean, ci95: sweep.t95[n - 1] * error, p: error === 0 ? 0 : ofStudent(mean / error, n - 1), equal};
}

/** Each finished point against the baseline, with the p that Holm's correction leaves of all tests. */
function differencesAgainst(metric, baseline) {
  const rows = [...sweep.keys.keys()].filter((p) => p !== baseline && sweepMeansOf(metric)[p])
    .map((point) => ({point, ...pairedDifference(metric, point, baseline)})).filter(({n}) => n > 0);
  const tested = rows.filter(({p}) => p !== null);
  const adjusted = holmAdjusted(tested.map(({p}) => p));
  tested.forEach((row, i) => { row.holm = adjusted[i]; });
  return {rows, tests: tested.length};
}

const againstVerdict = ({equal, holm, mean}) => (equal ? "equal" : holm === undefined ? "too few pairs"
  : holm >= 0.05 ? "no difference shown" : mean > 0 ? "higher" : "lower");

const pointText = (p) => sweep.axes.filter((a) => a.values.length > 1).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");

function sweepAgainst() {
  const finished = [...sweep.keys.keys()].filter((p) => !sweep.unfinished.includes(p));
  const {metric} = sweepView;
  if (finished.length < 2) return null;
  if (sweep.seeds.length === 0) {
    return [el("p", {class: "faint"}, "The points have different seeds, so that their replications are not pairs.")];
  }
  const baseline = finished.includes(sweepView.against) ? sweepView.against : finished[0];
  const controls = el("div", {class: "controls"}, choice("Baseline", finished.map(pointText), finished.indexOf(baseline), (i) => {
    sweepView.against = finished[i];
    keepSweepHash();
    drawSweepFigures();
  }, "sweep-against"));
  const summed = metricNamed(metric).summed;
  if (summed || sweep.replications.length < 2 || !sweepMeansOf(metric)[baseline]) {
    return {controls, content: [el("p", {class: "faint"}, summed
      ? "To stay small, this page has no single replications of this metric: berth compare has the pairs."
      : `There are no pairs of replications with ${metric}: expected two replications or more.`)]};
  }
  const {rows, tests} = differencesAgainst(metric, baseline);
  const ends = ({mean, ci95}) => (ci95 == null ? "–"
    : `${toInterval(metric, mean - ci95, ci95)} to ${toInterval(metric, mean + ci95, ci95)}`);
  const columns = [{title: "point", class: "name"}, {title: "mean", number: true}, {title: "difference", number: true},
    {title: "95% interval", number: true}, {title: "p (Holm)", number: true}, {title: "verdict"}];
  const cells = () => rows.map((row) => {
    const {mean, ci95} = sweepMeansOf(metric)[row.point];
    const sign = row.mean > 0 && !plain ? "+" : "";
    return [pointText(row.point), withInterval(metric, mean, ci95), `${sign}${toInterval(metric, row.mean, row.ci95)}`, ends(row),
      ofChance(row.holm), againstVerdict(row)];
  });
  const own = sweepMeansOf(metric)[baseline];
  return {
    controls,
    content: [
      el("p", {class: "lead"}, `${spaced(metric)} of each point less that of ${pointText(baseline)} (${withInterval(metric, own.mean, own.ci95)}), ` +
        "in pairs of replications with one seed: Student's t for pairs, p corrected for " +
        `${plural(tests, "test")} by Holm, verdicts at 5% of them all together. An interval is of its own point alone.`),
      table(columns, cells, {label: "Against one point", shown: 20}),
      saveButton("against", () => columns.map(({title}) => title), cells),
    ],
  };
}
