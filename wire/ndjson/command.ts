import { z } from "zod";
import { StdinCommandError } from "./command-error.ts";

/** The commands of the protocol, then those that were added to it. */
export const STDIN_COMMANDS = [
  "start",
  "message",
  "cancel",
  "ping",
  "shutdown",
  "approve",
  "reject",
  "continue",
  "abort",
  "queue",
  "edit",
  "mode",
  "launch",
] as const;

export type StdinCommandName = (typeof STDIN_COMMANDS)[number];

const text = (field: string) =>
  z
    .string({ error: ({ input }) => `expected "${field}" to be a string, got ${kindOf(input)}` })
    .refine((value) => value.trim() !== "", {
      error: `expected "${field}" to be a non-empty string, got only white space`,
    });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const requestId = text("requestId").transform((value) => value.trim());
const images = z
  .array(z.string({ error: ({ input }) => `expected "images" to hold strings, got ${kindOf(input)}` }), {
    error: ({ input }) => `expected "images" to be an array of strings, got ${kindOf(input)}`,
  })
  .optional();
const askId = z.int({
  error: ({ input }) => `expected "askId" to be the whole number of the ask, got ${kindOf(input)}`,
});
/** Words beside a yes or a no. They may be empty: then there are none. */
const words = z
  .string({ error: ({ input }) => `expected "prompt" to be a string, got ${kindOf(input)}` })
  .optional();
const taskId = z
  .string({ error: ({ input }) => `expected "taskId" to be a UUID, got ${kindOf(input)}` })
  .regex(UUID, { error: 'expected "taskId" to be a UUID, of version 1 to 8' })
  .optional();
const takes = z
  .array(z.string({ error: ({ input }) => `expected "takes" to hold strings, got ${kindOf(input)}` }), {
    error: ({ input }) => `expected "takes" to be an array of strings, got ${kindOf(input)}`,
  })
  .optional();
/** Anything but an object is ignored, as the protocol has it. */
const configuration = z.record(z.string(), z.unknown()).optional().catch(undefined);

const schema = z.discriminatedUnion("command", [
  z.object({
    command: z.literal("start"),
    requestId,
    prompt: text("prompt"),
    taskId,
    images,
    configuration,
  }),
  z.object({
    command: z.literal("message"),
    requestId,
    prompt: text("prompt"),
    images,
    askId: askId.optional(),
  }),
  z.object({ command: z.literal("queue"), requestId, prompt: text("prompt"), images }),
  /** Other words for a message that waits: `id` as `queue` and its events told it. Without images it keeps its own. */
  z.object({ command: z.literal("edit"), requestId, id: text("id"), prompt: text("prompt"), images }),
  z.object({ command: z.literal("mode"), requestId, mode: text("mode") }),
  /** A client that keeps the rows is there (again): as `webviewDidLaunch`. */
  z.object({ command: z.literal("launch"), requestId, takes }),
  z.object({ command: z.literal("cancel"), requestId }),
  z.object({ command: z.literal("ping"), requestId }),
  z.object({ command: z.literal("shutdown"), requestId }),
  z.object({ command: z.literal("approve"), requestId, askId, prompt: words, images }),
  z.object({ command: z.literal("reject"), requestId, askId, prompt: words, images }),
  z.object({ command: z.literal("continue"), requestId, askId }),
  z.object({ command: z.literal("abort"), requestId, askId }),
]);

/** One command of a client, as a line of its input gives it. */
export type StdinCommand = z.output<typeof schema>;
/** A command of this name. */
export type StdinCommandOf<N extends StdinCommandName> = Extract<StdinCommand, { readonly command: N }>;

/**
 * The command that a line of the input means.
 *
 * @param line one line, without its end; blank lines are the caller's to skip
 * @param lineNo its number, from 1 on
 * @throws StdinCommandError `STDIN_COMMAND` for every line that is no command; the message begins with
 * `stdin command line N: `
 * @example
 * ```ts
 * import { parseStdinStreamCommand } from "signalbox/wire";
 * const command = parseStdinStreamCommand('{"command":"ping","requestId":"1"}', 1);
 * console.log(command); // { command: 'ping', requestId: '1' }
 * ```
 */
export function parseStdinStreamCommand(line: string, lineNo: number): StdinCommand {
  const value = jsonOf(line, lineNo);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new StdinCommandError(lineNo, `expected a JSON object, got ${kindOf(value)}`);
  const name: unknown = "command" in value ? value.command : undefined;
  if (typeof name !== "string")
    throw new StdinCommandError(
      lineNo,
      `expected "command" to be one of ${STDIN_COMMANDS.join(", ")}, got ${kindOf(name)}`,
    );
  if (!isName(name))
    throw new StdinCommandError(
      lineNo,
      `unsupported command ${quoted(name)}: expected one of ${STDIN_COMMANDS.join(", ")}`,
    );
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ message }) => message);
  throw new StdinCommandError(lineNo, `"${name}": ${[...new Set(problems)].join("; ")}`);
}

const isName = (name: string): name is StdinCommandName =>
  (STDIN_COMMANDS as readonly string[]).includes(name);

function jsonOf(line: string, lineNo: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new StdinCommandError(
      lineNo,
      `expected one JSON object, got text that is no JSON: ${excerpt(line)}`,
      {
        cause: error,
      },
    );
  }
}

/** The most characters of somebody's line that an error repeats. */
const EXCERPT_CHARS = 60;

const excerpt = (line: string): string =>
  quoted(line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS)}...` : line);

const quoted = (value: string): string => JSON.stringify(value.slice(0, EXCERPT_CHARS + 3));

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
