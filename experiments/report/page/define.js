/* What a metric means, for whoever points at its name, reaches it with Tab or touches it. */

/** A long name breaks behind its underscores and slashes. */
function breakable(name) {
  return name.split(/(?<=[_/])/).flatMap((part, i) => (i === 0 ? [part] : [el("wbr"), part]));
}

/** A metric's name with its unit, for an axis. */
const withUnit = (metric) => (data.definitions?.[metric]?.unit ? `${metric}, ${data.definitions[metric].unit}` : /_s($|_)/.test(metric) ? `${metric}, s` : metric);

/** A metric's name, or another text for it, with its meaning behind it. */
function defined(metric, text = metric) {
  const known = data.definitions?.[metric];
  return known ? el("span", {class: "defined", tabindex: "0", "data-metric": metric, "aria-describedby": "definition"}, breakable(text))
    : el("span", {}, breakable(text));
}

let shownAt = 0;  // how far the page was scrolled then
const definitionTip = el("div", {id: "definition", role: "tooltip", hidden: true});

function showDefinition(name) {
  const known = data.definitions[name.dataset.metric];
  definitionTip.replaceChildren(el("b", {}, name.dataset.metric), el("span", {class: "faint"}, known.unit ? ` in ${known.unit}` : ""),
    el("br"), known.meaning || "No more is said of it than its name.");
  definitionTip.hidden = false;
  shownAt = window.scrollY;
  const place = name.getBoundingClientRect();
  const {width, height} = definitionTip.getBoundingClientRect();
  definitionTip.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - width - 8))}px`;
  definitionTip.style.top = `${place.bottom + height + 8 < window.innerHeight ? place.bottom + 6 : place.top - height - 6}px`;
}

function startDefinitions() {
  document.body.append(definitionTip);
  const hide = () => { definitionTip.hidden = true; };
  for (const event of ["pointerover", "focusin"]) {
    document.addEventListener(event, (e) => {
      const name = e.target.closest?.(".defined");
      if (name) showDefinition(name);
      else hide();
    });
  }
  document.addEventListener("keydown", (e) => { if (e.key === "Escape") hide(); });
  window.addEventListener("scroll", () => { if (Math.abs(window.scrollY - shownAt) > 20) hide(); }, {passive: true});
}
