/* What jobs that train add to the page of a run. */

import {trainingSection} from "./training_section.js";
/** @import {SchedulerPage} from "../../../experiments/program/report/page/base/page.d.ts" */

/** @type {SchedulerPage} */
export const page = {sections: {"groups": [["training", "Training", trainingSection]]}};
