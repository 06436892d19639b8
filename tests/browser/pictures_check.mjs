// Pods over time, the cluster over time, and cumulative distributions, used as by a reader.

import {pointed, soon} from "./patience.mjs";

/** What the Gantt chart shows now. */
const ganttState = (page) => page.evaluate(() => {
  const chart = window.berth.charts.get("gantt");
  return {...chart.view, drawn: chart.drawn, servers: chart.servers.length, last: chart.model.last, total: chart.total};
});

/** Waits until the picture is drawn again, at the next frame. */
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** A visible bar that is wide enough to be hit: its pod, and its place in the window. */
async function placeOfBar(page) {
  await page.locator("#chart-gantt").scrollIntoViewIfNeeded();
  return page.evaluate(() => {
    const chart = window.berth.charts.get("gantt");
    const {pods} = chart.model;
    const box = chart.getDom().getBoundingClientRect();
    const [first, last] = chart.visible();
    let best = null;
    for (let s = first; s <= last; ++s) {
      for (const [pod, row, count] of chart.servers[s].pieces) {
        const x0 = Math.max(chart.left, chart.x(pods.start[pod]));
        const x1 = Math.min(chart.left + chart.wide, chart.x(pods.end[pod]));
        const y = chart.y(chart.tops[s] + row + count / 2);
        const thick = chart.y(row + count) - chart.y(row);  // the mouse moves in whole pixels
        if (thick > 3 && y < chart.height - 30 && (!best || x1 - x0 > best.wide)) {
          best = {wide: x1 - x0, x: box.left + (x0 + x1) / 2, y: box.top + y, name: pods.names[pod], server: chart.servers[s].name};
        }
      }
    }
    return best;
  });
}

async function checkGantt(page, label, check) {
  if ((await page.locator("#chart-gantt").count()) === 0) return;
  const canvas = page.locator("#chart-gantt canvas");
  await check(`${label}: pods over time are drawn`, async () => {
    // Checked near the left end of large enough bars, left of their names.
    const filledBars = () => page.evaluate(() => {
      const chart = window.berth.charts.get("gantt");
      const {pods} = chart.model;
      const {width, height} = chart.canvas;
      const dense = width / chart.width;
      const copy = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
      copy.drawImage(chart.canvas, 0, 0);
      const ground = getComputedStyle(document.documentElement).getPropertyValue("--busy-none").trim();
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(ground.slice(i, i + 2), 16));
      const [first, last] = chart.visible();
      let seen = 0;
      let filled = 0;
      for (let s = first; s <= last; ++s) {
        for (const [pod, row, count] of chart.servers[s].pieces) {
          const [x0, x1] = [Math.max(chart.left, chart.x(pods.start[pod])), chart.x(pods.end[pod])];
          const y = chart.y(chart.tops[s] + row + count / 2);
          if (x1 - x0 < 4 || chart.y(row + count) - chart.y(row) < 2 || y < 26 || y > chart.height - 20) continue;
          const [red, green, blue] = copy.getImageData((x0 + 2) * dense, y * dense, 1, 1).data;
          ++seen;
          filled += Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b) > 30;
          if (seen === 200) return [seen, filled];
        }
      }
      return [seen, filled];
    });
    return soon(async () => {
      const {drawn} = await ganttState(page);
      const [seen, filled] = await filledBars();
      return drawn === 0 ? "no bar is drawn" : filled < 0.9 * seen && `of ${seen} bars, ${filled} have a colour`;
    });
  });
  await check(`${label}: a bar tells its pod and its server`, async () => {
    let bar;
    const text = await pointed(page, async () => (bar = await placeOfBar(page)), page.locator("#chart-gantt .gantt-tip"));
    await page.mouse.move(1, 1);
    return !(text.includes(bar.name) && text.includes(bar.server)) && `it says: ${text}`;
  });
  await check(`${label}: pods over time zoom and move, by mouse and by keyboard`, async () => {
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const whole = await ganttState(page);
    await page.keyboard.down("Control");
    for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    let near;
    const still = await soon(async () => {
      near = await ganttState(page);
      return !(near.to - near.from < 0.8 * (whole.to - whole.from)) && "the wheel does not zoom";
    });
    if (still) return still;
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2, {steps: 4});
    await page.mouse.up();
    const unmoved = await soon(async () => !((await ganttState(page)).from > near.from) && "a drag does not move it");
    if (unmoved) return unmoved;
    await canvas.focus();
    for (const [key, differs] of [["ArrowLeft", "from"], ["+", "to"], ["Shift++", "bottom"]]) {
      const before = await ganttState(page);
      await page.keyboard.press(key);
      const idle = before.total > 2 && await soon(async () => before[differs] === (await ganttState(page))[differs] && `${key} does nothing`);
      if (idle) return idle;
    }
    await page.keyboard.press("Home");
    const part = await soon(async () => {
      const home = await ganttState(page);
      return (home.from !== 0 || home.to !== home.last || home.bottom - home.top < home.total * 0.999) && "Home does not show the whole run";
    });
    if (part) return part;
    await page.keyboard.press("n");
    const silent = await soon(async () => !(await page.locator("#chart-gantt .gantt-tip").isVisible()) && "N tells no pod");
    await page.keyboard.press("Escape");
    return silent;
  });
  await check(`${label}: the filter finds a pod, and nothing that is not there`, async () => {
    const before = await ganttState(page);
    const name = await page.evaluate(() => window.berth.charts.get("gantt").model.pods.names.at(-1));
    await page.fill("#gantt-filter", name.toUpperCase());
    let one;
    let said;
    await soon(async () => {
      one = await ganttState(page);
      said = await page.locator("#gantt-found").innerText();
      return !/^[1-9]/.test(said) || one.servers === 0 || one.drawn === 0;
    });
    await page.fill("#gantt-filter", "no pod has this name");
    const none = await ganttState(page);
    await page.fill("#gantt-filter", "");
    const all = await ganttState(page);
    if (!/^[1-9]/.test(said) || one.servers === 0 || one.drawn === 0) return `of ${name}, it says '${said}', ${one.drawn} bars are drawn`;
    return none.servers !== 0 ? "it shows servers for nothing" : all.servers !== before.servers && "not all come back";
  });
}

async function checkFilm(page, label, check) {
  if ((await page.locator("#chart-film").count()) === 0) return;
  const words = () => page.locator("#film-said").innerText();
  /** A number that differs if the picture does. */
  const picture = () => page.evaluate(() => {
    const canvas = window.berth.charts.get("film").getDom().querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, canvas.width, canvas.height).data.reduce((a, b) => (a * 31 + b) % 1000003, 0);
  });
  await check(`${label}: the time slider moves the cluster's picture`, async () => {
    await page.focus("#film-time");
    const seen = [];
    for (const key of ["Home", "ArrowRight", "End"]) {
      await page.keyboard.press(key);
      await soon(async () => seen.at(-1)?.[0] === await words());
      await frame(page);
      await frame(page);
      seen.push([await words(), await picture(), await page.getAttribute("#film-time", "aria-valuetext")]);
    }
    if (new Set(seen.map(([text]) => text)).size < 3) return `it says: ${seen.map(([text]) => text).join(" | ")}`;
    const shares = await page.evaluate(() => {
      const lines = window.berth.charts.get("film").csv().trimEnd().split("\n").slice(1).map((line) => line.split(",").slice(1).join());
      const cells = window.berth.data.runs[window.berth.state.run].film.cells;
      return [lines.slice(0, cells).join(), lines.slice(-cells).join()];
    });
    const same = shares[0] !== shares[1] && await soon(async () => seen[0][1] === await picture() && "the picture stays as it was");
    if (same) return same;
    return !seen[0][2] && "the slider tells no time";
  });
  await check(`${label}: it plays, and stops`, async () => {
    await page.focus("#film-time");
    await page.keyboard.press("Home");
    const before = await words();
    await page.click("#film-play");
    const still = await soon(async () => before === await words() && "it does not move");
    if (still) return still;
    if ((await page.locator("#film-play").innerText()) !== "Play") await page.click("#film-play");
    const after = await words();
    await page.waitForTimeout(500);
    return after !== await words() && "it does not stop";
  });
}

async function checkCumulative(page, label, check) {
  if ((await page.locator("#cumulative-axis").count()) === 0) return;
  await check(`${label}: cumulative distributions rise to all that ended, on either axis`, async () => {
    for (const way of ["1", "0"]) {
      await page.selectOption("#cumulative-axis", way);
      // A curve ends at 1 or, if some have not ended, below 1 and at the last known time.
      const wrong = await page.evaluate(() => [...window.berth.charts].filter(([id]) => id.startsWith("cdf-")).filter(([id, chart]) =>
        chart.getOption().series.some(({data}, i) => {
          const curves = window.berth.data.runs.map((run) => run.cumulatives.find((c) => c.name === id.replace("cdf-", "") + "_s")).filter(Boolean);
          return data.length < 2 || data.at(-1)[1] !== curves[i].share.at(-1) || (curves[i].goingOn === 0 && data.at(-1)[1] !== 1) ||
            data.some(([x, y], k) => !Number.isFinite(x) || (k > 0 && (y < data[k - 1][1] || x < data[k - 1][0])));
        })).map(([id]) => id));
      if (wrong.length > 0) return wrong.join(", ");
    }
    const silent = await page.evaluate(() => window.berth.data.runs.flatMap((run) => run.cumulatives)
      .some((c) => c.name === "wait_s" && c.neverStarted > 0 && c.value.length > 1) && !/never started/.test(document.querySelector("#cumulative").innerText));
    return silent && "it does not say how many never started";
  });
}

export async function checkPictures(page, label, {check}) {
  await checkGantt(page, label, check);
  await checkFilm(page, label, check);
  await checkCumulative(page, label, check);
}
