import { z } from "zod";
import { type BytePath, shown } from "./paths.ts";

/** A file or folder that a checkpoint does not have, or that a restore leaves as it is; and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** The same, by the name's bytes. */
export interface Left {
  readonly file: BytePath;
  readonly why: string;
}

export const leftOutOf = (left: readonly Left[]): LeftOut[] =>
  left.map(({ file, why }) => ({ path: shown(file), why }));

const messageSchema = z.object({ leftOut: z.array(z.object({ file: z.string(), why: z.string() })) });

/**
 * What a checkpoint's commit says of itself: all that it left out, since a restore must not take that for new. The
 * id sets equal checkpoints of one second apart.
 */
export const messageOf = (id: string, leftOut: readonly Left[]): string => JSON.stringify({ id, leftOut });

export const leftOutIn = (message: string): readonly Left[] =>
  messageSchema.parse(JSON.parse(message)).leftOut;
