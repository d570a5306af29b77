import * as z from "zod";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import type { Chart, ChartLayout } from "../../chart/chart.ts";
import { chartOf } from "../../chart/chart-of.ts";

const texts = z.array(z.string());
const point = z.object({ x: z.number(), y: z.number() });
const box = point.extend({ width: z.number(), height: z.number() });

const chart = z.object({
  id: z.string(),
  inner: texts,
  states: z.array(
    z.object({
      path: z.string(),
      name: z.string(),
      parent: z.string().exactOptional(),
      isInitial: z.boolean(),
      entry: texts,
      exit: texts,
      inner: texts,
    }),
  ),
  edges: z.array(
    z.object({
      id: z.string(),
      source: z.string(),
      target: z.string(),
      rows: z.array(z.object({ event: z.string(), guard: z.string().exactOptional(), actions: texts })),
    }),
  ),
}) satisfies z.ZodType<Chart>;

const layout = z.object({
  width: z.number(),
  height: z.number(),
  states: z.record(z.string(), box),
  edges: z.record(
    z.string(),
    z.object({ points: z.array(point), label: box.extend({ text: z.string() }).exactOptional() }),
  ),
}) satisfies z.ZodType<ChartLayout>;

/** The response of GET /api/chart. */
export const chartResponseSchema = z.object({ chart, layout: layout.exactOptional() });

/** The chart of this package's task machine. */
export const taskChart = (): Chart => chartOf(taskMachine);
