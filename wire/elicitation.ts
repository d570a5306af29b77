import * as z from "zod/mini";
import type { ElicitationRequest } from "../machines/message/elicitation.ts";
import { parseJson } from "../machines/message/json.ts";

const text = z.string();
const length = z.exactOptional(z.int().check(z.nonnegative()));
const bound = z.exactOptional(z.number());
const label = { title: z.exactOptional(text), description: z.exactOptional(text) };
const choices = z.array(z.object({ const: text, title: text }));

const fieldSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("string"),
    ...label,
    minLength: length,
    maxLength: length,
    format: z.exactOptional(z.enum(["email", "uri", "date", "date-time"])),
    enum: z.exactOptional(z.array(text)),
    oneOf: z.exactOptional(choices),
    default: z.exactOptional(text),
  }),
  z.object({
    type: z.enum(["number", "integer"]),
    ...label,
    minimum: bound,
    maximum: bound,
    default: bound,
  }),
  z.object({ type: z.literal("boolean"), ...label, default: z.exactOptional(z.boolean()) }),
  z.object({
    type: z.literal("array"),
    ...label,
    items: z.union([
      z.object({ type: z.literal("string"), enum: z.array(text) }),
      z.object({ anyOf: choices }),
    ]),
    minItems: length,
    maxItems: length,
    default: z.exactOptional(z.array(text)),
  }),
]);

const asked = { from: text, message: text };

/** A request of a running call for input. What a form says besides is dropped. */
export const elicitationSchema = z.discriminatedUnion("mode", [
  z.object({
    mode: z.literal("form"),
    ...asked,
    requestedSchema: z.object({
      type: z.literal("object"),
      properties: z.record(text, fieldSchema),
      required: z.exactOptional(z.array(text)),
    }),
  }),
  z.object({ mode: z.literal("url"), ...asked, url: z.url({ protocol: /^https?$/ }) }),
]) satisfies z.ZodMiniType<ElicitationRequest>;

const askSchema = z.object({ elicitation: elicitationSchema });

/** Parse the text of a `followup` ask; undefined for a question of the model. */
export const parseElicitation = (ask: string): ElicitationRequest | undefined =>
  askSchema.safeParse(parseJson(ask)).data?.elicitation;
