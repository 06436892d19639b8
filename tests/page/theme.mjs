// The page's colours, read from its style sheet, for figures that are drawn without a page.

import {readFileSync} from "node:fs";
import {useTheme} from "../../experiments/program/report/page/base/theme.js";

const style = readFileSync(new URL("../../experiments/program/report/page/page.css", import.meta.url), "utf8");
const colours = new Map([...style.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, colour]) => [name, colour]).reverse());

/**
 * Makes figures use the colours of the light page; a colour that the style sheet lacks is an error.
 */
export function useStyle() {
  useTheme({fontFamily: () => "sans-serif", colour: (name) => {
    if (!colours.has(name)) throw new Error(`page.css has no colour ${name}`);
    return colours.get(name);
  }});
}
