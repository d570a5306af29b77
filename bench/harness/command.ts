import { z } from "zod";

/** A command of a child process: arguments and result are JSON. */
export type Command = (args: unknown) => Promise<unknown>;
export type Commands = Readonly<Record<string, Command>>;

/** Create a command whose arguments are validated. */
export function command<TSchema extends z.ZodType>(
  schema: TSchema,
  run: (args: z.output<TSchema>) => Promise<unknown>,
): Command {
  return (args) => run(schema.parse(args));
}

export const Call = z.object({ id: z.number(), command: z.string(), args: z.unknown() });
export const Reply = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});
