/* A figure is made from data and consists of a picture, its text and a table of the same data.
   Nothing here depends on the page. */

import type {Column, Rows} from "../base/tables.d.ts";

/** A finished figure that can be shown (figures/show.js) or drawn elsewhere. */
export interface Figure {
  /** Identifies the chart for the tests, for its file name, and for redrawing it. */
  id: string;
  title?: string;
  /** The content of the picture, in words. */
  summary: string;
  /** The text below the picture, if that is more than the summary. */
  caption?: string;
  /** The height in pixels, which may depend on the width. */
  height: number | ((width: number) => number);
  /** The table with the data of the picture. */
  columns: Column[];
  rows: () => Rows;
  /** The data that is saved as CSV, if that is more than the table. */
  csv?: {columns: Column[]; rows: () => Rows};
  class?: string;
  role?: string;
  renderer?: "svg" | "canvas";
  /** The picture for ECharts at a width. It is made again when the theme or the width changes. */
  option?: (width: number) => ChartOption;
  /** The picture of a figure that draws itself. */
  paint?: (box: HTMLElement) => Painter;
}

/**
 * A function in a figure's module that makes the figure from its data; null if there is nothing to
 * see.
 */
export type FigureMaker<Given> = (given: Given) => Figure | null;
/** The same for figures that always have something to show. */
export type SureFigureMaker<Given> = (given: Given) => Figure;

/** A chart that ECharts does not draw: the functions that figures/show.js needs. */
export interface Painter {
  getDom: () => HTMLElement;
  getOption: () => object;
  resize: () => void;
  draw: () => void;
  dispose: () => void;
}

/** A chart in the page, drawn by ECharts or by the figure itself. */
export interface DrawnChart {
  getDom: () => HTMLElement;
  getOption: () => object;
  setOption?: (option: ChartOption) => void;
  dispose: () => void;
  redraw: () => void;
  csv: () => string;
  observer: ResizeObserver;
}

/** The part of ECharts' options that the page uses; other options are passed on unchanged. */
export interface ChartOption {
  series?: ChartSeries[];
  tooltip?: Tooltip;
  legend?: object;
  grid?: object;
  xAxis?: object;
  yAxis?: object;
  title?: object;
  graphic?: object[];
  dataZoom?: object[];
  visualMap?: object;
  axisPointer?: object;
  [more: string]: unknown;
}
export interface ChartSeries {
  type?: string;
  id?: string;
  name?: string;
  renderItem?: (params: RenderParams, api: RenderApi) => Shape | null;
  [more: string]: unknown;
}
/** Each formatter declares the points that it is given, which in ECharts depends on the trigger. */
export interface Tooltip {
  trigger?: "item" | "axis";
  formatter?: (point: never) => string;
  [more: string]: unknown;
}
export interface AxisOption {
  axisLabel?: {formatter?: (value: number, index: number) => string; [more: string]: unknown};
  axisLine?: object;
  nameTextStyle?: object;
  splitLine?: object;
  [more: string]: unknown;
}

/** The mark under the pointer. */
export interface TipPoint<Value, Item> {
  dataIndex: number;
  seriesIndex: number;
  seriesName: string;
  seriesId: string;
  componentSubType: string;
  dataType: string;
  name: string;
  value: Value;
  data: Item;
  marker: string;
  axisValue: number;
}

export type NumberTip = TipPoint<number, unknown>;
export type PairTip = TipPoint<number[], unknown>;

export interface RenderParams {
  dataIndex: number;
  coordSys: {x: number; y: number; width: number; height: number};
}
export interface RenderApi {
  value: (dimension: number) => number;
  coord: (point: (number | null)[]) => number[];
  size: (span: number[]) => number[];
}
export interface Shape {
  type: string;
  shape?: Record<string, unknown>;
  style?: Record<string, unknown>;
  children?: Shape[];
  silent?: boolean;
  x?: number;
  y?: number;
}
