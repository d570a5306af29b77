import { z } from "zod";

/** Input of one process of the crash matrix. */
export const orderSchema = z.object({
  place: z.object({ dataDir: z.string(), workspace: z.string(), url: z.string(), hooks: z.boolean() }),
  /** The crash point: task of the journal, number of the incomplete record, and its written bytes. */
  at: z.object({ task: z.string(), record: z.number(), byte: z.number() }).optional(),
  /** Whether the process opens the task instead of creating it. */
  reopen: z.boolean(),
});

export type Order = z.infer<typeof orderSchema>;
export type Point = NonNullable<Order["at"]>;

/** Format a crash point for the command line: `crash:17:40`. */
export const formatPoint = ({ task, record, byte }: Point): string => `${task}:${record}:${byte}`;

/** @throws Error for an invalid crash point */
export function parsePoint(text: string): Point {
  const [, task, record, byte] = /^(?:([\w.-]+):)?(\d+):(\d+)$/.exec(text) ?? [];
  if (record === undefined || byte === undefined)
    throw new Error(`Expected RECORD:BYTE or TASK:RECORD:BYTE, such as 17:40, but got "${text}".`);
  return { task: task ?? "crash", record: Number(record), byte: Number(byte) };
}
