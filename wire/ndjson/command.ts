import * as z from "zod";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import { PERMISSION_MODES } from "../../machines/tool-call/permissions.ts";
import { permissionModeSchema, sessionRuleSchema } from "../permissions.ts";

/** Commands of Roo Code's protocol, then our additions. */
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
  "permissions",
  "compact",
  "launch",
  "proposal",
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
  .array(z.string({ error: ({ input }) => `expected "images" to contain strings, got ${kindOf(input)}` }), {
    error: ({ input }) => `expected "images" to be an array of strings, got ${kindOf(input)}`,
  })
  .optional();
const askId = z.int({
  error: ({ input }) => `expected "askId" to be the whole number of the ask, got ${kindOf(input)}`,
});
/** Feedback with a yes or a no. Empty text is no feedback. */
const feedback = z
  .string({ error: ({ input }) => `expected "prompt" to be a string, got ${kindOf(input)}` })
  .optional();
const taskId = z
  .string({ error: ({ input }) => `expected "taskId" to be a UUID, got ${kindOf(input)}` })
  .regex(UUID, { error: 'expected "taskId" to be a UUID, of version 1 to 8' })
  .optional();
/** The task of an ask, as its event has it. */
const askingTask = z
  .string({
    error: ({ input }) => `expected "taskId" to be the id of the task that asks, got ${kindOf(input)}`,
  })
  .optional();
const takes = z
  .array(z.string({ error: ({ input }) => `expected "takes" to contain strings, got ${kindOf(input)}` }), {
    error: ({ input }) => `expected "takes" to be an array of strings, got ${kindOf(input)}`,
  })
  .optional();
const permissionMode = z.enum(permissionModeSchema.enum, {
  error: ({ input }) =>
    `expected "mode" to be one of ${PERMISSION_MODES.join(", ")}, got ${shownValue(input)}`,
});
const rules = z.array(sessionRuleSchema, {
  error: ({ input }) => `expected "rules" to be an array of rules, got ${kindOf(input)}`,
});
const amendment = z.record(z.string(), z.unknown(), {
  error: ({ input }) => `expected "amendment" to be an object, got ${kindOf(input)}`,
});
/** Anything but an object is ignored, as in Roo Code. */
const configuration = z.record(z.string(), z.unknown()).optional().catch(undefined);

/** The commands, each with its effect as the description of its schema. */
export const stdinCommandSchema = z.discriminatedUnion("command", [
  z
    .object({
      command: z.literal("start"),
      requestId,
      prompt: text("prompt"),
      taskId,
      images,
      configuration,
    })
    .describe("starts a task; one at rest is closed first. `taskId` is a UUID, `images` are data URLs"),
  z
    .object({
      command: z.literal("message"),
      requestId,
      prompt: text("prompt"),
      images,
      askId: askId.optional(),
      taskId: askingTask,
      /** The mode to switch to with this answer, such as the mode of the chosen suggestion. */
      mode: text("mode").optional(),
    })
    .refine((command) => command.mode === undefined || command.askId !== undefined, {
      error:
        'expected "askId" with "mode": only an answer selects a mode. Send the command mode, or name the ask',
    })
    .refine((command) => command.taskId === undefined || command.askId !== undefined, {
      error: 'expected "askId" with "taskId": it names the task of an ask',
    })
    .describe(
      "answers the waiting ask, else is queued. With `askId` it answers only that ask, and with `mode` it also switches to that mode",
    ),
  z
    .object({ command: z.literal("queue"), requestId, prompt: text("prompt"), images })
    .describe("queues a message, which answers nothing"),
  z
    .object({ command: z.literal("edit"), requestId, id: text("id"), prompt: text("prompt"), images })
    .describe("changes a queued message. Without `images` it keeps its own; `[]` removes them"),
  z
    .object({ command: z.literal("mode"), requestId, mode: text("mode") })
    .describe("switches the mode from the next request on"),
  z
    .object({
      command: z.literal("permissions"),
      requestId,
      mode: permissionMode.optional(),
      rules: rules.optional(),
    })
    .describe(
      'changes the permission mode, or replaces the rules of the session (docs/guide/policies.md), such as `{"level":"allow","rule":"read(**)"}`',
    ),
  z
    .object({ command: z.literal("compact"), requestId, prompt: feedback })
    .describe(
      "condenses the conversation with the next request (docs/guide/context.md). `prompt` says what to keep",
    ),
  z
    .object({ command: z.literal("launch"), requestId, takes })
    .describe(
      "announces a front end, which needs all messages, and what it takes with `--with-messages`: `messageGrown`, deltas; `askFacts`, the `rules` and the `proposal` of an ask about a call, before it",
    ),
  z.object({ command: z.literal("cancel"), requestId }).describe("settles the task"),
  z.object({ command: z.literal("ping"), requestId }).describe("replies `pong`"),
  z.object({ command: z.literal("shutdown"), requestId }).describe("cancels, and exits with code 0"),
  z
    .object({
      command: z.literal("approve"),
      requestId,
      askId,
      taskId: askingTask,
      prompt: feedback,
      images,
      rule: text("rule").optional(),
      amendment: amendment.optional(),
    })
    .describe(
      "answers yes, with optional text. `rule` allows such calls from now on, `amendment` changes the call (docs/guide/answer-asks.md#amend-a-call)",
    ),
  z
    .object({ command: z.literal("proposal"), requestId, askId, taskId: askingTask })
    .describe(
      "asks what an approval of this ask can amend: the `done` event has it as `proposal`. Without one it is the error `no_proposal`",
    ),
  z
    .object({ command: z.literal("reject"), requestId, askId, taskId: askingTask, prompt: feedback, images })
    .describe("answers no, with optional text"),
  z
    .object({ command: z.literal("continue"), requestId, askId, taskId: askingTask })
    .describe("leaves a running command in the background"),
  z
    .object({ command: z.literal("abort"), requestId, askId, taskId: askingTask })
    .describe("terminates a running command"),
]);

/** A line of the input that is not a command. The message begins with `stdin command line N: `. */
export class StdinCommandError extends SignalboxError {
  /** A line of the input is not a command. Correct the line that the message names. */
  readonly code = "STDIN_COMMAND";
  /** Line number, from 1. */
  readonly line: number;
  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`stdin command line ${line}: ${problem}`, options);
    this.name = "StdinCommandError";
    this.line = line;
  }
}

/** One command of a client. */
export type StdinCommand = z.output<typeof stdinCommandSchema>;
/** A command of this name. */
export type StdinCommandOf<N extends StdinCommandName> = Extract<StdinCommand, { readonly command: N }>;

/**
 * Parse one line of the input.
 *
 * @param line one line, without its end; the caller skips blank lines
 * @param lineNo line number, from 1
 * @throws StdinCommandError `STDIN_COMMAND` if the line is not a command
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
  const parsed = stdinCommandSchema.safeParse(value);
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
      `expected one JSON object, got text that is not JSON: ${excerpt(line)}`,
      { cause: error },
    );
  }
}

/** Maximum characters of the line in an error. */
const EXCERPT_CHARS = 60;

const excerpt = (line: string): string =>
  quoted(line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS)}...` : line);

const quoted = (value: string): string => JSON.stringify(value.slice(0, EXCERPT_CHARS + 3));

const shownValue = (value: unknown): string => (typeof value === "string" ? quoted(value) : kindOf(value));

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
