/* Draws a figure of `berth plot` in Node.js: its data come from file descriptor 3, and the SVG goes
   to the standard output. */

import {readFileSync, writeSync} from "node:fs";
import {takeData} from "../base/state.js";
import style from "../page.css";
import {useMetric} from "./metric.js";
import {drawnSheet} from "./sheet.js";
import {sheetOf} from "./sheets.js";
import {usePaper} from "./theme.js";
/** @import {PaperData} from "./given.d.ts" */

useMetric();
usePaper(style);
/** @type {PaperData} */
const given = JSON.parse(readFileSync(3, "utf8"));
takeData(given.page);
const bytes = new TextEncoder().encode(drawnSheet(sheetOf(given.figure, given)));
for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
