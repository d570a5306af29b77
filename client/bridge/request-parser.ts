import * as z from "zod";
import { parseJson } from "../../machines/message/json.ts";
import type { WebviewMessage } from "../roo/extension/messages.ts";

const text = z.string();
const images = z.array(text).exactOptional();
const named = { taskId: text.exactOptional(), askId: z.number().exactOptional() };

const webviewMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("askResponse"),
    askResponse: z.enum(["yesButtonClicked", "noButtonClicked", "messageResponse", "objectResponse"]),
    ...named,
    text: text.exactOptional(),
    images,
  }),
  z.object({ type: z.literal("newTask"), text, images }),
  z.object({ type: z.literal("clearTask") }),
  z.object({ type: z.literal("cancelTask"), taskId: text.exactOptional() }),
  z.object({
    type: z.literal("terminalOperation"),
    terminalOperation: z.enum(["continue", "abort"]),
    ...named,
  }),
  z.object({ type: z.literal("queueMessage"), taskId: text.exactOptional(), text, images }),
  z.object({ type: z.literal("removeQueuedMessage"), id: text }),
  z.object({ type: z.literal("editQueuedMessage"), id: text, text, images }),
  z.object({ type: z.literal("mode"), mode: text.min(1) }),
  z.object({ type: z.literal("showTaskWithId"), text: text.min(1) }),
  z.object({ type: z.literal("cancelAutoApproval") }),
  z.object({ type: z.literal("updateSettings"), updatedSettings: z.record(text, z.unknown()) }),
  z.object({ type: z.literal("webviewDidLaunch"), takes: z.array(text).exactOptional() }),
]) satisfies z.ZodType<WebviewMessage>;

/** A parsed message of a client, or the problem with it. */
export type Request =
  | { readonly kind: "message"; readonly message: WebviewMessage }
  | { readonly kind: "unknown"; readonly of: string }
  | { readonly kind: "invalid"; readonly of: string; readonly problem: string };

/** The types of messages that a bridge reads. */
export const MESSAGE_TYPES: readonly string[] = webviewMessage.options.flatMap(({ shape }) => [
  ...shape.type.values,
]);

/** Parse a message of a client: an object, or its JSON. */
export function parseRequest(raw: unknown): Request {
  const value = typeof raw === "string" ? parseJson(raw) : raw;
  const of = typeof value === "object" && value !== null && "type" in value ? String(value.type) : "";
  if (of === "") return { kind: "invalid", of: "message", problem: "expected a JSON object with a `type`" };
  if (!MESSAGE_TYPES.includes(of)) return { kind: "unknown", of };
  const found = webviewMessage.safeParse(withoutUndefined(value));
  if (found.success) return { kind: "message", message: found.data };
  const [issue] = found.error.issues;
  return { kind: "invalid", of, problem: `${issue?.path.join(".")}: ${issue?.message}` };
}

/** Removes fields with the value undefined, as JSON does. */
const withoutUndefined = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined))
    : value;
