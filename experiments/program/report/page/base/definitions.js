/* The meaning of a metric, shown when the reader points at its name, reaches it with Tab or
   touches it. */

import {breakable, el} from "./dom.js";
import {data} from "./state.js";
import {isTime} from "./text.js";

/**
 * A metric's name with its unit, for an axis.
 * @param {string} metric
 */
export const withUnit = (metric) => (data.definitions?.[metric]?.unit && !isTime(metric) ? `${metric}, ${data.definitions[metric].unit}` : metric);

/**
 * A metric's name, or another text for it. Pointing at it shows the meaning.
 * @type {(metric: string, text?: string) => HTMLSpanElement}
 */
export function defined(metric, text = metric) {
  const known = data.definitions?.[metric];
  return known ? el("span", {class: "defined", tabindex: "0", "data-metric": metric, "aria-describedby": "definition"}, breakable(text))
    : el("span", {}, breakable(text));
}

/**
 * Shows the meaning of a metric beside its name.
 * @type {(definitionTip: HTMLElement, name: HTMLElement) => void}
 */
function showDefinition(definitionTip, name) {
  const metric = name.dataset.metric ?? "";
  const known = data.definitions[metric];
  definitionTip.replaceChildren(el("b", {}, metric), el("span", {class: "faint"}, known.unit ? ` in ${known.unit}` : ""),
    el("br"), known.meaning || "This metric has no description.");
  definitionTip.hidden = false;
  const place = name.getBoundingClientRect();
  const {width, height} = definitionTip.getBoundingClientRect();
  definitionTip.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - width - 8))}px`;
  definitionTip.style.top = `${place.bottom + height + 8 < window.innerHeight ? place.bottom + 6 : place.top - height - 6}px`;
}

export function startDefinitions() {
  const definitionTip = el("div", {id: "definition", role: "tooltip", hidden: true});
  let shownAt = 0;  // the scroll position at which it was shown
  document.body.append(definitionTip);
  const hide = () => { definitionTip.hidden = true; };
  for (const event of ["pointerover", "focusin"]) {
    document.addEventListener(event, (e) => {
      const name = e.target instanceof Element ? e.target.closest(".defined") : null;
      if (!(name instanceof HTMLElement)) {
        hide();
        return;
      }
      showDefinition(definitionTip, name);
      shownAt = window.scrollY;
    });
  }
  document.addEventListener("keydown", (e) => { if (e.key === "Escape") hide(); });
  window.addEventListener("scroll", () => { if (Math.abs(window.scrollY - shownAt) > 20) hide(); }, {passive: true});
}
