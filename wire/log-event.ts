import * as z from "zod";
import type { Patch } from "../machines/message/message.ts";
import { messageSchema, patchFields } from "./message-schema.ts";

const never = z.never("an amendment keeps ts, type, ask and say").exactOptional();

/** A change of a log. An amendment cannot change the kind of a message (L5). */
export const logEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message.appended"), message: messageSchema }),
  z.object({ type: z.literal("message.grown"), ts: z.number(), text: z.string() }),
  z.object({
    type: z.literal("message.amended"),
    ts: z.number(),
    patch: z.looseObject({
      ...(patchFields satisfies Record<keyof Patch, unknown>),
      ts: never,
      type: never,
      ask: never,
      say: never,
    }),
  }),
  z.object({ type: z.literal("log.truncated"), length: z.int().nonnegative() }),
  z.object({ type: z.literal("log.replaced"), messages: z.array(messageSchema) }),
]);
