import { en } from "zod/locales";
import * as z from "zod/mini";
import type { ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";
import { messageSchema } from "../../wire/index.ts";
import { ClientError } from "./client-error.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type {
  CommandStatus,
  ExtensionMessage,
  MessageGrowth,
  Refusal,
  Revision,
  StatePush,
} from "./messages.ts";

// Without a locale the tree-shakable form of zod reports no more than "Invalid input".
z.config(en());

const text = z.exactOptional(z.string());
const number = z.exactOptional(z.number());
const more = z.exactOptional(z.boolean());
const revisionSchema = z.object({ source: z.string(), number: z.number() }) satisfies z.ZodMiniType<Revision>;
const revision = z.exactOptional(revisionSchema);
const queuedMessage = z.object({
  id: z.string(),
  text: z.string(),
  images: z._default(z.array(z.string()), []),
}) satisfies z.ZodMiniType<QueuedMessage>;

const statePush = z.object({
  type: z.literal("state"),
  state: z.looseObject({ taskId: text, messageQueue: z.exactOptional(z.array(queuedMessage)) }),
  revision,
});
const messageUpdate = z.object({
  type: z.literal("messageUpdated"),
  taskId: text,
  clineMessage: z.unknown(),
  revision,
  more,
});
const messageGrowth = z.object({
  type: z.literal("messageGrown"),
  taskId: text,
  ts: z.number(),
  offset: z.int().check(z.nonnegative()),
  text: z.string(),
  since: number,
  revision,
  more,
}) satisfies z.ZodMiniType<MessageGrowth>;
const refusal = z.object({
  type: z.literal("refused"),
  of: z.string(),
  taskId: text,
  askId: number,
  code: z.string(),
  message: z.string(),
}) satisfies z.ZodMiniType<Refusal>;
const commandStatus = z.object({
  type: z.literal("commandExecutionStatus"),
  taskId: text,
  askId: z.number(),
  status: z.enum(["output", "exited"]),
  output: text,
  exitCode: number,
}) satisfies z.ZodMiniType<CommandStatus>;

const typed = z.looseObject({ type: z.string() });

/**
 * What the agent said, as frozen copies; undefined for what is none of the view's business: text that is not JSON,
 * something without a type, a type that is not known.
 * @throws ClientError `INVALID_MESSAGE` for a known type with other fields than it must have
 */
export function parseMessage(raw: unknown): ExtensionMessage | undefined {
  const said = typed.safeParse(frozenCopy(typeof raw === "string" ? json(raw) : raw));
  if (!said.success) return undefined;
  const { data } = said;
  switch (data.type) {
    case "state": {
      const push = parsed(statePush, data);
      const { clineMessages, mode, ...rest } = push.state;
      return { ...push, state: { ...rest, ...rowsIn(clineMessages), ...modeIn(mode) } };
    }
    case "messageUpdated": {
      const message = parsed(messageUpdate, data);
      return { ...message, clineMessage: rowOf(message.clineMessage, "clineMessage") };
    }
    case "messageGrown":
      return parsed(messageGrowth, data);
    case "refused":
      return parsed(refusal, data);
    case "commandExecutionStatus":
      return parsed(commandStatus, data);
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

function parsed<T>(schema: z.ZodMiniType<T>, data: { readonly type: string }): T {
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
