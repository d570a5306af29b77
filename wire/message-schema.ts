import * as z from "zod/mini";

// The tree-shakable form of zod: clients in a browser validate messages with it.
const record = z.record(z.string(), z.unknown());
const optionalText = z.exactOptional(z.string());
const optionalFlag = z.exactOptional(z.boolean());

const place = z.object({ seq: z.number(), task: optionalText });
const denial = z.union([
  z.object({ hook: z.string() }),
  z.object({ rule: z.string() }),
  z.object({ policy: z.string(), clause: z.string(), since: z.array(place) }),
]);

/** The fields of a message that an amendment may change (L5). */
export const patchFields = {
  text: z.exactOptional(z.nullable(z.string())),
  images: z.exactOptional(z.array(z.string())),
  partial: optionalFlag,
  reasoning: optionalText,
  conversationHistoryIndex: z.exactOptional(z.number()),
  checkpoint: z.exactOptional(record),
  progressStatus: z.exactOptional(z.looseObject({ icon: optionalText, text: optionalText })),
  contextCondense: z.exactOptional(record),
  contextTruncation: z.exactOptional(record),
  isProtected: optionalFlag,
  apiProtocol: optionalText,
  isAnswered: optionalFlag,
  closing: z.exactOptional(z.enum(["answered", "withdrawn", "expired", "ended"])),
  reason: optionalText,
  callId: optionalText,
  denial: z.exactOptional(denial),
  errorCode: optionalText,
  exitCode: z.exactOptional(z.number()),
};

/**
 * A message of a log. Foreign kinds of ask and say are accepted, and unknown fields are kept: a message that a later
 * version wrote is returned unchanged.
 */
export const messageSchema = z.looseObject({
  ts: z.number(),
  type: z.enum(["ask", "say"]),
  ask: optionalText,
  say: optionalText,
  ...patchFields,
});
