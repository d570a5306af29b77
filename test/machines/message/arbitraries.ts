import fc from "fast-check";
import { ASKS } from "../../../machines/message/asks.ts";
import type { LogEvent } from "../../../machines/message/log.ts";
import { type ClineMessage, type Patch, SAYS } from "../../../machines/message/message.ts";

/** Texts of request messages: open, closed, and invalid ones of foreign logs. */
const requestText: fc.Arbitrary<string | null> = fc.constantFrom(
  "",
  "{}",
  '{"apiProtocol":"anthropic"}',
  '{"cancelReason":"user_cancelled"}',
  '{"cost":0}',
  '{"cost":null}',
  '{"tokensIn":1,"cost":0.5}',
  "not json",
  "null",
  "7",
  "[]",
  null,
);

const partial = fc.constantFrom(undefined, undefined, true, false);
const optional = (value: Readonly<Record<string, unknown>>): Omit<Partial<ClineMessage>, "ts" | "type"> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));

/** A message of any kind, ours or foreign; every third one is a request. */
export function message(ts: fc.Arbitrary<number>): fc.Arbitrary<ClineMessage> {
  const ask = fc.constantFrom(...Object.keys(ASKS), "plan_mode_respond", "constructor", undefined);
  const say = fc.constantFrom(...SAYS, "generating", undefined);
  const text = fc.option(fc.string({ maxLength: 8 }), { nil: undefined });
  return fc.oneof(
    fc
      .tuple(ts, ask, text, partial)
      .map(([ts, ask, text, partial]) => ({ ts, type: "ask" as const, ...optional({ ask, text, partial }) })),
    fc
      .tuple(ts, say, text, partial)
      .map(([ts, say, text, partial]) => ({ ts, type: "say" as const, ...optional({ say, text, partial }) })),
    fc
      .tuple(ts, fc.constantFrom("say" as const, "say" as const, "ask" as const), requestText)
      .map(([ts, type, text]) => ({ ts, type, say: "api_req_started", text })),
  );
}

const patch: fc.Arbitrary<Patch> = fc.oneof(
  fc.record({ text: requestText }),
  fc.record({ partial: fc.boolean() }),
  fc.constant<Patch>({ isAnswered: true, closing: "answered" }),
);

/** A change of a log with `ts` from a small range: duplicate, unsorted and missing `ts` occur. */
export function foreignEvent(): fc.Arbitrary<LogEvent> {
  const ts = fc.nat(12);
  return fc.oneof(
    { weight: 6, arbitrary: message(ts).map((message) => ({ type: "message.appended" as const, message })) },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant("message.amended" as const), ts, patch }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("message.grown" as const),
        ts,
        text: fc.string({ maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("log.truncated" as const), length: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("log.replaced" as const),
        messages: fc.array(message(ts), { maxLength: 6 }),
      }),
    },
  );
}
