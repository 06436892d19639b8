/* Rows that pods occupy one after the other. */

import {lastOf} from "../base/lists.js";

/**
 * Rows of a server or a GPU that pods occupy one after the other. A pod takes the lowest free rows,
 * as many as it needs.
 */
export class Lanes {
  /**
   * The end of each row's last pod.
   * @type {number[]}
   */
  until = [];

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} from
   */
  one(start, end, from = 0) {
    let lane = from;
    while (lane < this.until.length && this.until[lane] > start) ++lane;
    if (lane === this.until.length) this.until.push(0);
    this.until[lane] = Math.max(end, start + 1e-9);
    return lane;
  }
  /**
   * @param {number} start
   * @param {number} end
   * @param {number} count
   */
  take(start, end, count) {
    /** @type {number[]} */
    const taken = [];
    while (taken.length < count) taken.push(this.one(start, end, taken.length > 0 ? lastOf(taken) + 1 : 0));
    return taken;
  }
}

/**
 * Consecutive numbers in an ascending list, as [first, count].
 * @type {(list: number[]) => [first: number, count: number][]}
 */
export function stretches(list) {
  /** @type {[number, number][]} */
  const out = [];
  for (const value of list) {
    const last = lastOf(out);
    if (last && last[0] + last[1] === value) ++last[1];
    else out.push([value, 1]);
  }
  return out;
}
