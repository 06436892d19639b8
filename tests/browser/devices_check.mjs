// The parts about devices, used as by a reader: the server, its times by slider, buttons and keys,
// the tooltip.

const said = (page) => page.locator(".server-said").innerText();
const time = (page) => page.locator("#server-time").inputValue();
const labels = (page) => page.locator(".server-picture .device").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));

async function checkPicture(page, machine) {
  const shown = await labels(page);
  const coloured = await page.locator(".server-picture .pod rect[style]").evaluateAll((all) =>
    all.map((one) => getComputedStyle(one).fill).filter((fill) => fill === "none" || fill === "rgb(0, 0, 0)").length);
  const drawn = await page.locator(".server-history .stay").count();
  return shown.length !== machine.devices.length ? `${shown.length} devices for ${machine.devices.length}`
    : coloured > 0 ? `${coloured} pods have no colour` : drawn === 0 && "the history is empty";
}

async function checkButtons(page) {
  await page.locator("#server-time").fill("0");
  const [first, before] = [await said(page), await time(page)];
  await page.click("#server-next");
  const [second, after] = [await said(page), await time(page)];
  await page.click("#server-before");
  const third = await said(page);
  return first === second || Number(after) <= Number(before) ? `next leads from '${first}' to '${second}'`
    : third !== first && Number(before) === 0 && !third.includes("event 1 ") && `and back to '${third}'`;
}

async function checkSlider(page) {
  const before = await labels(page);
  await page.focus("#server-time");
  await page.keyboard.press("End");
  const last = await said(page);
  await page.keyboard.press("Home");
  const first = await said(page);
  await page.keyboard.press("ArrowRight");
  const told = await page.getAttribute("#server-time", "aria-valuetext");
  return last === first ? "End and Home show the same" : !told ? "the slider does not tell its time"
    : before.length !== (await labels(page)).length && "devices are lost";
}

async function checkPlay(page) {
  await page.locator("#server-time").fill("0");
  const before = await time(page);
  await page.click("#server-play");
  const pressed = await page.getAttribute("#server-play", "aria-pressed");
  await page.waitForFunction((from) => Number(document.getElementById("server-time").value) > Number(from), before, {timeout: 20000});
  if (pressed === "true" && (await page.getAttribute("#server-play", "aria-pressed")) === "true") await page.click("#server-play");
  return pressed !== "true" ? "aria-pressed is not true" : (await page.locator("#server-play").innerText()) !== "Play" && "it does not pause";
}

/** Goes to the start of a split pod, and points at one of its GPUs. */
async function checkHover(page, {at, name, reason}) {
  const next = page.locator("#server-next");
  await page.locator("#server-time").fill("0");
  for (let i = 0; i < 500 && !(await said(page)).includes(`${name} starts`); ++i) await next.click();
  if (!(await said(page)).includes(`${name} starts`)) return `no event at ${at} is the start of ${name}`;
  const device = page.locator(`.server-picture .device[aria-label*="${name},"]`).first();
  await device.hover();
  const tip = page.locator(".server-tip");
  const text = await tip.innerText();
  const missing = [name, "size", "start", "finish", ...(reason ? [reason] : [])].filter((word) => !text.includes(word));
  const others = (await labels(page)).filter((other) => !other.includes(`${name},`)).length;
  const dimmed = await page.locator(".server-picture .device.dim").count();
  await page.mouse.move(1, 1);
  const gone = await tip.isHidden();
  await device.focus();
  const again = await tip.isVisible();
  await page.keyboard.press("Escape");
  const row = await page.locator(".server-pods tbody").innerText();
  return missing.length > 0 ? `the tooltip lacks ${missing.join(", ")}` : dimmed !== others ? `${dimmed} of ${others} others are dimmed` : !gone ? "it stays"
    : !again ? "the focus does not show it" : !(await tip.isHidden()) ? "Escape does not close it"
    : !(row.includes(name) && row.includes(reason)) && "the table lacks the pod or its reason";
}

export async function checkDevices(page, label, {check, emptyCharts}) {
  const devices = await page.evaluate(() => {
    const {data, state} = window.berth;
    const run = data.runs[state.run].devices;
    if (!run) return null;
    const server = run.servers.list[state.server];
    const stay = server.stays.find((s) => s[7] !== 0) ?? server.stays[0];
    return {machine: run.machines[server.machine], servers: run.servers.list.length, reasons: run.reasons.rows.map((row) => row.text),
      stay: {name: stay[0], at: stay[1], reason: run.texts[stay[7]]}, runs: data.runs.filter((r) => r.devices).length};
  });
  if (!devices) return;
  await check(`${label}: the server's picture has every device`, () => checkPicture(page, devices.machine));
  await check(`${label}: buttons step from event to event`, () => checkButtons(page));
  await check(`${label}: the slider takes the keyboard`, () => checkSlider(page));
  await check(`${label}: play moves on, and pauses`, () => checkPlay(page));
  await check(`${label}: a GPU tells who has it, and why it is not nearer`, () => checkHover(page, devices.stay));
  if (devices.servers > 1) {
    await check(`${label}: another server is drawn`, async () => {
      const before = await page.locator(".server-history").innerHTML();
      await page.selectOption("#server-choice", {index: 1});
      const after = await page.locator(".server-history").innerHTML();
      await page.selectOption("#server-choice", {index: 0});
      return before === after && "nothing changed";
    });
  }
  await check(`${label}: reasons stand in a table`, async () => {
    const text = await page.locator("#locality").innerText();
    return devices.reasons.find((reason) => !text.includes(reason));
  });
  await check(`${label}: another kind of nearness redraws its chart`, async () => {
    await page.selectOption("#nearness", "0");
    const title = await page.locator("#locality h3").filter({hasText: "time of start"}).innerText();
    return !title.includes("PCIe") && `it says ${title}`;
  });
  if (devices.runs > 1) {
    await check(`${label}: allocators stand side by side`, async () => {
      const rows = await page.locator("#device-compare tbody tr").allInnerTexts();
      return rows.length < devices.runs ? `${rows.length} rows for ${devices.runs} runs`
        : !rows.some((row) => row.includes("points")) && "no difference is shown";
    });
  }
  await check(`${label}: no chart of devices is empty after all that`, () => emptyCharts(page));
}
