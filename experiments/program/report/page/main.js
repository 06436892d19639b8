/* The start of the page: its data, its theme, and the page of runs, of a sweep, of a calibration or of a forecast. */

import {startDefinitions} from "./base/definitions.js";
import {byId, el} from "./base/dom.js";
import {takeSchedulers} from "./base/schedulers.js";
import {charts, chooseRun, data, runNames, state, takeData} from "./base/state.js";
import {startCalibration} from "./calibration/calibration_page.js";
import {startIndex} from "./claims/index_page.js";
import {startForecast} from "./forecast/forecast_page.js";
import {render} from "./run_page.js";
import {startSweep} from "./sweep/sweep_page.js";
/** @import {SchedulerPage} from "./base/page.d.ts" */

/** Light or dark: as the system states, until the reader chooses. */
function startTheme() {
  const root = document.documentElement;
  const button = byId("theme");
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
  /** @type {string | null} */
  let wanted = null;
  try {
    wanted = localStorage.getItem("berth-theme");
  } catch {
    // Some browsers store nothing for pages from a file.
  }
  const apply = () => {
    const dark = wanted ? wanted === "dark" : systemDark.matches;
    root.dataset.theme = dark ? "dark" : "light";
    root.style.colorScheme = root.dataset.theme;
    button.textContent = dark ? "Light" : "Dark";
    for (const chart of charts.values()) chart.redraw();
  };
  button.addEventListener("click", () => {
    wanted = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("berth-theme", wanted);
    } catch {
      // As above. The choice then lasts as long as the page.
    }
    apply();
  });
  systemDark.addEventListener("change", apply);
  apply();
}

/** The reader's choice among several runs. */
function startRunChoice() {
  const select = /** @type {HTMLSelectElement} */ (byId("run"));
  select.append(...runNames.map((name, i) => el("option", {value: i}, name)));
  select.closest("label")?.removeAttribute("hidden");
  select.addEventListener("change", () => {
    chooseRun(Number(select.value));
    render();
  });
}

/**
 * Starts the page. What the build bundles calls it.
 * @param {SchedulerPage[]} schedulers
 */
export function start(schedulers) {
  const written = JSON.parse(byId("data").textContent ?? "");
  takeSchedulers(schedulers);
  takeData(written);
  window.berth = {charts, get data() { return data; }, state};  // for the tests
  startTheme();
  startDefinitions();
  if (data.calibration) {
    startCalibration(data.calibration);
  } else if (data.forecast) {
    startForecast(data.forecast);
  } else if (data.sweep) {
    startSweep();
  } else if (data.index) {
    startIndex(written);
  } else {
    if (data.runs.length > 1) startRunChoice();
    render();
  }
}
