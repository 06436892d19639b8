/* The JSON that the C++ side writes into the page: page_data.cpp and the files that it uses,
   answer.cpp, sweep_data.cpp, sweep_answer.cpp and compare_json.cpp. Each type names the
   function that writes it. A value that is not known is null. */

/** page_json.hpp, folded(): one value for all entries, or one value for each. */
export type Folded = Value | Value[];
/** page_json.hpp, packed(): whole numbers in a short form, or one number for all. */
export type Packed = number | string;
/** page_json.hpp, packed_numbers(). */
export type PackedNumbers = {values: Packed; null?: number; step?: number; per?: number} | null;
export type Value = number | null;

/** make_page_data(), make_sweep_data(). */
export interface PageData {
  schema: string;
  definitions: Record<string, Definition>;
  runs: Run[];
  comparison?: Comparison | null;
  verdicts?: RunVerdict[];
  /** The runs ask different questions or have claims: the page begins with a list of them. */
  index?: boolean;
  /** The subject of the page, as its author states it. */
  title?: string;
  sweep?: Sweep;
}

/** The data as it is written; base/state.js unpacks the series. */
export type WrittenRun = Omit<Run, "series" | "course"> & {series: WrittenSeries | null; course: WrittenSeries | null};
export type WrittenPage = Omit<PageData, "runs"> & {runs: WrittenRun[]};

/** definitions(): the meaning of a metric. */
export interface Definition {
  part: string;
  unit: string;
  meaning: string;
}

/** run_data(), with the parts that add_cluster() and add_device_setups() add. */
export interface Run {
  experiment: string;
  directory: string;
  replications: number;
  origin: [string, string][];
  machine: [string, string][];
  answer: RunAnswer;
  window: {from: number; to: Value; rule: string} | null;
  claims: Claim[];
  metrics: Metric[];
  distributions: Distribution[];
  cumulatives: Cumulative[];
  series: Series | null;
  /** Waiting pods and use, computed from the times of pods; of several replications together. */
  course: Series | null;
  /** Whether all placed pods got their places at the same instant. */
  placement: boolean;
  pods: PodsData | null;
  groups: {columns: string[]; rows: string[][]; leftOut: number};
  cluster: Cluster | null;
  gantt?: GanttData | null;
  film?: Film | null;
  quotas: Quotas | null;
  /** Kueue's cohorts and queues, if Kueue admits jobs; then the run has no other quotas. */
  queues?: Quotas;
  quotaMetrics: QuotaMetrics | null;
  devices?: Devices;
  arrival: Arrival | null;
  failures?: Failures | null;
  configuration: string;
  allocator?: string;
  exactRun?: Value;
}

/** number_json(): a number in the form in which it is quoted. */
export interface QuotedNumber {
  metric: string;
  title: string;
  value: string;
  interval: string;
  unit: string;
}

/** run_answer(). */
export interface RunAnswer {
  question: string | null;
  window: string;
  broken: string[];
  numbers: (QuotedNumber & {note: string})[];
  intervals: string;
  takesTime: boolean;
  payers: Payers[];
  limits: string[];
  warnings: string[];
}

/** who_pays(): kinds of jobs whose waits differ. */
export interface Payers {
  by: string;
  rows: {name: string; metric: string; mean: string; tail: string}[];
  leftOut: number;
}

/** comparison_answer(): a run beside the first one. */
export interface RunVerdict {
  paired: boolean;
  rows: VerdictRow[];
}
export interface VerdictRow {
  metric: string;
  title: string;
  baseline: string;
  run: string;
  difference: string;
  verdict: string;
}

/** claims_data(). */
export interface Claim {
  text: string;
  expected: string;
  measured: string;
  holds: boolean;
  source?: string;
  figure?: ClaimFigure;
  /** It comes from `expect` and is not a claim. */
  expectation?: boolean;
}
/** Members by node, or numbers of nodes by the number of members on them. */
export interface ClaimFigure {
  level: string;
  by: "node" | "members";
  published: Record<string, number>;
  measured: Record<string, number>;
}

/** metrics(). */
export interface Metric {
  name: string;
  mean: Value;
  ci95: Value;
  sd: Value;
  min: Value;
  max: Value;
  atLeast: Value;
  n: number;
  neverStarted?: number;
}

/** The minimum, lower quartile, median, upper quartile and maximum. */
export type Box = [number, number, number, number, number];

/** distribution(). */
export interface Distribution {
  of: "replication" | "group" | "pod";
  name: string;
  n: number;
  goingOn: number;
  mean: Value;
  sd: number;
  ci95: Value;
  box: Box;
  p95: number;
  from: number;
  width: number;
  whole: boolean;
  counts: number[];
}

/** cumulatives(). */
export interface Cumulative {
  name: string;
  n: number;
  goingOn: number;
  neverStarted: number;
  value: number[];
  share: number[];
}

/** series(), in its written form. */
export interface WrittenSeries {
  columns: string[];
  count: number;
  runs: {replication: number; rows: number; points: number; time: PackedNumbers; values: PackedNumbers[]}[];
  band?: {points: number; time: PackedNumbers; mean: PackedNumbers[]; low: PackedNumbers[]; high: PackedNumbers[]};
}
/** The same data, unpacked by base/unpack.js. */
export interface Series {
  columns: string[];
  count: number;
  runs: SeriesRun[];
  band?: SeriesBand;
}
export interface SeriesRun {
  replication: number;
  time: number[];
  values: Value[][];
}
export interface SeriesBand {
  time: number[];
  mean: Value[][];
  low: Value[][];
  high: Value[][];
}

/** pods_data(). */
export interface PodsData {
  outcomes: [string, number][];
  explained: number;
  causes: [string, number][];
  messages: [string, number][];
}

/** cluster_shape(). */
export interface ClusterShape {
  levels: string[];
  leaf: string;
  servers: number;
  resources: string[];
  paid: number;
  domains: {names: string[]; parents: number[]}[];
  names: string[];
  parents: number[];
  serversPerCell?: number[];
  capacity: (number | number[])[];
  background: (number | number[])[];
}
/** cluster_data(). */
export interface Cluster extends ClusterShape {
  member: string;
  views: ClusterView[];
}
/** view_data(). */
export interface ClusterView {
  label: string;
  time: number;
  count: number;
  members: Members;
  others: Members;
}
/** members_data(): amounts by resource are missing if they are not known. */
export interface Members {
  cells: number[];
  counts: number[];
  amounts?: (number | number[])[];
}

/** film_data(). */
export interface Film {
  last: number;
  all: boolean;
  moments: number;
  levels: number;
  cells: number;
  running: Packed;
  parts: FilmPart[];
  cluster?: ClusterShape;
}
export interface FilmPart {
  resource: number | null;
  most?: number;
  count: number;
  values: Packed;
}

/** gantt_data(). */
export interface GanttData {
  tick: number;
  last: number;
  until: number;
  leaf: string;
  pods: number;
  total: number;
  servers: {names: string[]; places: string[]; placeOf: Packed; gpus: Packed};
  resource: string;
  stems: string[];
  groups: string[];
  quotas: string[];
  columns: Record<GanttColumn, Packed>;
}
export type GanttColumn = "start" | "length" | "wait" | "server" | "gpus" | "highGpus" | "size" | "stem" | "number" | "group" | "quota";

/** quotas_data(). A quota is an index; 0 is the root, and a parent of -1 means none. */
export interface Quotas {
  resources: string[];
  first: number;
  last: number;
  samples: number;
  replications: number;
  chosen: number;
  resource: number;
  names: string[];
  parents: number[];
  moves: [quota: number, time: number, parent: number][];
  gone: [quota: number, time: number][];
  figures: QuotaFigures[];
  series: ((PackedSteps | null)[] | null)[];
  leftOut: number;
  thinned: boolean;
  evictions: {total: number; marks: EvictionMark[]; counts: [quota: number, cause: string, pods: number, lost: number][]};
  changes: {total: number; marks: ChangeMark[]};
  total: Value[];
  loans: {parent: number; resource: number; rows: Loan[]}[];
  kueue?: Kueue;
}
/**
 * queues_data(): the data of quotas that are a Cohort, a ClusterQueue or a LocalQueue. All lists
 * are by quota.
 */
export interface Kueue {
  kinds: ("" | "Cohort" | "ClusterQueue" | "LocalQueue")[];
  weights: Value[];
  stopped: string[];
  borrowingLimits: Value[][] | null;
  lendingLimits: Value[][] | null;
  /** The number of jobs that wait for quota. */
  waiting: (ValueSteps | null)[];
  /**
   * The dominant share divided by the weight, if fair sharing is on; a null value: borrows with a
   * weight of 0.
   */
  shares: (ValueSteps | null)[];
  replications: number;
  all: QueueCounts;
  counts: (QueueCounts | null)[];
  /** The most frequent of all `preemptedRows` rows. */
  preempted: [preemptor: string, preempted: string, reason: string, times: number][];
  preemptedRows: number;
  /** The reasons of all preemptions, the most frequent first. */
  reasons: [reason: string, times: number][];
  preemptions: {total: number; rows: QueuePreemption[]};
  /** The most frequent of all `inVainRows` rows. */
  inVain: [queue: string, message: string, jobs: number][];
  inVainRows: number;
}
export interface ValueSteps {
  time: number[];
  value: Value[];
}
/** Sums over all replications. */
export type QueueCounts = [admitted: number, preempted: number, notReady: number, waiting: number];
/** A preemption in replication 0; queues are quotas. */
export type QueuePreemption = [time: number, job: string, queue: number, by: string, byQueue: number, reason: string, held: number];
export type EvictionMark = [time: number, quota: number, cause: string, pod: string, ran: number, lost: number];
export type ChangeMark = [time: number, change: string, quota: string, accepted: boolean, message: string];
/** The lender, the borrower, and the amount times hours. */
export type Loan = [lender: Lender, borrower: Lender, hours: number];
export type Lender = number | "unreserved" | "taken" | "others";
/** figures_data(): by quota. */
export interface QuotaFigures {
  used: Value[];
  min: Value[];
  max: Value[];
  there: number[];
  overMin: number[];
  overUse: number[];
  borrowed: number[];
  usedLast: Value[];
  minLast: Value[];
  maxLast: Value[];
}
export type StepName = "min" | "max" | "runtime" | "request" | "used";
/** steps_data(). */
export type PackedSteps = {time: number[]} & Record<StepName, Folded>;

/** quota_metrics_data(). */
export interface QuotaMetrics {
  names: string[];
  figures: Record<string, {mean: Value[]; ci95: Value[]} | undefined>;
}

/** failures_data(). */
export interface Failures {
  sizeOf: string;
  sizes: SizeFailures[];
  strip: OutageStrip | null;
  /** The uses of GPU time, in GPU-seconds. */
  gpuTime: [use: string, gpuSeconds: number][];
}
/**
 * sizes_data(): the jobs of a range of sizes, with the mean time between their interruptions and
 * its 90 % interval.
 */
export interface SizeFailures {
  min: number;
  max: number;
  mean: number;
  jobs: number;
  interruptions: number;
  running: number;
  mttf: Value;
  low: number;
  high: Value;
  projected: Value;
}
/** strip_data(): for each row, the part of each slice of time that its servers were out. */
export interface OutageStrip {
  level: string;
  rows: string[];
  leftOut: number;
  end: number;
  slices: number;
  out: PackedNumbers[];
  outages: number;
  hits: OutageHit[];
  hitsLeftOut: number;
}
/** hit_data(): an outage that took places of jobs; `to` is null if it was not over at the end. */
export type OutageHit = [row: number, from: number, to: Value, component: string, cause: string, jobs: number];

/** devices_data(). */
export interface Devices {
  sizes: {gpus: number; kinds: NearnessCount[]}[];
  reasons: {sizes: number[]; rows: {text: string; pods: number; bySize: number[]}[]};
  windows: {from: number; width: number; counts: NearnessCount[][]};
  free: {sampled: boolean; time: number[]; all: number[]; broken: number[]} | null;
  evictions: boolean;
  background: boolean;
  machines: Machine[];
  texts: string[];
  servers: {all: number; used: number; pods: number; shown: number; list: DeviceServer[]};
}
/**
 * counts_data(): the pods for which the kind is counted, those that reached it, and those that
 * could have reached it.
 */
export type NearnessCount = [pods: number, reached: number, attainable: number];
export interface Machine {
  type: string;
  devices: MachineDevice[];
}
export interface MachineDevice {
  kind: string;
  index: number;
  model: string;
  numa: string;
  pcie: string;
  nvlink: string;
}
export interface DeviceServer {
  name: string;
  place: string;
  machine: number;
  split: number;
  pods: number;
  stays: PackedStay[];
}
export type PackedStay = [name: string, start: number, finish: Value, gpus: number[], nics: number[], reached: number, attainable: number, reason: number];

/** arrival_data(). */
export interface Arrival {
  arrived: number[];
  unallocated: MiddleBand;
  ratio: MiddleBand;
  classes: Record<string, number[]>;
}
export interface MiddleBand {
  median: number[];
  low: number[];
  high: number[];
}

/** comparison_json(), with the places that compare_page.cpp adds. */
export interface Comparison {
  schema: string;
  baseline: string;
  tests: number;
  comparisons: RunComparison[];
  headline: string[];
}
export interface RunComparison {
  run: string;
  place: number;
  warning: string;
  work_differs: string[];
  cluster_differs: string[];
  one_sided: string[];
  pairs: number;
  baseline_left_out: number;
  run_left_out: number;
  metrics_compared: number;
  metrics: MetricComparison[];
  groups: Fates;
  pods: Fates;
}
export interface MetricComparison {
  metric: string;
  pairs: number;
  baseline: number;
  run: number;
  difference: number;
  sd: Value;
  ci95: Value;
  effect: Value;
  p: Value;
  p_holm: Value;
  better: string;
  verdict: string;
  baseline_bounds: number;
  run_bounds: number;
  baseline_never_started: number;
  run_never_started: number;
}
export interface Fates {
  both: number;
  baseline_only: number;
  run_only: number;
  waited_longer: number;
  waited_shorter: number;
  moved: number;
  outcomes: {baseline: string; run: string; n: number}[];
  most_changed: {name: string; group: string; seed: number | string; replication: number; baseline: Fate; run: Fate}[];
}
export interface Fate {
  outcome: string;
  place: string;
  wait_s: Value;
  jct_s: Value;
  reason: string;
}

/** make_sweep_data(). */
export interface Sweep {
  name: string;
  directory: string;
  answer: SweepAnswer;
  defaults: {metric: string; x: string; by: string | null; panel: string | null};
  target: string;
  axes: SweepAxis[];
  keys: string[];
  unfinished: number[];
  replications: number[];
  seeds: (number | string)[];
  t95: number[];
  metrics: SweepMetric[];
  leftOut: string[];
  against: SweepAgainst | null;
  configuration: string;
}
/**
 * against(): for each baseline and point three floats (difference, half of its interval, Holm's p),
 * and an index into `names`.
 */
export interface SweepAgainst {
  baselines: number[];
  headlines: string[][];
  names: string[];
  metrics: Record<string, {values: string; verdicts: string}>;
}
/** axis_list(): `points` has the index of each point's value; `numbers` is null for names. */
export interface SweepAxis {
  name: string;
  values: string[];
  numbers: number[] | null;
  given: boolean;
  points: number[];
}
/**
 * metric_list(): one number for all, or floats in base64, by point and replication or by part of a
 * summary.
 */
export interface SweepMetric {
  name: string;
  values: number | string;
  summed?: boolean;
}
/** sweep_answer(). */
export interface SweepAnswer {
  question: string;
  given: string;
  nothing: string;
  numbers: (QuotedNumber & {at: string; equal: number; next: string; by: string; more: string; doubt: string})[];
  averages: string[];
  warnings: string[];
}
