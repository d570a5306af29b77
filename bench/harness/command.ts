import { z } from "zod";

/** What a child process does when it is told to: arguments in, a result out, both as JSON. */
export type Command = (args: unknown) => Promise<unknown>;
export type Commands = Readonly<Record<string, Command>>;

/** A command whose arguments are checked. */
export function command<TSchema extends z.ZodType>(
  schema: TSchema,
  run: (args: z.output<TSchema>) => Promise<unknown>,
): Command {
  return (args) => run(schema.parse(args));
}

export const Ask = z.object({ id: z.number(), command: z.string(), args: z.unknown() });
export const Reply = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});
