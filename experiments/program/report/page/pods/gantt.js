/* The picture of pods over time, and how to move in it. */

import {el} from "../base/dom.js";
import {ganttTip} from "./gantt_facts.js";
import {ganttSpace, paintBars, paintNames, paintServers, paintTimes} from "./gantt_paint.js";
import {GanttScene} from "./gantt_scene.js";
/** @import {Colouring, GanttModel, GanttView} from "./pods.d.ts" */

const narrowLeft = 84;

/** The chart for figure(). */
export class Gantt extends GanttScene {
  /** @type {number | null} */
  waits = null;
  /** @type {((event: PointerEvent) => void) | null} */
  dragged = null;

  /**
   * `told.window` is called after each drawing, `told.pod` when the keyboard has moved to a pod.
   * @param {HTMLElement} box
   * @param {GanttModel} model
   * @param {Colouring} way
   * @param {{window: (chart: Gantt) => void; pod: (pod: number) => void}} told
   */
  constructor(box, model, way, told) {
    super(model, way);
    this.box = box;
    this.told = told;
    this.canvas = el("canvas", {tabindex: "0", role: "application", "aria-roledescription": "chart", class: "gantt-canvas",
      "aria-label": "Pods over time. Arrow keys move, plus and minus zoom in time, with Shift in rows, Home shows the whole run, N and P go from pod to pod."});
    this.tip = el("div", {class: "gantt-tip", hidden: true});
    box.classList.add("gantt");
    box.append(this.canvas, this.tip);
    this.setServers(model.servers);
    this.canvas.addEventListener("pointerdown", (e) => this.grab(e));
    this.canvas.addEventListener("pointermove", (e) => this.hover(e));
    this.canvas.addEventListener("pointerleave", () => this.point(-1));
    this.canvas.addEventListener("wheel", (e) => this.wheel(e), {passive: false});
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.canvas.addEventListener("dblclick", (e) => this.zoom(0.4, this.timeAt(e.offsetX), 1));
    this.canvas.addEventListener("blur", () => this.point(-1));
  }

  getDom() { return this.box; }
  getOption() { return {series: [{data: this.model.pods.names}]}; }
  dispose() { this.box.replaceChildren(); }

  resize() {
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    const dense = window.devicePixelRatio || 1;
    this.canvas.width = this.width * dense;
    this.canvas.height = this.height * dense;
    this.left = this.width < 600 ? narrowLeft : ganttSpace.left;
    this.wide = this.width - this.left - ganttSpace.bar - 2;
    this.high = this.height - ganttSpace.top - ganttSpace.bar - 2;
  }

  /** @param {number} x */
  timeAt(x) { return this.view.from + ((x - this.left) / this.wide) * (this.view.to - this.view.from); }
  /** @param {number} y */
  rowAt(y) { return this.view.top + ((y - ganttSpace.top) / this.high) * (this.view.bottom - this.view.top); }

  /**
   * Moves the window within the whole. It shows at least two rows and a few pixels of time.
   * @param {Partial<GanttView>} view
   */
  show({from, to, top, bottom}) {
    /** @type {(start: number, end: number, least: number, most: number) => number[]} */
    const clamp = (start, end, least, most) => {
      const size = Math.min(most, Math.max(least, end - start));
      const first = Math.min(most - size, Math.max(0, start));
      return [first, first + size];
    };
    const v = this.view;
    [v.from, v.to] = clamp(from ?? v.from, to ?? v.to, this.model.last / 1e6, this.model.last);
    [v.top, v.bottom] = clamp(top ?? v.top, bottom ?? v.bottom, Math.min(2, this.total), this.total);
    this.later();
  }

  later() {
    this.waits ??= requestAnimationFrame(() => {
      this.waits = null;
      if (this.box.isConnected) this.draw();
    });
  }

  /**
   * @param {number} factor
   * @param {number | null} time
   * @param {number} rows
   * @param {number} [row]
   */
  zoom(factor, time, rows, row) {
    const v = this.view;
    const t = time ?? (v.from + v.to) / 2;
    const r = row ?? (v.top + v.bottom) / 2;
    this.show({from: t - (t - v.from) * factor, to: t + (v.to - t) * factor, top: r - (r - v.top) * rows, bottom: r + (v.bottom - r) * rows});
  }

  /**
   * @param {number} times
   * @param {number} rows
   */
  pan(times, rows) {
    const v = this.view;
    const [dt, dr] = [times * (v.to - v.from), rows * (v.bottom - v.top)];
    this.show({from: v.from + dt, to: v.to + dt, top: v.top + dr, bottom: v.bottom + dr});
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY || event.deltaX)) * 0.005);
    if (event.shiftKey) this.zoom(1, null, factor, this.rowAt(event.offsetY));
    else this.zoom(factor, this.timeAt(event.offsetX), 1);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = event.shiftKey;
    const closer = () => (rows ? this.zoom(1, null, 0.7) : this.zoom(0.7, null, 1));
    const farther = () => (rows ? this.zoom(1, null, 1 / 0.7) : this.zoom(1 / 0.7, null, 1));
    /** @type {Record<string, (() => void) | undefined>} */
    const known = {
      ArrowLeft: () => this.pan(-0.1, 0), ArrowRight: () => this.pan(0.1, 0), ArrowUp: () => this.pan(0, -0.1), ArrowDown: () => this.pan(0, 0.1),
      PageUp: () => this.pan(0, -0.9), PageDown: () => this.pan(0, 0.9), "+": closer, "=": closer, "*": closer, "-": farther, "_": farther,
      Home: () => this.show({from: 0, to: this.model.last, top: 0, bottom: this.total}), n: () => this.step(1), p: () => this.step(-1),
      Escape: () => this.point(-1),
    };
    const does = known[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  /**
   * Moves to the next or the previous matching pod, in the order of starts.
   * @param {number} by
   */
  step(by) {
    const {pods} = this.model;
    let pod = this.picked < 0 ? pods.start.findIndex((t) => t >= this.view.from) - (by > 0 ? 1 : 0) : this.picked;
    do pod += by; while (pod >= 0 && pod < pods.names.length && this.match && !this.match[pod]);
    if (!(pod >= 0 && pod < pods.names.length)) return;
    const at = this.servers.indexOf(this.model.servers[pods.server[pod]]);
    const piece = this.servers[at].pieces.find(([other]) => other === pod);
    if (!piece) return;
    const [row, v] = [this.tops[at] + piece[1], this.view];
    const [span, rows] = [v.to - v.from, v.bottom - v.top];
    this.show({...(pods.start[pod] < v.from || pods.start[pod] > v.to ? {from: pods.start[pod] - span * 0.2, to: pods.start[pod] + span * 0.8} : {}),
      ...(row < v.top || row + piece[2] > v.bottom ? {top: row - rows * 0.4, bottom: row + rows * 0.6} : {})});
    this.point(pod, this.x(pods.start[pod]), this.y(row + piece[2]));
    this.told.pod(pod);
  }

  /**
   * A drag moves the picture. If it begins on one of the bars at the edges, it moves the window.
   * @param {PointerEvent} event
   */
  grab(event) {
    if (event.button !== 0) return;
    const begin = {x: event.offsetX, y: event.offsetY, ...this.view};
    const onRows = begin.x > this.left + this.wide;
    const onTime = begin.y > ganttSpace.top + this.high;
    const perX = onTime ? this.model.last / this.wide : -(begin.to - begin.from) / this.wide;
    const perY = onRows ? this.total / this.high : -(begin.bottom - begin.top) / this.high;
    this.canvas.setPointerCapture(event.pointerId);
    this.point(-1);
    this.dragged = (/** @type {PointerEvent} */ e) => {
      const [dt, dr] = [(e.offsetX - begin.x) * perX * (onRows ? 0 : 1), (e.offsetY - begin.y) * perY * (onTime ? 0 : 1)];
      this.show({from: begin.from + dt, to: begin.to + dt, top: begin.top + dr, bottom: begin.bottom + dr});
    };
    const end = () => { this.dragged = null; };
    this.canvas.addEventListener("pointerup", end, {once: true});
    this.canvas.addEventListener("pointercancel", end, {once: true});
  }

  /** @param {PointerEvent} event */
  hover(event) {
    if (this.dragged) {
      this.dragged(event);
      return;
    }
    // the picture has moved, but the pointer has not
    if (event.movementX === 0 && event.movementY === 0) return;
    this.point(this.podAt(event.offsetX, event.offsetY), event.offsetX + 12, event.offsetY + 12);
  }

  /**
   * The pod at a place of the picture, or -1. A short pod is found within two pixels.
   * @param {number} x
   * @param {number} y
   */
  podAt(x, y) {
    if (x < this.left || x > this.left + this.wide || y < ganttSpace.top || y > ganttSpace.top + this.high) return -1;
    const {pods} = this.model;
    const row = this.rowAt(y);
    const at = this.tops.findLastIndex((top) => top <= row);
    const near = 2 * (this.view.to - this.view.from) / this.wide;
    const time = this.timeAt(x);
    let best = -1;
    let distance = near;
    for (const [pod, first, count] of this.servers[at]?.pieces ?? []) {
      const inside = row - this.tops[at] - first;
      if (inside < 0 || inside > count) continue;
      const far = Math.max(0, pods.start[pod] - time, time - pods.end[pod]);
      if (far < distance || (far === 0 && distance === 0)) [best, distance] = [pod, far];
    }
    return best;
  }

  /**
   * @param {number} pod
   * @param {number} [x]
   * @param {number} [y]
   */
  point(pod, x = 0, y = 0) {
    const changed = pod !== this.picked;
    this.picked = pod;
    this.tip.hidden = pod < 0;
    if (changed) {
      if (pod >= 0) this.tip.replaceChildren(...ganttTip(this.model, pod));
      this.later();
    }
    if (pod >= 0) {
      this.tip.style.left = `${Math.max(0, Math.min(x, this.width - this.tip.offsetWidth - 4))}px`;
      this.tip.style.top = `${y + this.tip.offsetHeight > this.height ? Math.max(0, y - this.tip.offsetHeight - 20) : y}px`;
    }
  }

  draw() {
    const paint = this.canvas.getContext("2d");
    if (!paint) return;
    const dense = window.devicePixelRatio || 1;
    paint.setTransform(dense, 0, 0, dense, 0, 0);
    paint.clearRect(0, 0, this.width, this.height);
    paint.save();
    paint.beginPath();
    paint.rect(this.left, ganttSpace.top, this.wide, this.high);
    paint.clip();
    paintServers(this, paint);
    paint.restore();
    paintTimes(this, paint);
    paintNames(this, paint);
    paintBars(this, paint);
    this.told.window(this);
  }
}
