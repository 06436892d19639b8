/* Lists, and results that are kept. */

/**
 * The last item of a list that is not empty.
 * @template Item
 * @param {ArrayLike<Item>} list
 */
export const lastOf = (list) => list[list.length - 1];

/** @param {number} count */
export const zeros = (count) => Array.from({length: count}, () => 0);

/**
 * Makes a function of one object whose results are kept as long as the object exists.
 * @template {object} Of
 * @template Answer
 * @param {(of: Of) => Answer} make
 * @returns {(of: Of) => Answer}
 */
export function remembered(make) {
  const known = new WeakMap();
  return (of) => {
    if (!known.has(of)) known.set(of, make(of));
    return known.get(of);
  };
}
