import { z } from "zod";
import type { ClineMessage, LogEvent, Patch } from "../machines/message/index.ts";
import { codec } from "./codec.ts";

const record = z.record(z.string(), z.unknown());
const bodyFields = {
  text: z.string().nullable().exactOptional(),
  images: z.array(z.string()).exactOptional(),
  partial: z.boolean().exactOptional(),
  reasoning: z.string().exactOptional(),
  conversationHistoryIndex: z.number().exactOptional(),
  checkpoint: record.exactOptional(),
  progressStatus: z
    .looseObject({ icon: z.string().exactOptional(), text: z.string().exactOptional() })
    .exactOptional(),
  contextCondense: record.exactOptional(),
  contextTruncation: record.exactOptional(),
  isProtected: z.boolean().exactOptional(),
  apiProtocol: z.string().exactOptional(),
  isAnswered: z.boolean().exactOptional(),
  closing: z.enum(["answered", "withdrawn", "expired", "ended"]).exactOptional(),
  callId: z.string().exactOptional(),
  exitCode: z.number().exactOptional(),
} satisfies Record<keyof Patch, z.ZodType>;
const never = z.never("an amendment keeps ts, type, ask and say").exactOptional();

/**
 * A row. Foreign kinds of ask and say are taken, and fields that we don't know are kept: a row that a later
 * version wrote goes back as it came.
 */
export const messageSchema = z.looseObject({
  ts: z.number(),
  type: z.enum(["ask", "say"]),
  ask: z.string().exactOptional(),
  say: z.string().exactOptional(),
  ...bodyFields,
});

/** A change of a log. An amendment can't change what a row is (L5). */
export const logEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message.appended"), message: messageSchema }),
  z.object({ type: z.literal("message.grown"), ts: z.number(), text: z.string() }),
  z.object({
    type: z.literal("message.amended"),
    ts: z.number(),
    patch: z.looseObject({ ...bodyFields, ts: never, type: never, ask: never, say: never }),
  }),
  z.object({ type: z.literal("log.truncated"), length: z.int().nonnegative() }),
  z.object({ type: z.literal("log.replaced"), messages: z.array(messageSchema) }),
]);

/** One row: an element of the family's `ui_messages.json`. */
export const messageCodec = codec<ClineMessage>(messageSchema, "INVALID_MESSAGE", "a message");
/** All rows of a task: the family's `ui_messages.json`. */
export const messagesCodec = codec<readonly ClineMessage[]>(
  z.array(messageSchema),
  "INVALID_MESSAGE",
  "a list of messages",
);
/** One change of a log. */
export const logEventCodec = codec<LogEvent>(logEventSchema, "INVALID_LOG_EVENT", "a change of a log");
