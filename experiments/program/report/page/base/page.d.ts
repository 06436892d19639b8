/* The page: its state, its sections, what its elements are made of. */

import type {Run} from "../data.d.ts";
import type {QuotaState} from "../quotas/quotas.d.ts";

/** What the reader has chosen. */
export interface State {
  run: number;
  view: number;
  resource: number;
  distribution: number;
  compared: number;
  series: number | "all";
  quota: QuotaState | null;
  nearness: number;
  server: number;
  serverTime: number | null;
  filmPart: number | null;
  filmMoment: number | null;
  ganttWay: number;
  cumulativeLog: boolean;
}

/** What may stand inside an element; null is left out. */
export type Child = string | number | Node | null | undefined;
export type Children = Child | Children[];
/** Attributes of an element: true is present without a value; false, null and undefined are absent; `on...` is a listener. */
export interface Attributes {
  onclick?: (event: MouseEvent & {currentTarget: HTMLElement}) => void;
  oninput?: (event: Event & {target: HTMLInputElement}) => void;
  onchange?: (event: Event & {target: HTMLSelectElement}) => void;
  onsubmit?: (event: Event) => void;
  [name: string]: string | number | boolean | null | undefined | ((event: never) => void);
}
/** What a part shows; null is left out. */
export type Content = (HTMLElement | null)[];
/** What a part makes: its content, perhaps with controls beside its heading. */
export type Made = Content | {controls?: HTMLElement | null; content: Content} | null;
/** Its id, its heading, what makes it of the run that is shown, and whether it is closed until the reader opens it. */
export type Section = [id: string, title: string, make: (run: Run) => Made, closed?: (run: Run) => boolean];

declare global {
  interface Window {
    berth: object;
  }
}
