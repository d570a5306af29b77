import * as z from "zod";

/** A record of a task that contains the searched text. */
export const searchHitSchema = z.object({
  taskId: z.string(),
  record: z.int().nonnegative(),
  /** The text with its surroundings, in one line. */
  excerpt: z.string(),
});

export type SearchHit = z.output<typeof searchHitSchema>;
