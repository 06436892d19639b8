// Small data in the form in which the program writes it into a page, for the tests of its modules.

/** An empty run, except for what is given. */
export const run = (more = {}) => ({
  experiment: "small", directory: "out/small", replications: 1, origin: [], machine: [],
  answer: {question: "", window: "", broken: [], numbers: [], intervals: "", takesTime: true, payers: [], limits: [], warnings: []},
  window: null, claims: [], metrics: [], distributions: [], cumulatives: [], series: null, course: null, placement: false, pods: null,
  groups: {columns: [], rows: [], leftOut: 0}, cluster: null, quotas: null, quotaMetrics: null, arrival: null, configuration: "",
  ...more,
});

export const metric = (name, mean, more = {}) => ({name, mean, ci95: null, sd: 0, min: mean, max: mean, atLeast: null, n: 1, ...more});

/** Members by rack: published in a figure, and measured with `count` members on the first rack. */
export const claim = (count = 2) => ({text: "members by rack", expected: "2 + 1", measured: `${count} + 1`, holds: count === 2, source: "slide 1",
  figure: {level: "rack", by: "node", published: {"rack-1": 2, "rack-2": 1}, measured: {"rack-1": count, "rack-2": 1}}});

/** Two racks with two servers each; `busy` GPUs of the first server are in use. */
export const cluster = (busy = 2) => ({
  levels: ["rack"], leaf: "server", servers: 4, resources: ["gpu"], paid: 0, member: "pod",
  domains: [{names: ["rack-1", "rack-2"], parents: [0, 0]}],
  names: ["a", "b", "c", "d"], parents: [0, 0, 1, 1], capacity: [8], background: [[busy, 0, 0, 0]],
  views: [{label: "all pods", time: 0, count: 3, members: {cells: [1, 2], counts: [2, 1], amounts: [[4, 1]]}, others: {cells: [], counts: []}}],
});

/**
 * Three moments of two servers, the first of which becomes full: the number of pairs that stay the
 * same, then the change.
 */
export const film = (level = 200) => ({last: 20, all: true, moments: 3, levels: 200, cells: 2, running: 1,
  parts: [{resource: null, most: 1, count: 2, values: packed([2, level])}]});

/** What page_json.cpp writes for some whole numbers. */
export function packed(values) {
  const bytes = [];
  for (const value of values) {
    let rest = value >= 0 ? value * 2 : -value * 2 - 1;
    do {
      const more = rest >= 128;
      bytes.push((rest % 128) + (more ? 128 : 0));
      rest = Math.floor(rest / 128);
    } while (rest > 0);
  }
  return `v${btoa(String.fromCharCode(...bytes))}`;
}

/** Three pods on two servers with two GPUs each; the last pod still runs at the end. */
export const gantt = (length = 5) => ({
  tick: 1, last: 20, until: 20, leaf: "server", pods: 3, total: 3, resource: "gpu",
  servers: {names: ["a", "b"], places: ["rack-1"], placeOf: 0, gpus: 2},
  stems: ["job-"], groups: ["left"], quotas: ["", "team"],
  columns: {start: packed([0, 2, 4]), length: packed([length + 1, 4, 0]), wait: packed([0, 1, 0]), server: packed([0, 0, 1]),
    gpus: packed([1, 2, 3]), highGpus: 0, size: packed([1000, 1000, 2000]), stem: 0, number: packed([0, 1, 1]),
    group: packed([0, -1, -1]), quota: packed([0, 1, 1])},
});

export const series = (last = 2) => ({columns: ["gpu_utilization", "pods_waiting"], count: 1,
  runs: [{replication: 0, time: [0, 10, 20], values: [[0.25, 0.5, 1], [3, 0, last]]}]});

/**
 * Utilization and queue of two replications together; in the second one, `last` pods wait at the
 * end.
 */
export const course = (last = 2) => ({columns: ["pods_waiting", "nvidia.com/gpu_utilization"], count: 2, runs: [],
  band: {time: [0, 10, 20], mean: [[0, 1, last / 2], [0.25, 0.5, 1]], low: [[0, 0, 0], [0.2, 0.4, 1]], high: [[0, 2, last], [0.3, 0.6, 1]]}});

/** All quotas, and below them two quotas, the second of which borrows. */
export const quotas = (used = 6) => ({
  resources: ["gpu"], first: 0, last: 20, samples: 3, replications: 1, chosen: 2, resource: 0,
  names: ["", "lender", "borrower"], parents: [-1, 0, 0], moves: [], gone: [],
  figures: [{used: [7, 1, used], min: [8, 4, 4], max: [8, 8, 8], there: [20, 20, 20], overMin: [0, 0, 10], overUse: [0, 0, 0],
    borrowed: [0, 0, 2], usedLast: [7, 1, used], minLast: [8, 4, 4], maxLast: [8, 8, 8]}],
  series: [[{time: [0, 10], min: 8, max: 8, runtime: 8, request: 8, used: [3, 7]}], [{time: [0, 10], min: 4, max: 8, runtime: 4, request: 1, used: 1}],
    [{time: [0, 10], min: 4, max: 8, runtime: [4, 7], request: [2, 6], used: [2, used]}]],
  leftOut: 0, thinned: false,
  evictions: {total: 1, marks: [[12, 2, "preempted", "pod-1", 3, 3]], counts: [[2, "preempted", 1, 3]]},
  changes: {total: 1, marks: [[5, "update", "borrower", false, "max is below min"]]},
  total: [8], loans: [{parent: 0, resource: 0, rows: [[1, 2, used - 4], ["unreserved", 2, 1]]}],
});

/**
 * A Cohort with two ClusterQueues of 4 GPUs each; the second one borrows, and has up to `most`
 * waiting jobs.
 */
export const queues = (most = 3) => ({...quotas(), names: ["lab", "lender", "borrower"],
  evictions: {total: 1, marks: [], counts: [[2, "InCohortReclamation", 1, 0]]}, changes: {total: 0, marks: []}, loans: [],
  kueue: {kinds: ["Cohort", "ClusterQueue", "ClusterQueue"], weights: [1, 1, 2], stopped: ["", "", "Hold"],
    borrowingLimits: [[null], [null], [4]], lendingLimits: null,
    waiting: [{time: [0, 10], value: [0, most]}, null, {time: [0, 10], value: [0, most]}],
    shares: [null, {time: [0], value: [0.1]}, {time: [0, 10], value: [0, most / 10]}],
    replications: 2, all: [20, 2 * most, 1, 3], counts: [null, [8, 0, 0, 0], [12, 2 * most, 1, 3]],
    preempted: [["lender", "borrower", "InCohortReclamation", 2 * most]], preemptedRows: 1, reasons: [["InCohortReclamation", 2 * most]],
    preemptions: {total: 1, rows: [[12, "job-1", 2, "job-2", 1, "InCohortReclamation", 3]]},
    inVain: [["borrower", "insufficient unused quota for gpu in flavor default, 1 more needed.", 3]], inVainRows: 1},
});

/** Pods with two GPUs on a machine with two NUMA nodes; `reached` of them are on a single one. */
export const devices = (reached = 2) => ({
  sizes: [0, 2].map((gpus) => ({gpus, kinds: [[0, 0, 0], [0, 0, 0], [4, reached, 3], [0, 0, 0]]})),
  reasons: {sizes: [2], rows: [{text: "no room", pods: 2, bySize: [2]}]},
  windows: {from: 0, width: 10, counts: [[[0, 0, 0], [0, 0, 0], [2, 1, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [2, reached - 1, 2], [0, 0, 0]]]},
  free: {sampled: true, time: [0, 10, 20], all: [4, 2, reached], broken: [0, 1, 1]},
  evictions: false, background: false, texts: ["", "no room"],
  machines: [{type: "pair", devices: [0, 1, 2, 3].map((index) => ({kind: "gpu", index, model: "", numa: String(index >> 1), pcie: "", nvlink: ""}))}],
  servers: {all: 1, used: 1, pods: 1, shown: 1, list: [{name: "a", place: "", machine: 0, split: 1, pods: 1,
    stays: [["pod-1", 0, null, [1, 2], [], 0, 4, 1]]}]},
});

const band = (median) => ({median, low: median.map((v) => v / 2), high: median});
export const arrival = (last = 20) => ({arrived: [50, 100], unallocated: band([50, last]), ratio: band([10, 15]),
  classes: Object.fromEntries(["q3_satisfied", "q2_lack_gpu", "q4_lack_cpu", "q1_lack_both", "xl_satisfied", "xr_lack_cpu", "no_access"]
    .map((name, i) => [name, [i + 1, last + i]]))});

/**
 * Two racks, the first of which is down until some time, and a job that lost its places; jobs of
 * two sizes; four uses of GPU time.
 */
export const failures = ({until = 6, mttf = 3600, redone = 3600} = {}) => ({
  sizeOf: "gpus",
  sizes: [{min: 1, max: 1, mean: 1, jobs: 4, interruptions: 0, running: 9e4, mttf: null, low: 3e4, high: null, projected: 2e4},
    {min: 5, max: 8, mean: 7.5, jobs: 2, interruptions: 3, running: 3 * mttf, mttf, low: mttf / 2, high: 3 * mttf, projected: 2700}],
  strip: {level: "rack", rows: ["rack-0", "rack-1"], leftOut: 0, end: 10, slices: 10, outages: 2, hitsLeftOut: 0,
    out: [{values: packed([...Array(10).keys()].map((slice) => (slice >= 2 && slice < until ? 1 : 0)))}, {values: packed([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])}],
    hits: [[0, 2, until, "server-0", "board", 1], [1, 0, null, "rack-1", "power", 2]]},
  gpuTime: [["allocated", 36000 - redone], ["no_demand", 7200], ["failed", 3600], ["redone", redone], ["hung", 0]],
});

export const distribution = (count = 3) => ({of: "replication", name: "wait_s_mean", n: 5 + count, goingOn: 0, mean: 2.5, sd: 1, ci95: 0.5, box: [1, 2, 2.5, 3, 4],
  p95: 4, from: 0, width: 1, whole: false, counts: [2, count, 3]});

export const cumulative = (last = 30) => ({name: "wait_s", n: 4, goingOn: 1, neverStarted: 0, value: [0, 10, last], share: [0.25, 0.5, 0.75]});

export const comparison = (difference = 3) => ({place: 1, warning: "", pairs: 5, baseline_left_out: 0, run_left_out: 0, metrics_compared: 1,
  metrics: [{metric: "wait_s_mean", baseline: 10, run: 10 + difference, difference, sd: 1, ci95: 0.5, effect: 2, p_holm: 0.01, verdict: "worse"}]});

/** A benchmark at two sizes, with this time at the larger one. */
export const benchmark = (name, median, more = {}) => ({name, unit: "a pod", sizeOf: "servers", at: [[1000, 1e-7, 2e-7], [1000000, 1e-6, median]], ...more});

/** Packs floats as the program does. */
export const floats = (values) => btoa(String.fromCharCode(...new Uint8Array(new Float32Array(values).buffer)));

/** Two loads with two policies and three replications each; the very last value is `last`. */
export function sweep(last = 12) {
  return {name: "loads", directory: "out/loads", answer: {question: "", given: "load", nothing: "", numbers: [], averages: [], warnings: []},
    defaults: {metric: "wait_s_mean", x: "load", by: "policy", panel: null}, target: "",
    axes: [{name: "load", values: ["0.5", "0.9"], numbers: [0.5, 0.9], given: true, points: [0, 0, 1, 1]},
      {name: "policy", values: ["pack", "spread"], numbers: null, given: false, points: [0, 1, 0, 1]}],
    keys: ["k0", "k1", "k2", "k3"], unfinished: [], replications: [0, 1, 2], seeds: [7, 8, 9], t95: [0, 12.7062, 4.30265],
    metrics: [{name: "wait_s_mean", values: floats([1, 2, 3, 2, 3, 4, 4, 5, 6, 8, 9, last])}, {name: "pods", values: 10}],
    against: {baselines: [0, 1], headlines: [["wait_s_mean"], ["wait_s_mean"]], names: ["better", "worse", "no difference shown", "too few pairs"],
      metrics: {wait_s_mean: {values: floats([NaN, NaN, NaN, 1, 0.5, 0.01, 3, 0, 0, 7.5, NaN, NaN, -1, 0.5, 0.01, ...Array(9).fill(NaN)]), verdicts: "-1230---"}}},
    leftOut: [], configuration: ""};
}

export const page = (more = {}) => ({schema: "berth.page/v1", definitions: {}, runs: [], ...more});

/** When a job starts; null: later than the forecast looks. */
export const starts = (latest = 7200) => ({p10: 600, p25: 1200, p50: 3600, p75: 5400, p90: latest});

export const waits = (label, recorded, simulated) => ({label, jobs: 3, unstarted: 0, recorded_mean_s: recorded, simulated_mean_s: simulated,
  bias: simulated / recorded - 1, bias_ci95: null, recorded_quantiles_s: [recorded, recorded, recorded],
  simulated_quantiles_s: [simulated, simulated, simulated], rank_correlation: 1, within: [0, 1, 1], within_10m_ci95: null});
