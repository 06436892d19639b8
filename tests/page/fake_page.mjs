// As much of a browser as a canvas needs: elements that do nothing, and a pen that records what it
// draws.

class FakeNode {
  constructor() {
    this.clientWidth = 900;
    this.clientHeight = 400;
    this.style = {};
    this.drawn = [];
    this.children = [];
    this.classList = {add: () => {}, toggle: () => {}};
  }
  append(...nodes) { this.children.push(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  addEventListener() {}
  setAttribute() {}
  getContext() {
    const {drawn} = this;
    const pen = {fillRect: (...place) => drawn.push([pen.fillStyle, ...place]), fillText: (...text) => drawn.push(text), measureText: (text) => ({width: 6 * text.length})};
    for (const name of ["setTransform", "clearRect", "save", "restore", "beginPath", "rect", "clip", "moveTo", "lineTo", "stroke", "strokeRect"]) pen[name] = () => {};
    return pen;
  }
}

/** A box for a figure that paints itself. */
export function fakeBox() {
  globalThis.Node ??= FakeNode;
  globalThis.window ??= {devicePixelRatio: 1};
  globalThis.document ??= {createElement: () => new FakeNode()};
  return new FakeNode();
}
