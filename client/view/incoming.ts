import { z } from "zod";
import type { ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";
import { messageSchema } from "../../wire/index.ts";
import { ClientError } from "./client-error.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { CommandStatus, ExtensionMessage, Refusal, Revision, RowGrowth, StatePush } from "./messages.ts";

const name = { taskId: z.string().exactOptional() };
const revision = z.object({ source: z.string(), number: z.number() }) satisfies z.ZodType<Revision>;
const queued = z.object({
  id: z.string(),
  text: z.string(),
  images: z.array(z.string()).default([]),
}) satisfies z.ZodType<QueuedMessage>;

const state = z.object({
  type: z.literal("state"),
  state: z.looseObject({ ...name, messageQueue: z.array(queued).exactOptional() }),
  revision: revision.exactOptional(),
});
const update = z.object({
  type: z.literal("messageUpdated"),
  ...name,
  clineMessage: z.unknown(),
  revision: revision.exactOptional(),
  more: z.boolean().exactOptional(),
});
const growth = z.object({
  type: z.literal("messageGrown"),
  ...name,
  ts: z.number(),
  offset: z.int().nonnegative(),
  text: z.string(),
  since: z.number().exactOptional(),
  revision: revision.exactOptional(),
  more: z.boolean().exactOptional(),
}) satisfies z.ZodType<RowGrowth>;
const refused = z.object({
  type: z.literal("refused"),
  of: z.string(),
  ...name,
  askId: z.number().exactOptional(),
  code: z.string(),
  message: z.string(),
}) satisfies z.ZodType<Refusal>;
const command = z.object({
  type: z.literal("commandExecutionStatus"),
  ...name,
  askId: z.number(),
  status: z.enum(["output", "exited"]),
  output: z.string().exactOptional(),
  exitCode: z.number().exactOptional(),
}) satisfies z.ZodType<CommandStatus>;

const typed = z.looseObject({ type: z.string() });

/**
 * What the agent said, as frozen copies; undefined for what is none of the view's business: text that is not JSON,
 * something without a type, a type that is not known.
 * @throws ClientError `INVALID_MESSAGE` for a known type with other fields than it must have
 */
export function parseIncoming(raw: unknown): ExtensionMessage | undefined {
  const said = typed.safeParse(frozenCopy(typeof raw === "string" ? json(raw) : raw));
  if (!said.success) return undefined;
  const { data } = said;
  switch (data.type) {
    case "state": {
      const push = parsed(state, data);
      const { clineMessages, mode, ...rest } = push.state;
      return { ...push, state: { ...rest, ...rowsIn(clineMessages), ...modeIn(mode) } };
    }
    case "messageUpdated": {
      const message = parsed(update, data);
      return { ...message, clineMessage: rowOf(message.clineMessage, "clineMessage") };
    }
    case "messageGrown":
      return parsed(growth, data);
    case "refused":
      return parsed(refused, data);
    case "commandExecutionStatus":
      return parsed(command, data);
    default:
      return undefined;
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A foreign list may have empty places. */
function rowsIn(rows: unknown): Pick<StatePush["state"], "clineMessages"> {
  if (rows === undefined || rows === null) return {};
  if (!Array.isArray(rows)) throw invalid("state", "state.clineMessages", "expected a list of rows");
  const clineMessages = rows
    .filter((row: unknown) => row !== null)
    .map((row: unknown, position) => rowOf(row, `state.clineMessages[${position}]`));
  return { clineMessages };
}

/** Only a text is a mode. */
const modeIn = (mode: unknown): { mode?: string } => (typeof mode === "string" ? { mode } : {});

function rowOf(row: unknown, place: string): ClineMessage {
  if (isRow(row)) return row;
  const issue = messageSchema.safeParse(row).error?.issues[0];
  throw invalid("row", [place, ...(issue?.path ?? [])].join("."), issue?.message ?? "expected a row");
}

const isRow = (row: unknown): row is ClineMessage => messageSchema.safeParse(row).success;

function parsed<T>(schema: z.ZodType<T>, data: { readonly type: string }): T {
  const found = schema.safeParse(data);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw invalid(data.type, (issue?.path ?? []).join("."), issue?.message ?? "it does not fit");
}

const invalid = (what: string, place: string, problem: string): ClientError =>
  new ClientError(
    "INVALID_MESSAGE",
    `A message of the agent (${what}) can't be read, at ${place}: ${problem}. It was left out; have the sender correct it.`,
  );
