import { z } from "zod";
import type { ConversationEvent, Entry, ImageBlock, TextBlock } from "../../machines/conversation/index.ts";

// Loose, so that a block goes back to its endpoint exactly as it came (L6).
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

/** What a tool call came to, in blocks. */
export const contentSchema = z.array(z.discriminatedUnion("type", [text, image])) satisfies z.ZodType<
  (TextBlock | ImageBlock)[]
>;

const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: contentSchema,
  is_error: z.boolean().exactOptional(),
});
const userBlock = z.discriminatedUnion("type", [text, image, toolResult]);
const assistantBlock = z.discriminatedUnion("type", [text, thinking, redactedThinking, toolUse]);

const recordedEntrySchema = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.array(userBlock) }),
  z.object({ role: z.literal("assistant"), content: z.array(assistantBlock) }),
]) satisfies z.ZodType<Entry>;

/** A change of the API conversation, as a commit records it. */
export const conversationEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("entry.appended"), entry: recordedEntrySchema }),
  z.object({
    type: z.literal("entry.extended"),
    content: z.array(
      z.discriminatedUnion("type", [text, image, toolResult, thinking, redactedThinking, toolUse]),
    ),
  }),
]) satisfies z.ZodType<ConversationEvent>;
