/* Elements of the page. */

/** An element with attributes and children; texts are texts, never markup. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      node.addEventListener(key.slice(2), value);
    } else if (value === true) {
      node.setAttribute(key, "");
    } else if (value !== false && value != null) {
      node.setAttribute(key, value);
    }
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

export function choice(title, texts, selected, change, id) {
  return el("label", {}, title, el("select", {id, onchange: (e) => change(Number(e.target.value))},
    texts.map((text, i) => el("option", {value: i, selected: i === selected}, text))));
}

/** A long name breaks behind its underscores and slashes. */
export function breakable(name) {
  return name.split(/(?<=[_/])/).flatMap((part, i) => (i === 0 ? [part] : [el("wbr"), part]));
}

export function download(name, text) {
  const link = el("a", {href: URL.createObjectURL(new Blob([text], {type: "text/csv"})), download: name.replace(/[^\w.-]+/g, "-")});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value != null) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

export const svgText = (x, y, text, more = {}) => svg("text", {x, y, ...more}, text);
