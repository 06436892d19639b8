/* Elements of the page. */

/** @import {Attributes, Children} from "./page.d.ts" */

/**
 * The children that an element may have, as one flat list.
 * @type {(children: Children) => (string | Node)[]}
 */
function nodesOf(children) {
  if (Array.isArray(children)) return children.flatMap(nodesOf);
  return children == null ? [] : [children instanceof Node ? children : String(children)];
}

/**
 * Makes an element with attributes and children. Texts stay texts and are never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Children} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      node.addEventListener(key.slice(2), (event) => value(/** @type {never} */ (event)));
    } else if (value === true) {
      node.setAttribute(key, "");
    } else if (value !== false && value != null) {
      node.setAttribute(key, String(value));
    }
  }
  node.append(...nodesOf(children));
  return node;
}

/** @type {(title: string, texts: string[], selected: number, change: (chosen: number) => void, id: string) => HTMLLabelElement} */
export function choice(title, texts, selected, change, id) {
  return el("label", {}, title, el("select", {id, onchange: (e) => change(Number(e.target.value))},
    texts.map((text, i) => el("option", {value: i, selected: i === selected}, text))));
}

/**
 * A button that takes one step every `every` ms, until `step` returns false or `stop` is called.
 * Meanwhile, screen readers do not read out each change of `said`.
 * @type {(id: string, said: HTMLElement, every: number, begin: () => void, step: () => boolean) => {play: HTMLButtonElement, stop: () => void}}
 */
export function playButton(id, said, every, begin, step) {
  /** @type {number | undefined} */
  let playing;
  const play = el("button", {type: "button", id, "aria-pressed": "false"}, "Play");
  const stop = () => {
    clearInterval(playing);
    playing = undefined;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
    said.removeAttribute("aria-live");
  };
  play.addEventListener("click", () => {
    if (playing) {
      stop();
      return;
    }
    begin();
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    said.setAttribute("aria-live", "off");
    playing = setInterval(() => {
      if (!document.contains(play) || !step()) stop();
    }, every);
  });
  return {play, stop};
}

/**
 * A long name that may break behind its underscores and slashes.
 * @type {(name: string) => (string | HTMLElement)[]}
 */
export function breakable(name) {
  return name.split(/(?<=[_/])/).flatMap((part, i) => (i === 0 ? [part] : [el("wbr"), part]));
}

/** @type {(name: string, text: string) => void} */
export function download(name, text) {
  const link = el("a", {href: URL.createObjectURL(new Blob([text], {type: "text/csv"})), download: name.replace(/[^\w.-]+/g, "-")});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | null | undefined>} [attributes]
 * @param {...Children} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value != null) node.setAttribute(key, String(value));
  }
  node.append(...nodesOf(children));
  return node;
}

/** @type {(x: number, y: number, text: string, more?: Record<string, string | number>) => SVGTextElement} */
export const svgText = (x, y, text, more = {}) => svg("text", {x, y, ...more}, text);

/**
 * An element that always exists in the page.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}
