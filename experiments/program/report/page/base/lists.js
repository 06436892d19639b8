/* Lists, and answers that are kept. */

/**
 * The last of a list that has one.
 * @template Item
 * @param {ArrayLike<Item>} list
 */
export const lastOf = (list) => list[list.length - 1];

/** @param {number} count */
export const zeros = (count) => Array.from({length: count}, () => 0);

/**
 * A function of one object whose answers are kept for as long as the object.
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
