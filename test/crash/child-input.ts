import { z } from "zod";

/** What a process of the matrix is told. */
export const orderSchema = z.object({
  place: z.object({ dataDir: z.string(), workspace: z.string(), url: z.string() }),
  /** Where it dies: the task whose journal it is, the line that is not finished, and how much of it is written. */
  at: z.object({ task: z.string(), record: z.number(), byte: z.number() }).optional(),
  /** Whether it opens the task, instead of creating it. */
  reopen: z.boolean(),
});

export type Order = z.infer<typeof orderSchema>;
export type Point = NonNullable<Order["at"]>;

/** `crash:17:40`, as the command line takes it. */
export const sayPoint = ({ task, record, byte }: Point): string => `${task}:${record}:${byte}`;

/** @throws Error for a text that is no point */
export function parsePoint(text: string): Point {
  const [, task, record, byte] = /^(?:([\w.-]+):)?(\d+):(\d+)$/.exec(text) ?? [];
  if (record === undefined || byte === undefined)
    throw new Error(`"${text}" is no point: expected RECORD:BYTE or TASK:RECORD:BYTE, such as 17:40.`);
  return { task: task ?? "crash", record: Number(record), byte: Number(byte) };
}
