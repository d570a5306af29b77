import { z } from "zod";

/** A file or folder that a checkpoint does not have, and why. A restore leaves it as it is. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** How many are named in the message of a checkpoint. */
const NAMED_MAX = 100;

const messageSchema = z.object({
  leftOut: z.array(z.object({ path: z.string(), why: z.string() })),
  leftOutCount: z.number(),
});

/** What a checkpoint's commit says of itself. The id sets equal checkpoints of one second apart. */
export const messageOf = (id: string, leftOut: readonly LeftOut[]): string =>
  JSON.stringify({ id, leftOut: leftOut.slice(0, NAMED_MAX), leftOutCount: leftOut.length });

/** What the checkpoint left out; `count` may be more than are named. */
export function leftOutIn(message: string): { readonly named: readonly LeftOut[]; readonly count: number } {
  const { leftOut, leftOutCount } = messageSchema.parse(JSON.parse(message));
  return { named: leftOut, count: leftOutCount };
}
