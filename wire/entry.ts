import * as z from "zod";

// Loose: a block returns to its endpoint unchanged (L6).
const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const image = z.looseObject({
  type: z.literal("image"),
  source: z.looseObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.string(),
  }),
});
const thinking = z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const redactedThinking = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });
const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const opaque = z.object({ type: z.literal("opaque"), block: z.looseObject({ type: z.string() }) });
const responseBlocks = [text, thinking, redactedThinking, toolUse, opaque] as const;
/** The model of a response. */
export const responseModelSchema = z.object({ provider: z.string(), id: z.string() });

/** Content of a tool result. */
export const contentSchema = z.array(z.discriminatedUnion("type", [text, image]));

const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: contentSchema,
  is_error: z.boolean().exactOptional(),
});

/** A block of a user entry. */
export const userBlockSchema = z.discriminatedUnion("type", [text, image, toolResult]);

/** One message of the API conversation. The blocks of each role are validated; pairing is not (L6). */
export const entrySchema = z.discriminatedUnion("role", [
  z.looseObject({
    role: z.literal("user"),
    content: z.array(userBlockSchema),
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.array(z.discriminatedUnion("type", responseBlocks)),
    model: responseModelSchema.exactOptional(),
  }),
]);

/** A change of the API conversation. */
export const conversationEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("entry.appended"), entry: entrySchema }),
  z.object({
    type: z.literal("entry.extended"),
    content: z.array(z.discriminatedUnion("type", [image, toolResult, ...responseBlocks])),
  }),
  z.object({
    type: z.literal("entries.replaced"),
    count: z.int().nonnegative(),
    by: z.array(entrySchema),
  }),
]);
