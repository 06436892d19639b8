/* The colours of the light page, on white. */

import {useTheme} from "../base/theme.js";

/**
 * Takes the colours from the page's style sheet, which has those of the dark page below.
 * @param {string} style
 */
export function usePaper(style) {
  /** @type {[string, string][]} */
  const found = [...style.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]);
  const colours = new Map(found.reverse());
  colours.set("paper", "#ffffff");
  useTheme({fontFamily: () => "sans-serif", colour: (name) => {
    const value = colours.get(name);
    if (!value) throw new Error(`page.css has no colour ${name}`);
    return value;
  }});
}
