/* The geometry of the picture of pods over time: which servers and times it shows, and where. */

import {ganttSpace} from "./gantt_paint.js";
/** @import {Colouring, GanttModel, GanttServer, GanttView} from "./pods.d.ts" */

/** What is drawn, and where. `view` is {from, to} in seconds and {top, bottom} in rows. */
export class GanttScene {
  /** @type {GanttServer[]} */
  servers = [];
  /**
   * The row at which each server begins.
   * @type {number[]}
   */
  tops = [];
  total = 1;
  /** @type {GanttView} */
  view = {from: 0, to: 1, top: 0, bottom: 1};
  /**
   * Whether the filter finds each pod, by pod; null: all of them.
   * @type {Uint8Array | null}
   */
  match = null;
  /** The pod under the pointer, or -1. */
  picked = -1;
  width = 0;
  height = 0;
  left = 0;
  wide = 0;
  high = 0;
  /** The number of pieces in the last drawing. */
  drawn = 0;
  font = "";

  /**
   * @param {GanttModel} model
   * @param {Colouring} way
   */
  constructor(model, way) {
    this.model = model;
    this.way = way;
  }

  /** @param {GanttServer[]} servers */
  setServers(servers) {
    this.servers = servers;
    this.tops = [];
    this.total = 0;
    for (const server of servers) {
      this.tops.push(this.total);
      this.total += server.height + 0.3;
    }
    this.total = Math.max(this.total, 1);
    this.view = {from: 0, to: this.model.first, top: 0, bottom: Math.min(this.total, 110)};
  }

  /** @param {number} time */
  x(time) { return this.left + ((time - this.view.from) / (this.view.to - this.view.from)) * this.wide; }
  /** @param {number} row */
  y(row) { return ganttSpace.top + ((row - this.view.top) / (this.view.bottom - this.view.top)) * this.high; }

  visible() {
    const first = Math.max(0, this.tops.findLastIndex((top) => top <= this.view.top));
    const last = this.tops.findLastIndex((top) => top < this.view.bottom);
    return [first, last];
  }
}
