// The page's colours, read from its style sheet, for figures that are drawn without a page.

import {readFileSync} from "node:fs";
import {usePaper} from "../../experiments/program/report/page/paper/theme.js";

const style = readFileSync(new URL("../../experiments/program/report/page/page.css", import.meta.url), "utf8");

/**
 * Makes figures use the colours of the light page; a colour that the style sheet lacks is an error.
 */
export const useStyle = () => usePaper(style);
