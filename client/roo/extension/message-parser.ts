import { en } from "zod/locales";
import * as z from "zod/mini";
import { parseJson } from "../../../machines/message/json.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { QueuedMessage } from "../../../machines/task/task.events.ts";
import { messageSchema } from "../../../wire/message-schema.ts";
import { ClientError } from "./client-error.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type {
  CommandStatus,
  ExtensionMessage,
  MessageGrowth,
  MessageUpdate,
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
const update = z.object({ taskId: text, revision, more });
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
 * Parse a message of the agent into a frozen copy; undefined for text that is not JSON, a value without a type, and an
 * unknown type.
 * @throws ClientError `INVALID_MESSAGE` for a known type with invalid fields
 */
export function parseMessage(raw: unknown): ExtensionMessage | undefined {
  const said = typed.safeParse(frozenCopy(typeof raw === "string" ? parseJson(raw) : raw));
  if (!said.success) return undefined;
  const { data } = said;
  switch (data.type) {
    case "state": {
      const push = parsed(statePush, data);
      const { clineMessages, mode, ...rest } = push.state;
      return { ...push, state: { ...rest, ...messagesIn(clineMessages), ...modeIn(mode) } };
    }
    case "messageUpdated":
      return updateIn(data, "clineMessage");
    // Two older forms of the same.
    case "partialMessage":
      return updateIn(data, "partialMessage");
    case "clineMessage":
      return updateIn(data, "message");
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

/** An update whose message is in this field. */
const updateIn = (data: z.infer<typeof typed>, field: string): MessageUpdate => ({
  ...parsed(update, data),
  type: "messageUpdated",
  clineMessage: messageOf(data[field], field),
});

/** A foreign list may have empty elements. */
function messagesIn(list: unknown): Pick<StatePush["state"], "clineMessages"> {
  if (list === undefined || list === null) return {};
  if (!Array.isArray(list)) throw invalid("state", "state.clineMessages", "expected a list of messages");
  const clineMessages = list
    .filter((value: unknown) => value !== null)
    .map((value: unknown, position) => messageOf(value, `state.clineMessages[${position}]`));
  return { clineMessages };
}

/** Any other value than a string is ignored. */
const modeIn = (mode: unknown): { mode?: string } => (typeof mode === "string" ? { mode } : {});

function messageOf(value: unknown, position: string): ClineMessage {
  if (isMessage(value)) return value;
  const issue = messageSchema.safeParse(value).error?.issues[0];
  throw invalid(
    "message",
    [position, ...(issue?.path ?? [])].join("."),
    issue?.message ?? "expected a message",
  );
}

const isMessage = (value: unknown): value is ClineMessage => messageSchema.safeParse(value).success;

function parsed<T>(schema: z.ZodMiniType<T>, data: { readonly type: string }): T {
  const found = schema.safeParse(data);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw invalid(data.type, (issue?.path ?? []).join("."), issue?.message ?? "it is invalid");
}

const invalid = (what: string, position: string, problem: string): ClientError =>
  new ClientError(
    "INVALID_MESSAGE",
    `A message of the agent (${what}) can't be read, at ${position}: ${problem}. It was ignored; correct the sender.`,
  );
