/* Rows that pods take one after the other. */

/** Rows of a server or a GPU that pods take one after the other: the lowest that are free, as many as a pod wants. */
export class Lanes {
  constructor() { this.until = []; }
  one(start, end, from = 0) {
    let lane = from;
    while (lane < this.until.length && this.until[lane] > start) ++lane;
    if (lane === this.until.length) this.until.push(0);
    this.until[lane] = Math.max(end, start + 1e-9);
    return lane;
  }
  take(start, end, count) {
    const taken = [];
    while (taken.length < count) taken.push(this.one(start, end, taken.length > 0 ? taken.at(-1) + 1 : 0));
    return taken;
  }
}

/** Neighbours in an ascending list as [first, count]. */
export function stretches(list) {
  const out = [];
  for (const value of list) {
    const last = out.at(-1);
    if (last && last[0] + last[1] === value) ++last[1];
    else out.push([value, 1]);
  }
  return out;
}
