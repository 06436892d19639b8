/* What jobs that train add to the data of a run: training_page.cpp writes it. */

import type {Training} from "../../../experiments/program/report/page/data.d.ts";

declare module "../../../experiments/program/report/page/written.d.ts" {
  interface WrittenRun {
    /** What the jobs did that train models, if there are any. */
    training?: Training;
  }
}
