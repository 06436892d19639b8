/* Student's t and Holm's correction. */

/**
 * The logarithm of the gamma function, by Stirling's series from 10 on and the recurrence below.
 * @param {number} x
 */
function logGamma(x) {
  let shift = 0;
  for (; x < 10; ++x) shift += Math.log(x);
  const square = x * x;
  const series = 1 / (12 * x) * (1 - 1 / (30 * square) * (1 - 2 / (7 * square) * (1 - 3 / (4 * square))));
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}

/**
 * The regularised incomplete beta function I_x(a, b): Abramowitz and Stegun 26.5.8, evaluated from the back.
 * @type {(x: number, a: number, b: number) => number}
 */
export function betaShare(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  let fraction = 1;
  for (let m = 200; m > 0; --m) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1));
    fraction = 1 + odd / (1 + even / fraction);
  }
  const front = Math.exp(a * Math.log(x) + b * Math.log(1 - x) + logGamma(a + b) - logGamma(a) - logGamma(b));
  return front / (a * fraction);
}

/**
 * The two-sided p of Student's t.
 * @type {(t: number, degrees: number) => number}
 */
export const ofStudent = (t, degrees) => betaShare(degrees / (degrees + t * t), degrees / 2, 0.5);

/**
 * Holm's correction: each p as it is to be compared with the level of the whole family.
 * @param {number[]} all
 */
export function holmAdjusted(all) {
  const order = [...all.keys()].sort((i, j) => all[i] - all[j] || i - j);
  const adjusted = [...all];
  let most = 0;
  order.forEach((i, rank) => {
    most = Math.max(most, Math.min(1, (order.length - rank) * all[i]));
    adjusted[i] = most;
  });
  return adjusted;
}
