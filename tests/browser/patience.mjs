// Waiting as long as a busy machine needs. What a page does soon is asked for again until it is done, and is a problem
// only where it does not come: a check that waits for a fixed time fails on a machine with other work.

const limit = 20000;  // ms

const pause = () => new Promise((done) => setTimeout(done, 50));

/** What problem() finds wrong, or nothing as soon as it finds nothing. It may throw: that is a problem too. */
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

/** Points at place(), which is asked for anew each time as the page may still move, until tip can be read: its text. */
export async function pointed(page, place, tip) {
  const unseen = await soon(async () => {
    const {x, y} = await place();
    await page.mouse.move(x - 2, y);
    await page.mouse.move(x, y);
    await tip.waitFor({state: "visible", timeout: 1000});
  });
  return unseen || tip.innerText();
}
