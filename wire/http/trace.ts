import * as z from "zod";
import { journalRecordSchema } from "../journal/record.ts";

/** A taken transition. */
const transitionSchema = z.object({
  source: z.string(),
  event: z.string(),
  guard: z.string().exactOptional(),
  targets: z.array(z.string()),
});

const seq = z.int().nonnegative();

/** One event of a task's trace, as in the server's streams and in trace files. */
export const traceEventSchema = z.object({
  seq,
  taskId: z.string(),
  record: journalRecordSchema,
  from: z.string(),
  because: seq.exactOptional(),
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
  moves: z
    .array(z.object({ callId: z.string(), by: z.string(), from: z.string(), to: z.string() }))
    .exactOptional(),
  next: z.string().exactOptional(),
});

/** The subtasks whose traces are not sent with a task's, and the limit that was reached. */
export const omittedSubtasksSchema = z.object({
  count: seq,
  limit: z.enum(["traces", "events"]),
  max: seq,
});
