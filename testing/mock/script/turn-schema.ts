import { Buffer } from "node:buffer";
import { z } from "zod";
import { after, block, blockFields, blocks, kindNames, pace } from "./block-schema.ts";
import { count, delayMsMax, fields, forwardIssues, isRecord, schemaFor, text } from "./fields.ts";
import type { Block, Fault, MockStop, MockUsage, Pace, ScriptedResponse } from "./script.ts";

const stops = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
] as const;
const tokens = count("a number of tokens").optional();

const options = {
  ...pace,
  usage: fields("a usage", {
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
    cache_creation: fields("the cache writes", {
      ephemeral_5m_input_tokens: tokens,
      ephemeral_1h_input_tokens: tokens,
    }).optional(),
    server_tool_use: fields("the requests of server tools", {
      web_search_requests: count("a number of requests").optional(),
      web_fetch_requests: count("a number of requests").optional(),
    }).optional(),
  }).optional(),
  stop: z.enum(stops, { error: `a stop reason: ${stops.join(", ")}` }).optional(),
  stopSequence: text("the stop sequence that was met").optional(),
};

const faultFields = {
  status: fields(
    "a status fault",
    {
      status: z
        .int({ error: "an HTTP status from 200 to 599" })
        .min(200, { error: "an HTTP status from 200 to 599" })
        .max(599, { error: "an HTTP status from 200 to 599" }),
      body: z.unknown().optional(),
      retryAfter: z.union([z.number().min(0), z.string()], { error: "seconds, or an HTTP date" }).optional(),
    },
    ["times"],
  ).transform(
    ({ status, body, retryAfter }) =>
      (): Fault => ({ kind: "status", status, body, retryAfter }),
  ),
  drop: fields("a drop fault", { drop: z.literal(true, { error: "true" }) }, ["times"]).transform(
    () => (): Fault => ({ kind: "drop" }),
  ),
  cutAfter: fields("a cut fault", {
    cutAfter: after,
    cleanly: z.boolean({ error: "true or false" }).optional(),
  }).transform(
    ({ cutAfter, cleanly = false }) =>
      (response: ScriptedResponse | undefined): Fault => ({
        kind: "cut",
        after: cutAfter,
        cleanly,
        response,
      }),
  ),
  errorEvent: fields("an error-event fault", {
    errorEvent: fields("an error event", {
      type: text("an error type of the API, such as overloaded_error"),
      message: text("the error's message").optional(),
    }),
    after: after.optional(),
  }).transform(
    ({ errorEvent: { type, message = type }, after = 0 }) =>
      (response: ScriptedResponse | undefined): Fault => ({ kind: "error", type, message, after, response }),
  ),
  stallMs: fields("a stall fault", {
    stallMs: z
      .number({ error: "milliseconds of silence" })
      .min(0, { error: "milliseconds of silence, 0 or more" })
      .max(delayMsMax, { error: `milliseconds of silence, at most ${delayMsMax}` }),
    after: after.optional(),
  }).transform(
    ({ stallMs, after = 0 }) =>
      (response: ScriptedResponse | undefined): Fault => ({ kind: "stall", stallMs, after, response }),
  ),
  garbage: fields("a garbage fault", {
    garbage: schemaFor((value) =>
      isRecord(value)
        ? fields("bytes", { base64: z.base64({ error: "bytes in base64" }) }).transform(({ base64 }) =>
            Buffer.from(base64, "base64"),
          )
        : text("what to send: a text, or {base64}").transform((text) => Buffer.from(text, "utf8")),
    ),
    after: after.optional(),
  }).transform(
    ({ garbage, after = 0 }) =>
      (response: ScriptedResponse | undefined): Fault => ({
        kind: "garbage",
        bytes: garbage,
        after,
        response,
      }),
  ),
};
const ownFields = {
  status: ["status", "body", "retryAfter"],
  drop: ["drop"],
  cutAfter: ["cutAfter", "cleanly"],
  errorEvent: ["errorEvent", "after"],
  stallMs: ["stallMs", "after"],
  garbage: ["garbage", "after"],
};
const faultNames = ["status", "drop", "cutAfter", "errorEvent", "stallMs", "garbage"] as const;

const manyBlocks = fields("a turn", { blocks, ...options }).transform((turn) => toResponse(turn));
const oneBlock = (value: Readonly<Record<string, unknown>>) =>
  z.unknown().transform((_, context): ScriptedResponse => {
    const [own, rest] = split(value, blockFields);
    const made = parseWith(block, own, context);
    const turn = parseWith(fields("a turn", options, blockFields), rest, context);
    return made === undefined || turn === undefined ? z.NEVER : toResponse({ blocks: [made], ...turn });
  });

const noTurn = z.never({
  error: `a turn: a list of blocks, an object with blocks, a single block (${kindNames.join(", ")}), or a fault (${faultNames.join(", ")})`,
});

const response = schemaFor<ScriptedResponse>((value) => {
  if (Array.isArray(value)) return blocks.transform((list) => toResponse({ blocks: list }));
  if (!isRecord(value)) return noTurn;
  if (Object.hasOwn(value, "blocks")) return manyBlocks;
  return blockFields.some((name) => Object.hasOwn(value, name)) ? oneBlock(value) : noTurn;
});

/** An entry of a list of turns: a response, or a fault that precedes one, repeated `times`. */
export type Item =
  | { readonly response: ScriptedResponse; readonly fault?: never }
  | { readonly fault: Fault; readonly times: number; readonly response?: never };

const times = count("how many attempts: a whole number from 1 to 1000000", 1_000_000).min(1, {
  error: "how many attempts: a whole number from 1 to 1000000",
});

export const item = z.unknown().transform((value, context): Item => {
  const name = isRecord(value) ? faultNames.find((key) => Object.hasOwn(value, key)) : undefined;
  if (name === undefined || !isRecord(value)) {
    const parsed = parseWith(response, value, context);
    return parsed === undefined ? z.NEVER : { response: parsed };
  }
  const [own, rest] = split(value, ownFields[name]);
  const [counted, content] = split(rest, ["times"]);
  const takesContent = name !== "status" && name !== "drop";
  const fault = parseWith(faultFields[name], takesContent ? own : { ...own, ...content }, context);
  const repeated = parseWith(z.object({ times: times.default(1) }), counted, context);
  const hasContent = takesContent && Object.keys(content).length > 0;
  const turn = hasContent ? parseWith(response, content, context) : undefined;
  if (fault === undefined || repeated === undefined || (hasContent && turn === undefined)) return z.NEVER;
  return { fault: fault(turn), times: repeated.times };
});

interface TurnFields extends Pace {
  readonly blocks: readonly Block[];
  readonly usage?: MockUsage | undefined;
  readonly stop?: MockStop | undefined;
  readonly stopSequence?: string | undefined;
}

function toResponse({ usage = {}, stop, stopSequence, ...rest }: TurnFields): ScriptedResponse {
  const met = stopSequence === undefined ? undefined : "stop_sequence";
  return {
    ...rest,
    usage,
    stop: stop ?? met ?? defaultStop(rest.blocks),
    stopSequence: stopSequence ?? null,
  };
}

/** A response that ends with a server tool without a result has paused. */
function defaultStop(blocks: readonly Block[]): MockStop {
  if (blocks.some((block) => block.kind === "tool" || typeOf(block) === "tool_use")) return "tool_use";
  return typeOf(blocks.at(-1)) === "server_tool_use" ? "pause_turn" : "end_turn";
}

const typeOf = (block: Block | undefined) => (block?.kind === "verbatim" ? block.content.type : undefined);

function split(value: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const own: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) (names.includes(key) ? own : rest)[key] = item;
  return [own, rest] as const;
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown, context: z.RefinementCtx): T | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  forwardIssues(result.error, context);
  return undefined;
}
