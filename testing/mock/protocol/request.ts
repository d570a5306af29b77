import { z } from "zod";
import { invalidRequest } from "./api-error.ts";

const required = (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? "Field required" : undefined;
const text = () => z.string({ error: required });
const id = () =>
  text().regex(/^[a-zA-Z0-9_-]+$/, { error: "String should match pattern '^[a-zA-Z0-9_-]+$'" });

const known = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: text() }),
  z.looseObject({ type: z.literal("thinking"), thinking: text(), signature: text() }),
  z.looseObject({ type: z.literal("redacted_thinking"), data: text() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: id(),
    name: text(),
    input: z.record(z.string(), z.unknown(), { error: required }),
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: id(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  }),
]);
const knownTypes = new Set(["text", "thinking", "redacted_thinking", "tool_use", "tool_result"]);
/** Images, documents and blocks of server tools are not validated. */
const other = z
  .looseObject({ type: text() })
  .refine(({ type }) => !knownTypes.has(type))
  .transform((block) => ({ ...block, type: "other" as const }));

const block = z.union([known, other]);
const message = z.looseObject({
  role: z.enum(["user", "assistant", "system"], { error: "Input should be 'user' or 'assistant'" }),
  content: z.union([z.string(), z.array(z.unknown())], { error: required }),
});

const head = z.looseObject({
  model: text().min(1, { error: "String should have at least 1 character" }),
  messages: z.array(message, { error: required }),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(z.looseObject({ type: z.literal("text"), text: text() }))]).optional(),
  tools: z.array(z.looseObject({ name: text().optional() })).optional(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).optional(),
});
const maxTokens = z.looseObject({
  max_tokens: z.int({ error: required }).min(1, { error: "Input should be greater than or equal to 1" }),
});

export type RequestBlock = z.output<typeof block>;
/** A message of a request, its content always a list. */
export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly RequestBlock[];
}
export interface MessagesRequest {
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  readonly stream?: boolean | undefined;
  readonly system?: string | readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly tools?:
    | readonly (Readonly<Record<string, unknown>> & { readonly name?: string | undefined })[]
    | undefined;
  readonly metadata?: { readonly user_id?: string | null | undefined } | undefined;
}

/**
 * Parse a request.
 *
 * @throws ApiError 400 with the text of the API for a missing or invalid field
 */
export function readRequest(body: unknown, needs: { readonly maxTokens: boolean }): MessagesRequest {
  const { messages, ...rest } = read(head, body, []);
  if (needs.maxTokens) read(maxTokens, body, []);
  return {
    ...rest,
    messages: messages.map(({ role, content }, index) => ({
      role,
      content:
        typeof content === "string"
          ? [{ type: "text" as const, text: content }]
          : content.map((item, place) => readBlock(item, ["messages", index, "content", place])),
    })),
  };
}

function readBlock(value: unknown, path: readonly PropertyKey[]): RequestBlock {
  const isKnown = z.object({ type: z.string() }).safeParse(value).data?.type;
  return isKnown !== undefined && knownTypes.has(isKnown)
    ? read(known, value, path)
    : read(other, value, path);
}

function read<T>(schema: z.ZodType<T>, value: unknown, path: readonly PropertyKey[]): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = [...path, ...(issue?.path ?? [])].map(String).join(".");
  throw invalidRequest(`${place === "" ? "request" : place}: ${issue?.message ?? "Input should be valid"}`);
}
