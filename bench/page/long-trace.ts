import { type TraceEvent, Tracer, traceLines } from "../../trace/index.ts";
import type { CommitRecord, JournalRecord } from "../../wire/index.ts";

/** Number of events of one turn: a request, a streamed response, a tool call, its approval and its end. */
export const TURN = 20;
const TASK = "long";
const USAGE = { tokensIn: 2_000, tokensOut: 120, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

/** A task of this many events as lines of JSON: turn after turn, through four of the six states. */
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
    before: placeOf(seq - 1),
    log: [],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
    after: placeOf(seq),
    ...stepOf(seq),
  };
}

/** Where the task is after each event of a turn. */
const PLACES = [
  "streaming.preparing",
  ...Array.from({ length: 12 }, () => "streaming.receiving"),
  "waiting_for_input.answer",
  ...Array.from({ length: 6 }, () => "running.calling"),
];
const placeOf = (seq: number): string =>
  seq === 0 ? "no_task" : (PLACES[(seq - 1) % TURN] ?? "running.calling");

/** What the event of this place in its turn did. */
function stepOf(seq: number): Pick<CommitRecord, "cause"> & Partial<CommitRecord> {
  const turn = Math.floor((seq - 1) / TURN);
  const step = (seq - 1) % TURN;
  const first = seq - step;
  const cause = (type: string, more: Readonly<Record<string, string | number>> = {}) => ({
    cause: { type, at: seq * 40, ...more },
  });
  const [requestId, callId] = [`r${turn}`, `${first}/toolu_${turn}`];
  const [request, words, ask] = [first * 40, (first + 1) * 40, (first + 13) * 40];
  if (step === 0)
    return {
      ...cause("context.ready"),
      log: [
        {
          type: "message.appended",
          message: { ts: request, type: "say", say: "api_req_started", text: "{}" },
        },
      ],
      effects: [{ type: "effect.started", effect: "llm", id: requestId }],
    };
  if (step === 1)
    return {
      ...cause("llm.text.delta", { requestId }),
      log: [
        {
          type: "message.appended",
          message: { ts: words, type: "say", say: "text", text: "I look ", partial: true },
        },
      ],
    };
  if (step < 13)
    return {
      ...cause("llm.text.delta", { requestId }),
      log: [
        { type: "message.grown", ts: words, text: `at part ${step} of what **turn ${turn}** is about, ` },
      ],
    };
  if (step === 13)
    return {
      ...cause("llm.finished", { requestId }),
      log: [
        { type: "message.amended", ts: words, patch: { partial: false } },
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
              { type: "text", text: `I look at what turn ${turn} is about.` },
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
      log: [{ type: "message.amended", ts: ask, patch: { closing: "answered" } }],
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
