import { Buffer } from "node:buffer";
import { z } from "zod";
import { after, block, blockFields, blocks, pace } from "./block-schema.ts";
import { chosen, count, delayMsMax, fields, isRecord, passOn, words } from "./fields.ts";
import type { Answer, Block, Fault, MockStop, MockUsage, Pace } from "./script.ts";

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
  }).optional(),
  stop: z.enum(stops, { error: `a stop reason: ${stops.join(", ")}` }).optional(),
  stopSequence: words("the stop sequence that was met").optional(),
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
      (answer: Answer | undefined): Fault => ({ kind: "cut", after: cutAfter, cleanly, answer }),
  ),
  errorEvent: fields("an error-event fault", {
    errorEvent: fields("an error event", {
      type: words("an error type of the API, such as overloaded_error"),
      message: words("the error's message").optional(),
    }),
    after: after.optional(),
  }).transform(
    ({ errorEvent: { type, message = type }, after = 0 }) =>
      (answer: Answer | undefined): Fault => ({ kind: "error", type, message, after, answer }),
  ),
  stallMs: fields("a stall fault", {
    stallMs: z
      .number({ error: "milliseconds of silence" })
      .min(0, { error: "milliseconds of silence, 0 or more" })
      .max(delayMsMax, { error: `milliseconds of silence, at most ${delayMsMax}` }),
    after: after.optional(),
  }).transform(
    ({ stallMs, after = 0 }) =>
      (answer: Answer | undefined): Fault => ({ kind: "stall", stallMs, after, answer }),
  ),
  garbage: fields("a garbage fault", {
    garbage: chosen((value) =>
      isRecord(value)
        ? fields("bytes", { base64: z.base64({ error: "bytes in base64" }) }).transform(({ base64 }) =>
            Buffer.from(base64, "base64"),
          )
        : words("what to send: a text, or {base64}").transform((text) => Buffer.from(text, "utf8")),
    ),
    after: after.optional(),
  }).transform(
    ({ garbage, after = 0 }) =>
      (answer: Answer | undefined): Fault => ({ kind: "garbage", bytes: garbage, after, answer }),
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

const manyBlocks = fields("a turn", { blocks, ...options }).transform((said) => toAnswer(said));
const oneBlock = (value: Readonly<Record<string, unknown>>) =>
  z.unknown().transform((_, context): Answer => {
    const [own, rest] = split(value, blockFields);
    const made = pass(block, own, context);
    const said = pass(fields("a turn", options, blockFields), rest, context);
    return made === undefined || said === undefined ? z.NEVER : toAnswer({ blocks: [made], ...said });
  });

const noTurn = z.never({
  error: `a turn: a list of blocks, an object with blocks, a single block (text, thinking, redacted, tool, raw), or a fault (${faultNames.join(", ")})`,
});

const answer = chosen<Answer>((value) => {
  if (Array.isArray(value)) return blocks.transform((list) => toAnswer({ blocks: list }));
  if (!isRecord(value)) return noTurn;
  if (Object.hasOwn(value, "blocks")) return manyBlocks;
  return blockFields.some((name) => Object.hasOwn(value, name)) ? oneBlock(value) : noTurn;
});

/** One entry of a list of turns: an answer, or a fault that stands before one, `times` over. */
export type Item =
  | { readonly answer: Answer; readonly fault?: never }
  | { readonly fault: Fault; readonly times: number; readonly answer?: never };

const times = count("how many attempts: a whole number from 1 to 1000000", 1_000_000).min(1, {
  error: "how many attempts: a whole number from 1 to 1000000",
});

export const item = z.unknown().transform((value, context): Item => {
  const name = isRecord(value) ? faultNames.find((key) => Object.hasOwn(value, key)) : undefined;
  if (name === undefined || !isRecord(value)) {
    const said = pass(answer, value, context);
    return said === undefined ? z.NEVER : { answer: said };
  }
  const [own, rest] = split(value, ownFields[name]);
  const [counted, content] = split(rest, ["times"]);
  const takesContent = name !== "status" && name !== "drop";
  const fault = pass(faultFields[name], takesContent ? own : { ...own, ...content }, context);
  const repeated = pass(z.object({ times: times.default(1) }), counted, context);
  const hasContent = takesContent && Object.keys(content).length > 0;
  const said = hasContent ? pass(answer, content, context) : undefined;
  if (fault === undefined || repeated === undefined || (hasContent && said === undefined)) return z.NEVER;
  return { fault: fault(said), times: repeated.times };
});

interface Said extends Pace {
  readonly blocks: readonly Block[];
  readonly usage?: MockUsage | undefined;
  readonly stop?: MockStop | undefined;
  readonly stopSequence?: string | undefined;
}

function toAnswer({ usage = {}, stop, stopSequence, ...rest }: Said): Answer {
  const calls = rest.blocks.some(({ kind }) => kind === "tool");
  const met = stopSequence === undefined ? undefined : "stop_sequence";
  return {
    ...rest,
    usage,
    stop: stop ?? met ?? (calls ? "tool_use" : "end_turn"),
    stopSequence: stopSequence ?? null,
  };
}

function split(value: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const own: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) (names.includes(key) ? own : rest)[key] = item;
  return [own, rest] as const;
}

function pass<T>(schema: z.ZodType<T>, value: unknown, context: z.RefinementCtx): T | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  passOn(result.error, context);
  return undefined;
}
