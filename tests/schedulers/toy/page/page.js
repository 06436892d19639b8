/* What the toy adds to the page of a run. */

import {el} from "../../../../experiments/program/report/page/base/dom.js";
/** @import {Made, SchedulerPage} from "../../../../experiments/program/report/page/base/page.d.ts" */
/** @import {Run} from "../../../../experiments/program/report/page/data.d.ts" */

/** @type {(run: Run & {toy?: {tickets: number}}) => Made} */
const ticketsSection = ({toy}) => (toy ? [el("p", {class: "lead"}, `Jobs looked for places with ${toy.tickets} tickets.`)] : null);

/** @type {SchedulerPage} */
export const page = {sections: {"quotas": [["tickets", "Tickets", ticketsSection]]}};
