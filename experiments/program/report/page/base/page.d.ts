/* The page: its state, its sections, and the parts of its elements. */

import type {Quotas, Run} from "../data.d.ts";
import type {QuotaKind, QuotaState} from "../quotas/quotas.d.ts";

/** The reader's choices. */
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

/** The possible children of an element; null is left out. */
export type Child = string | number | Node | null | undefined;
export type Children = Child | Children[];
/**
 * Attributes of an element. true: present without a value; false, null and undefined: absent;
 * `on...`: a listener.
 */
export interface Attributes {
  onclick?: (event: MouseEvent & {currentTarget: HTMLElement}) => void;
  oninput?: (event: Event & {target: HTMLInputElement}) => void;
  onchange?: (event: Event & {target: HTMLSelectElement}) => void;
  onsubmit?: (event: Event) => void;
  [name: string]: string | number | boolean | null | undefined | ((event: never) => void);
}
/** The content of a section; null is left out. */
export type Content = (HTMLElement | null)[];
/** The result of making a section: its content, perhaps with controls beside its heading. */
export type Made = Content | {controls?: HTMLElement | null; content: Content} | null;
/**
 * A section: its id, its heading, the function that makes it for the current run, and whether it is
 * closed until the reader opens it.
 */
export type Section = [id: string, title: string, make: (run: Run) => Made, closed?: (run: Run) => boolean];

/** What schedulers/NAME/page/page.js exports as `page`: what a scheduler adds to a run's page. */
export interface SchedulerPage {
  /** Its sections, by the id of the section of every run behind which they stand. */
  sections: Record<string, Section[]>;
  /** What differs if quotas are its own; null if they are not. */
  quotaKind?: (quotas: Quotas) => QuotaKind | null;
}

declare global {
  interface Window {
    berth: object;
  }
}
