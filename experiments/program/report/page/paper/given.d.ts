/* A sheet of figures, and the data from which the program has it drawn. */

import type {Calibration, Distribution, StartQuantiles, SweepAxis, WrittenPage, WrittenRun} from "../data.d.ts";
import type {Figure} from "../figures/figure.d.ts";
import type {QuotaChoice} from "../quotas/quotas.d.ts";
import type {SweepCell, SweepView} from "../sweep/sweep.d.ts";

/** A picture on a sheet: a figure of the page, or one that paints itself. */
export interface Panel {
  title?: string;
  figure?: Figure;
  paint?: (width: number) => {svg: string; height: number};
  /** Its share of the width of its row. */
  weight?: number;
}
/** An entry of the legend above the panels, with one colour or with several in a row. */
export interface Key {
  colours: string[];
  text: string;
}
export interface Sheet {
  /** The width, in points. */
  points: number;
  rows: Panel[][];
  keys?: Key[];
  /** Words below the panels. */
  notes?: string[];
}

/** A benchmark's results by size. */
export interface Benchmark {
  name: string;
  unit: string;
  /** What the size counts; empty if that is not known. */
  sizeOf: string;
  at: [size: number, best: number, median: number][];
}

/** A job, or a form of one, and when it starts. */
export interface Start {
  name: string;
  start: StartQuantiles;
}

/** What the figures of `berth plot`, `berth calibrate` and `berth forecast` need besides the data of runs or of a sweep; each has some. */
export interface PaperGiven {
  /** The names of the runs. */
  names: string[];
  /** The resource of each run, as an index. */
  resources: number[];
  /** One kind of nearness, or all if it is empty. */
  kind: string;
  /** The range of what has arrived, in percent. */
  range: [from: number, to: number];
  /** One metric in each run. */
  distributions: Distribution[];
  /** The quota and the resource of each run. */
  chosen: QuotaChoice[];
  /** The period that is shown; null: to the end. */
  window: [from: number, to: number | null];
  metrics: string[];
  lines: Benchmark[];
  /** A recording beside a run. */
  calibration: Calibration;
  /** When jobs start, and how changes of one of them would start. */
  starts: Start[];
  changes: Start[];
  view: SweepView;
  cells: SweepCell[];
  notes: string[];
}
/** What the files of plot/ write: of the rest, each figure has what it needs. */
export interface WrittenPaper extends Partial<PaperGiven> {
  figure: string;
  page: Omit<WrittenPage, "runs" | "sweep"> & {runs: Partial<WrittenRun>[]; sweep?: WrittenSweep};
}
/** The axes of a sweep; the cells of its figure are computed already. */
export interface WrittenSweep {
  axes: Pick<SweepAxis, "name" | "values" | "numbers">[];
  replications: number[];
}
/** The same for the figure that it is written for. */
export interface PaperData extends PaperGiven {
  figure: string;
  page: WrittenPage;
}
