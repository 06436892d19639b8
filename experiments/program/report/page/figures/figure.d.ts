/* What a figure is: data goes in; a picture, its words and a table of the same data come out. Nothing here touches the page. */

import type {Column, Rows} from "../base/tables.d.ts";

/** A figure that is made, ready to be shown (figures/show.js) or drawn elsewhere. */
export interface Figure {
  /** Names the chart: for the tests, for its file, and for whoever draws it anew. */
  id: string;
  title?: string;
  /** What the picture shows, in words. */
  summary: string;
  /** What stands below the picture where that is more than its summary. */
  caption?: string;
  /** In pixels; of some figures by their width. */
  height: number | ((width: number) => number);
  /** The table of the data that the picture shows. */
  columns: Column[];
  rows: () => Rows;
  /** What is saved as CSV where that is more than the table. */
  csv?: {columns: Column[]; rows: () => Rows};
  class?: string;
  role?: string;
  renderer?: "svg" | "canvas";
  /** The picture as ECharts draws it at a width. It is asked again when the theme or the width changes. */
  option?: (width: number) => ChartOption;
  /** The picture as the figure draws it itself. */
  paint?: (box: HTMLElement) => Painter;
}

/** A figure's module makes it of its data; null where there is nothing to see. */
export type FigureMaker<Given> = (given: Given) => Figure | null;
/** The same where there is always something to see. */
export type SureFigureMaker<Given> = (given: Given) => Figure;

/** A chart that is not ECharts': what figures/show.js asks of it. */
export interface Painter {
  getDom: () => HTMLElement;
  getOption: () => object;
  resize: () => void;
  draw: () => void;
  dispose: () => void;
}

/** A chart in the page, by ECharts or a figure of its own. */
export interface DrawnChart {
  getDom: () => HTMLElement;
  getOption: () => object;
  setOption?: (option: ChartOption) => void;
  dispose: () => void;
  redraw: () => void;
  csv: () => string;
  observer: ResizeObserver;
}

/** The part of ECharts' options that the page uses; what is not named here is handed on as it is. */
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
/** Each formatter says itself which points it is given: ECharts tells by the trigger. */
export interface Tooltip {
  trigger?: "item" | "axis";
  formatter?: (point: never) => string;
  [more: string]: unknown;
}
export interface AxisOption {
  axisLabel?: {formatter?: (value: number) => string; [more: string]: unknown};
  axisLine?: object;
  nameTextStyle?: object;
  splitLine?: object;
  [more: string]: unknown;
}

/** A mark that the pointer is at. */
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
