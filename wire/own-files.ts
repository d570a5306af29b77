import * as z from "zod";

/** The files of a task that works or worked in a worktree or copy. */
export const ownFilesSchema = z.object({
  /** `unmerged`: neither merged nor declined yet. `unchanged`: it changed none, and they were removed. */
  state: z.enum(["unmerged", "merged", "declined", "unchanged", "unreadable"]),
  /** The task that merged or declined them. Null: a person. */
  by: z.string().nullable().exactOptional(),
  /** The time of that, in milliseconds since 1970. */
  at: z.number().exactOptional(),
});

export type OwnFiles = Readonly<z.output<typeof ownFilesSchema>>;
