import { taskMachine } from "../../../machines/index.ts";
import { type Chart, chartOf } from "../../chart/index.ts";

/** The task machine as a chart. */
export const taskChart = (): Chart => chartOf(taskMachine);
