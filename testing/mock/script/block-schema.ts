import { z } from "zod";
import { count, delayMsMax, fields, isRecord, range, repeatableText, schemaFor, text } from "./fields.ts";
import { expandRepetitions } from "./repetition.ts";
import type { Block } from "./script.ts";
import { signatureOf } from "./signature.ts";

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

const kinds = {
  text: fields("a text block", { text: repeatableText("what the model says"), ...pace }).transform(
    ({ text: { text, unit }, ...rest }): Block => ({ kind: "text", text, unit, ...rest }),
  ),
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
};

/** All fields of blocks. */
export const blockFields = [
  "text",
  "thinking",
  "signature",
  "redacted",
  "tool",
  "input",
  "id",
  "raw",
] as const;

const kindNames = ["text", "thinking", "redacted", "tool", "raw"] as const;
const noBlock = z.never({ error: `a block: an object with one of ${kindNames.join(", ")}` });

export const block = schemaFor<Block>((value) => {
  const kind = isRecord(value) ? kindNames.find((name) => Object.hasOwn(value, name)) : undefined;
  return kind === undefined ? noBlock : kinds[kind];
});

export const blocks = z
  .array(block, { error: "a list of blocks" })
  .min(1, { error: "a list of blocks, not empty" });

export const after = count("how many deltas come first: a whole number");

/** The arguments in a message that is not streamed: `{}` if they are not JSON. */
function parsedOrEmpty(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
