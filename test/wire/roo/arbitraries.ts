import fc from "fast-check";
import type { Entry } from "../../../machines/conversation/entry.ts";
import type { AskClosing, ClineMessage } from "../../../machines/message/message.ts";
import { isRequestOpen } from "../../../machines/message/request.ts";
import { validHistory } from "../../machines/conversation/arbitraries.ts";
import { message } from "../../machines/message/arbitraries.ts";

const CLOSINGS: readonly AskClosing[] = ["answered", "withdrawn", "expired", "ended"];
const closing = fc.constantFrom(...CLOSINGS);
const more: fc.Arbitrary<Partial<ClineMessage>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Partial<ClineMessage>>(
      { images: ["data:image/png;base64,AAAA"] },
      { reasoning: "Hm." },
      { conversationHistoryIndex: 3 },
      { checkpoint: { from: "a", to: "b", suppressMessage: true } },
      { progressStatus: { icon: "sync", text: "1/3" } },
      {
        contextCondense: {
          cost: 0.1,
          prevContextTokens: 9,
          newContextTokens: 3,
          summary: "s",
          condenseId: "c",
        },
      },
      {
        contextTruncation: {
          truncationId: "t",
          messagesRemoved: 2,
          prevContextTokens: 9,
          newContextTokens: 3,
        },
      },
      { isProtected: true },
      { apiProtocol: "anthropic" },
      { callId: "c-1" },
      { exitCode: 2 },
    ),
  },
);

/** Messages of a task at rest: nothing open, nothing partial, `ts` strictly increasing. */
export const logsAtRest: fc.Arbitrary<ClineMessage[]> = fc
  .array(fc.tuple(message(fc.integer({ min: 1, max: 9000 })), closing, more), { maxLength: 12 })
  .map((drawn) => {
    let ts = 1_767_225_600_000;
    return drawn.map(([known, how, fields]) => {
      ts += known.ts;
      const { text, ...rest } = { ...known, ts, ...fields };
      const withText = { ...rest, ...(typeof text === "string" && { text }) };
      const whole = withText.partial === true ? { ...withText, partial: false } : withText;
      const closed = isRequestOpen(whole) ? { ...whole, text: '{"cost":0}' } : whole;
      return closed.type === "ask"
        ? { ...closed, closing: how, ...(how === "answered" && { isAnswered: true }) }
        : closed;
    });
  });

/** Conversations of a task at rest. The tool calls of a last response may have no results. */
export const conversationsAtRest: fc.Arbitrary<Entry[]> = fc.oneof(
  fc.constant<Entry[]>([]),
  validHistory,
  validHistory.map((history) => (history.length > 1 ? history.slice(0, -1) : history)),
);

const garbage = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    7,
    "message",
    [],
    {},
    { ts: 1 },
    { type: "say" },
    { ts: "1", type: "say", say: "text" },
    { ts: 1, type: "ask", ask: 5, text: {} },
    { ts: -1e300, type: "ask" },
    { ts: 8.7e15, type: "say", say: "api_req_started", text: "7" },
    { role: "user" },
    { role: "system", content: "x" },
    { role: "user", content: "text" },
    { role: "assistant", content: "text", ts: 5 },
    { role: "user", content: [] },
    { role: "user", content: [{ type: "text", text: " " }, null, 5] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call-0-0", content: "done" }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call-0-0", content: [], is_error: "yes" }],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "call-0-0", name: "x", input: "none" }] },
    { role: "assistant", content: [{ type: "tool_use", name: "x" }] },
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }] },
    { role: "assistant", content: [{ type: "redacted_thinking", data: "" }] },
    { role: "user", content: [{ type: "image", source: { type: "url", url: "x" } }] },
    { role: "user", content: "sum", isSummary: true, condenseId: "c" },
    { role: "user", content: "mark", isTruncationMarker: true, truncationId: "t" },
    { role: "assistant", content: "old", condenseParent: "c", truncationParent: "t" },
  ),
);

type Damage = (list: readonly unknown[]) => readonly unknown[];
const at = fc.nat(40);
const indexIn = (list: readonly unknown[], where: number): number => where % Math.max(1, list.length);
const setAt =
  (where: number, change: (value: unknown) => unknown): Damage =>
  (list) =>
    list.map((value, index) => (index === indexIn(list, where) ? change(value) : value));
const field = (name: string, value: unknown) => (target: unknown) =>
  typeof target === "object" && target !== null ? { ...target, [name]: value } : target;

const damage: fc.Arbitrary<Damage> = fc.oneof(
  at.map(
    (where): Damage =>
      (list) =>
        list.filter((_, index) => index !== indexIn(list, where)),
  ),
  fc.tuple(at, at).map(
    ([from, to]): Damage =>
      (list) =>
        list.toSpliced(to, 0, ...list.slice(from, from + 2)),
  ),
  fc.tuple(at, at).map(
    ([a, b]): Damage =>
      (list) => {
        const changed = [...list];
        const [i, j] = [indexIn(list, a), indexIn(list, b)];
        [changed[i], changed[j]] = [changed[j], changed[i]];
        return list.length === 0 ? list : changed;
      },
  ),
  fc.tuple(at, garbage).map(
    ([where, value]): Damage =>
      (list) =>
        list.toSpliced(where, 0, value),
  ),
  fc
    .tuple(
      at,
      fc.constantFrom(
        "ts",
        "partial",
        "closing",
        "text",
        "role",
        "content",
        "isAnswered",
        "condenseParent",
        "progressStatus",
      ),
      fc.oneof(
        fc.constantFrom<unknown>(true, 1_767_225_600_000, null, "c", "{}"),
        fc.jsonValue({ maxDepth: 1 }),
      ),
    )
    .map(([where, name, value]) => setAt(where, field(name, value))),
  fc.tuple(at, at, garbage).map(([where, block, value]) =>
    setAt(where, (entry) => {
      const content: unknown =
        typeof entry === "object" && entry !== null && "content" in entry ? entry.content : undefined;
      return Array.isArray(content) ? field("content", content.toSpliced(block % 4, 1, value))(entry) : entry;
    }),
  ),
);

/** A list with up to 8 faults. */
export const damaged = (list: fc.Arbitrary<readonly unknown[]>): fc.Arbitrary<readonly unknown[]> =>
  fc
    .tuple(list, fc.array(damage, { maxLength: 8 }))
    .map(([whole, faults]) => faults.reduce((list, fault) => fault(list), whole));
