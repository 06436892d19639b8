/* What Kueue adds to the data of a run: queue_page.cpp writes it. */

import type {Quotas} from "../../../experiments/program/report/page/data.d.ts";

declare module "../../../experiments/program/report/page/written.d.ts" {
  interface WrittenRun {
    /** Cohorts and queues; then the run has no other quotas. */
    queues?: Quotas;
  }
}
