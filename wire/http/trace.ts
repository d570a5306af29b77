import { z } from "zod";
import { journalRecordSchema } from "../journal/index.ts";

/** A row of the machine's table that was taken. */
const transitionSchema = z.object({
  source: z.string(),
  event: z.string(),
  guard: z.string().exactOptional(),
  targets: z.array(z.string()),
});

const place = z.int().nonnegative();

/** One event of a task's trace, as the streams of the server and a file with a trace have it. */
export const traceEventSchema = z.object({
  seq: place,
  taskId: z.string(),
  record: journalRecordSchema,
  from: z.string(),
  because: place.exactOptional(),
  durable: z.literal(false).exactOptional(),
  microsteps: z
    .array(
      z.object({
        event: z.string(),
        transitions: z.array(transitionSchema),
        actions: z.array(z.string()),
      }),
    )
    .exactOptional(),
});
