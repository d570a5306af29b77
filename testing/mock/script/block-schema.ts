import { createHash } from "node:crypto";
import { z } from "zod";
import { count, delayMsMax, fields, isRecord, range, repeatableText, schemaFor, text } from "./fields.ts";
import { expandRepetitions } from "./repetition.ts";
import type { Block, TypedObject } from "./script.ts";
import { parsedOrEmpty, verbatimBlock } from "./verbatim.ts";

export const pace = {
  chunk: range("characters a delta", 1, 1_000_000_000).optional(),
  delayMs: range("milliseconds between deltas", 0, delayMsMax).optional(),
};

const toolId = z.string({ error: "an id of letters, digits, _ and -" }).regex(/^[a-zA-Z0-9_-]{1,128}$/, {
  error: "an id of letters, digits, _ and -",
});
const toolName = z.string({ error: "the name of a tool" }).regex(/^[a-zA-Z0-9_-]{1,128}$/, {
  error: "the name of a tool, of letters, digits, _ and -",
});

/** Schema of an object that is sent unchanged; repetitions are expanded. */
const typedObject = (what: string) =>
  z
    .record(z.string(), z.unknown(), { error: what })
    .refine(({ type }) => typeof type === "string", { path: ["type"], error: "a type" })
    .transform(expandRepetitions)
    .transform((value): TypedObject => ({ ...value, type: String(value.type) }));

const kinds = {
  text: fields("a text block", {
    text: repeatableText("what the model says"),
    citations: z.array(typedObject("a citation"), { error: "a list of citations" }).optional(),
    ...pace,
  }).transform(({ text: { text, unit }, ...rest }): Block => ({ kind: "text", text, unit, ...rest })),
  thinking: fields("a thinking block", {
    thinking: repeatableText("what the model thinks"),
    signature: text("a signature").optional(),
    ...pace,
  }).transform(
    ({ thinking, signature, ...rest }): Block => ({
      kind: "thinking",
      ...thinking,
      signature: signature ?? signatureOf(thinking.text),
      ...rest,
    }),
  ),
  redacted: fields("a redacted thinking block", {
    redacted: text("the data of redacted thinking"),
    ...pace,
  }).transform(({ redacted, ...rest }): Block => ({ kind: "redacted", data: redacted, ...rest })),
  tool: fields("a tool block", {
    tool: toolName,
    input: z
      .record(z.string(), z.unknown(), { error: "the tool's arguments: an object" })
      .transform(expandRepetitions)
      .optional(),
    id: toolId.optional(),
    ...pace,
  }).transform(
    ({ tool, input = {}, ...rest }): Block => ({
      kind: "tool",
      tool,
      input,
      json: JSON.stringify(input),
      ...rest,
    }),
  ),
  raw: fields("a raw block", {
    raw: fields("a raw tool call", {
      tool: toolName,
      json: repeatableText("the arguments as they are sent"),
      id: toolId.optional(),
    }),
    ...pace,
  }).transform(
    ({ raw: { json, ...raw }, ...rest }): Block => ({
      kind: "tool",
      ...raw,
      json: json.text,
      input: parsedOrEmpty(json.text),
      ...rest,
    }),
  ),
  block: fields("a verbatim block", {
    block: typedObject("a content block: an object with a type"),
    deltas: z.array(typedObject("a delta: an object with a type"), { error: "a list of deltas" }).optional(),
    ...pace,
  }).transform(({ block, deltas, ...rest }): Block => ({ ...verbatimBlock(block, deltas), ...rest })),
};

/** All fields of blocks. */
export const blockFields = [
  "text",
  "citations",
  "thinking",
  "signature",
  "redacted",
  "tool",
  "input",
  "id",
  "raw",
  "block",
  "deltas",
] as const;

export const kindNames = ["text", "thinking", "redacted", "tool", "raw", "block"] as const;
const noBlock = z.never({ error: `a block: an object with one of ${kindNames.join(", ")}` });

export const block = schemaFor<Block>((value) => {
  const kind = isRecord(value) ? kindNames.find((name) => Object.hasOwn(value, name)) : undefined;
  return kind === undefined ? noBlock : kinds[kind];
});

export const blocks = z
  .array(block, { error: "a list of blocks" })
  .min(1, { error: "a list of blocks, not empty" });

export const after = count("how many deltas come first: a whole number");

const prefix = "mock_signature_";

/** The signature of a thinking block without one in the script. It is validated when the client returns the block. */
export function signatureOf(thinking: string): string {
  return prefix + createHash("sha256").update(thinking).digest("base64url");
}

/** Whether a signature matches a thinking text. Signatures from scripts and live models always do. */
export function signatureFits(signature: string, thinking: string): boolean {
  return !signature.startsWith(prefix) || signature === signatureOf(thinking);
}
