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
  z.looseObject({
    type: z.literal("server_tool_use"),
    id: id(),
    name: text(),
    input: z.record(z.string(), z.unknown(), { error: required }),
  }),
]);
const knownTypes = new Set([
  "text",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "server_tool_use",
]);
/** The type of a server tool's result by the tool's name. */
export const SERVER_TOOL_RESULTS = new Map([
  ["web_search", "web_search_tool_result"],
  ["web_fetch", "web_fetch_tool_result"],
  ["code_execution", "code_execution_tool_result"],
  ["bash_code_execution", "bash_code_execution_tool_result"],
  ["text_editor_code_execution", "text_editor_code_execution_tool_result"],
  ["tool_search_tool_regex", "tool_search_tool_result"],
  ["tool_search_tool_bm25", "tool_search_tool_result"],
]);

const serverResultTypes = new Set(SERVER_TOOL_RESULTS.values());
const serverResult = z
  .looseObject({
    type: z.string(),
    tool_use_id: id(),
    content: z.union([z.looseObject({ type: text() }), z.array(z.unknown())], { error: required }),
  })
  .transform((raw) => ({ type: "server_tool_result" as const, toolUseId: raw.tool_use_id, raw }));
/** Images, documents and other blocks are not validated. */
const other = z.looseObject({ type: text() }).transform((raw) => ({ type: "other" as const, raw }));

const message = z.looseObject({
  role: z.enum(["user", "assistant", "system"], { error: "Input should be 'user' or 'assistant'" }),
  content: z.union([z.string(), z.array(z.unknown())], { error: required }),
});

const display = z
  .enum(["summarized", "omitted"], { error: "Input should be 'summarized' or 'omitted'" })
  .nullish();
const thinking = z.discriminatedUnion(
  "type",
  [
    z.looseObject({
      type: z.literal("enabled"),
      budget_tokens: z
        .int({ error: required })
        .min(1024, { error: "Input should be greater than or equal to 1024" }),
      display,
    }),
    z.looseObject({ type: z.literal("adaptive"), display }),
    z.looseObject({ type: z.literal("between_tools") }),
    z.looseObject({ type: z.literal("disabled") }),
  ],
  {
    error:
      "Input tag does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'",
  },
);

const head = z.looseObject({
  model: text().min(1, { error: "String should have at least 1 character" }),
  messages: z.array(message, { error: required }),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(z.looseObject({ type: z.literal("text"), text: text() }))]).optional(),
  tools: z.array(z.looseObject({ name: text().optional() })).optional(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).optional(),
  thinking: thinking.optional(),
});
const forMessage = head.extend({
  max_tokens: z.int({ error: required }).min(1, { error: "Input should be greater than or equal to 1" }),
});
const notPermitted = z.undefined({ error: "Extra inputs are not permitted" }).optional();
const forCount = head.extend({ max_tokens: notPermitted, stream: notPermitted });

export type RequestBlock = z.output<typeof known | typeof serverResult | typeof other>;
/** A message of a request, its content always a list. */
export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly RequestBlock[];
}
/** Consecutive messages of one role. */
export interface RequestTurn {
  readonly role: "user" | "assistant";
  /** The index of its first message in the request. */
  readonly index: number;
  readonly content: readonly RequestBlock[];
}
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens?: number | undefined;
  readonly messages: readonly RequestMessage[];
  readonly stream?: boolean | undefined;
  readonly system?: string | readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly tools?:
    | readonly (Readonly<Record<string, unknown>> & { readonly name?: string | undefined })[]
    | undefined;
  readonly thinking?: z.output<typeof thinking> | undefined;
  readonly metadata?: { readonly user_id?: string | null | undefined } | undefined;
}

/**
 * Parse a request for a message, or for a count of its tokens.
 *
 * @throws ApiError 400 with the text of the API for a missing or invalid field
 */
export function readRequest(body: unknown, what: "message" | "count"): MessagesRequest {
  const { messages, ...rest } = what === "message" ? read(forMessage, body, []) : read(forCount, body, []);
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
  const type = z.object({ type: z.string() }).safeParse(value).data?.type;
  if (type !== undefined && knownTypes.has(type)) return read(known, value, path);
  return type !== undefined && serverResultTypes.has(type)
    ? read(serverResult, value, path)
    : read(other, value, path);
}

/** @throws ApiError 400 that names the place of the first issue */
export function read<T>(schema: z.ZodType<T>, value: unknown, path: readonly PropertyKey[]): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = [...path, ...(issue?.path ?? [])].map(String).join(".");
  throw invalidRequest(`${place === "" ? "request" : place}: ${issue?.message ?? "Input should be valid"}`);
}
