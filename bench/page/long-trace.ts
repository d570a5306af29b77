import { type TraceEvent, traceLines } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import type { CommitRecord, JournalRecord } from "../../wire/journal/record.ts";

/** Number of events of one turn: a request, a streamed response, a tool call, its approval and its result. */
export const TURN = 20;
const TASK = "long";
const USAGE = { tokensIn: 2_000, tokensOut: 120, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

/** A task of this many events as NDJSON: identical turns through four of the six states. */
export function longTrace(events: number): string {
  const tracer = new Tracer(TASK);
  const lines: TraceEvent[] = [];
  for (let seq = 0; seq < events; seq += 1) lines.push(tracer.add(recordAt(seq)));
  return [...traceLines(lines)].join("");
}

function recordAt(seq: number): JournalRecord {
  if (seq === 0)
    return { seq: 0, kind: "header", version: 2, taskId: TASK, createdAt: 0, title: "A long task" };
  return {
    seq,
    kind: "commit",
    at: seq * 40,
    before: stateAt(seq - 1),
    log: [],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
    after: stateAt(seq),
    ...stepOf(seq),
  };
}

/** The state after each event of a turn. */
const STATES = [
  "streaming.preparing",
  ...Array.from({ length: 12 }, () => "streaming.receiving"),
  "waiting_for_input.answer",
  ...Array.from({ length: 6 }, () => "running.calling"),
];
const stateAt = (seq: number): string =>
  seq === 0 ? "no_task" : (STATES[(seq - 1) % TURN] ?? "running.calling");

/** The first entry of the conversation. */
const PROMPT = {
  type: "entry.appended",
  entry: { role: "user", content: [{ type: "text", text: "Look at the parts." }] },
} as const;

/** The parts of the event's commit, by its position in its turn. */
function stepOf(seq: number): Pick<CommitRecord, "cause"> & Partial<CommitRecord> {
  const turn = Math.floor((seq - 1) / TURN);
  const step = (seq - 1) % TURN;
  const first = seq - step;
  const cause = (type: string, more: Readonly<Record<string, string | number>> = {}) => ({
    cause: { type, at: seq * 40, ...more },
  });
  const [requestId, callId] = [`r${turn}`, `${first}/toolu_${turn}`];
  const [request, reply, ask, shown] = [first * 40, (first + 1) * 40, (first + 13) * 40, (first + 14) * 40];
  if (step === 0)
    return {
      ...cause("context.ready"),
      log: [
        {
          type: "message.appended",
          message: { ts: request, type: "say", say: "api_req_started", text: "{}" },
        },
      ],
      conversation: turn === 0 ? [PROMPT] : [],
      effects: [{ type: "effect.started", effect: "llm", id: requestId }],
    };
  if (step === 1)
    return {
      ...cause("llm.text.delta", { requestId }),
      log: [
        {
          type: "message.appended",
          message: { ts: reply, type: "say", say: "text", text: "I look ", partial: true },
        },
      ],
    };
  if (step < 13)
    return {
      ...cause("llm.text.delta", { requestId }),
      log: [{ type: "message.grown", ts: reply, text: `at part ${step} of the topic of **turn ${turn}**, ` }],
    };
  if (step === 13)
    return {
      ...cause("llm.finished", { requestId }),
      log: [
        { type: "message.amended", ts: reply, patch: { partial: false } },
        {
          type: "message.amended",
          ts: request,
          patch: { text: JSON.stringify({ ...USAGE, cost: USAGE.cost }) },
        },
        {
          type: "message.appended",
          message: {
            ts: ask,
            type: "ask",
            ask: "tool",
            callId,
            text: JSON.stringify({ tool: "readFile", path: `src/part-${turn}.ts` }),
          },
        },
      ],
      conversation: [
        {
          type: "entry.appended",
          entry: {
            role: "assistant",
            content: [
              { type: "text", text: `I look at the topic of turn ${turn}.` },
              {
                type: "tool_use",
                id: `toolu_${turn}`,
                name: "read_file",
                input: { path: `src/part-${turn}.ts` },
              },
            ],
          },
        },
      ],
      facts: { total: { ...USAGE, tokensIn: turn * 2_000, tokensOut: turn * 120, cost: turn * 0.01 } },
      effects: [{ type: "effect.stopped", effect: "llm", id: requestId }],
    };
  if (step === 14)
    return {
      ...cause("ask.answered", { askId: ask }),
      log: [
        { type: "message.amended", ts: ask, patch: { closing: "answered" } },
        {
          type: "message.appended",
          message: {
            ts: shown,
            type: "say",
            say: "tool",
            callId,
            text: `{"tool":"readFile","path":"${turn}"}`,
          },
        },
      ],
      decisions: [{ callId, digest: "d", by: { person: true }, at: seq * 40 }],
      effects: [{ type: "effect.started", effect: "tool", id: callId }],
    };
  if (step < 19) return cause("tool.progress", { callId });
  return {
    ...cause("tool.finished", { callId }),
    conversation: [
      {
        type: "entry.appended",
        entry: {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: `toolu_${turn}`,
              content: [{ type: "text", text: `export const part = ${turn};\n`.repeat(8) }],
            },
          ],
        },
      },
    ],
    effects: [{ type: "effect.stopped", effect: "tool", id: callId }],
  };
}
