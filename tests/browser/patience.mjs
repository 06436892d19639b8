// Waiting as long as a busy machine needs. What a page will do soon is checked repeatedly until it
// is done, and is only a problem if it never happens: a check that waits for a fixed time would
// fail on a machine with other work.

const limit = 20000;  // ms

const pause = () => new Promise((done) => setTimeout(done, 50));

/**
 * What problem() finds wrong, or nothing as soon as it finds nothing. An exception counts as a
 * problem, too.
 */
export async function soon(problem) {
  for (const end = Date.now() + limit; ; await pause()) {
    try {
      const said = await problem();
      if (!said || Date.now() > end) return said;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/**
 * Points at place(), which is evaluated anew each time since the page may still move, until tip can
 * be read. Returns its text.
 */
export async function pointed(page, place, tip) {
  const unseen = await soon(async () => {
    const {x, y} = await place();
    await page.mouse.move(x - 2, y);
    await page.mouse.move(x, y);
    await tip.waitFor({state: "visible", timeout: 1000});
  });
  return unseen || tip.innerText();
}
