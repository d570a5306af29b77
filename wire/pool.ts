import * as z from "zod";

/** The pool of tasks and workers for which none is chosen. */
export const DEFAULT_POOL = "default";

/** The name of a pool. */
export const poolSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,39}$/,
    'Expected a pool of 1 to 40 lower-case letters, digits, "_" and "-" that begins with a letter or a digit. Choose another name.',
  );

/** The reason why a text is no name of a pool; undefined if it is one. */
export const poolProblem = (name: string): string | undefined =>
  poolSchema
    .safeParse(name)
    .error?.issues.map(({ message }) => message)
    .join(" ");
