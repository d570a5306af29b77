import { z } from "zod";
import type { ClineMessage, LogEvent, Patch } from "../../machines/message/index.ts";

// Keys that this version doesn't know are kept: a row that a later version wrote goes back as it came.
const rest = {
  text: z.string().nullable().exactOptional(),
  images: z.array(z.string()).exactOptional(),
  partial: z.boolean().exactOptional(),
  reasoning: z.string().exactOptional(),
  conversationHistoryIndex: z.number().exactOptional(),
  checkpoint: z.record(z.string(), z.unknown()).exactOptional(),
  progressStatus: z
    .object({ icon: z.string().exactOptional(), text: z.string().exactOptional() })
    .exactOptional(),
  contextCondense: z.record(z.string(), z.unknown()).exactOptional(),
  contextTruncation: z.record(z.string(), z.unknown()).exactOptional(),
  isProtected: z.boolean().exactOptional(),
  apiProtocol: z.string().exactOptional(),
  isAnswered: z.boolean().exactOptional(),
  closing: z.enum(["answered", "withdrawn", "expired", "ended"]).exactOptional(),
  callId: z.string().exactOptional(),
  exitCode: z.number().exactOptional(),
};

const patchSchema = z.looseObject(rest) satisfies z.ZodType<Patch>;

const recordedMessageSchema = z.looseObject({
  ts: z.number(),
  type: z.enum(["ask", "say"]),
  ask: z.string().exactOptional(),
  say: z.string().exactOptional(),
  ...rest,
}) satisfies z.ZodType<ClineMessage>;

/** A change of the log, as a commit records it. */
export const logEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message.appended"), message: recordedMessageSchema }),
  z.object({ type: z.literal("message.grown"), ts: z.number(), text: z.string() }),
  z.object({ type: z.literal("message.amended"), ts: z.number(), patch: patchSchema }),
  z.object({ type: z.literal("log.truncated"), length: z.number() }),
  z.object({ type: z.literal("log.replaced"), messages: z.array(recordedMessageSchema) }),
]) satisfies z.ZodType<LogEvent>;
