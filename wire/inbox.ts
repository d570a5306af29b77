import * as z from "zod";
import { answerSchema, newTaskSchema, userMessageSchema } from "./http/api.ts";

/** A command for a task from a process that does not own it. */
export const inboxCommandSchema = z.discriminatedUnion("kind", [
  /** Starts a new task. */
  newTaskSchema.omit({ id: true, pool: true }).extend({ kind: z.literal("start") }),
  /** Answers the ask with this id. */
  z.object({ kind: z.literal("answer"), askId: z.number(), answer: answerSchema }),
  /** Continues a task at rest; goes with the next request of any other. */
  userMessageSchema.extend({ kind: z.literal("message") }),
  /** Continues a task at rest. */
  userMessageSchema.extend({ kind: z.literal("continue") }),
  z.object({ kind: z.literal("pause") }),
  z.object({ kind: z.literal("cancel") }),
]);

/** A command as a sender writes it. */
export type InboxCommandInput = z.input<typeof inboxCommandSchema>;
export type InboxCommand = z.output<typeof inboxCommandSchema>;

/** Reason why a command can't be parsed. */
export type CommandFault =
  /** Another version of the package wrote it. Use that version for the task, and send the command again. */
  | "COMMAND_UNKNOWN"
  /** A part of it is missing or has another type. The message names it. */
  | "COMMAND_INVALID";

export type ParsedCommand =
  | { readonly ok: true; readonly command: InboxCommand }
  | { readonly ok: false; readonly code: CommandFault; readonly message: string };

const KINDS: ReadonlySet<string> = new Set(
  inboxCommandSchema.options.map(({ shape: { kind } }) => kind.value),
);

const anyKind = z.object({ kind: z.string() });

/** Parse a command. Fields that this version does not know are ignored. */
export function parseInboxCommand(json: unknown): ParsedCommand {
  const parsed = inboxCommandSchema.safeParse(json);
  if (parsed.success) return { ok: true, command: parsed.data };
  const { data } = anyKind.safeParse(json);
  if (data !== undefined && !KINDS.has(data.kind)) {
    const message = `Expected a command of a kind in ${[...KINDS].join(", ")}, got ${JSON.stringify(data.kind.slice(0, 100))}. Use the version of the package that sent it.`;
    return { ok: false, code: "COMMAND_UNKNOWN", message };
  }
  const message = `Expected a valid command. Correct it, and send it again: ${z.prettifyError(parsed.error)}`;
  return { ok: false, code: "COMMAND_INVALID", message };
}
