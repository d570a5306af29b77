import { describe, expect, it } from "vitest";
import { longTrace, TURN } from "../../../bench/page/long-trace.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { Outcome } from "../../../machines/tool-call/call.ts";
import { duration } from "../../../visualize/page/model/format.ts";
import {
  outlineRows,
  rowAt,
  rowDuration,
  rowMarks,
  rowText,
  turnCost,
} from "../../../visualize/page/model/outline.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import { parseEvents } from "../../../visualize/page/sources/read-file.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { appended, commit, RECORDED, recorded, snapshotOf, traceOf } from "../panes/trace.ts";
import { trace, WAITING } from "../timeline/support.ts";

const ALL = { toggled: new Set<string>(), hasOnlyProblems: false };
const NONE = { children: [] };

/** The rows of a trace, one a line: indented by level, with marks, duration and cost. */
function linesOf(trace: TraceSnapshot, options = ALL): readonly string[] {
  const { index } = trace;
  const now = index.times.at(-1) ?? 0;
  return outlineRows(trace, NONE, options).map((row) => {
    // These short traces break laws of messages.
    const marks = rowMarks(row).flatMap(({ word }) => (/^law/.test(word) ? [] : [`[${word}]`]));
    const lasted = rowDuration(row, now);
    const cost = row.level === 1 ? turnCost(row.turn, index) : undefined;
    const text = row.level === 3 ? `subtask ${row.call?.child}` : rowText(row);
    const numbers = [lasted === undefined ? "" : duration(lasted), cost === undefined ? "" : `$${cost}`];
    return [" ".repeat(row.level - 1) + text, ...marks, ...numbers].filter((part) => part !== "").join(" ");
  });
}

const prompt: ClineMessage = { ts: 1, type: "say", say: "text", text: "Do it" };
const requestOf = (ts: number): ClineMessage => ({ ts, type: "say", say: "api_req_started", text: "{}" });
const RESPONSE = { type: "entry.appended", entry: { role: "assistant", content: [] } } as const;
const asked = (callId: string, path: string): ClineMessage => ({
  ts: 1_000 + Number(callId),
  type: "ask",
  ask: "tool",
  callId,
  text: JSON.stringify({ tool: "newFileCreated", path, content: "x" }),
});
const settled = (callId: string, kind: Outcome["kind"]) => ({
  callId,
  toolUseId: `t${callId}`,
  name: "write_to_file",
  ask: "tool" as const,
  phase: "settled" as const,
  outcome: { kind, content: [] },
});

/** A task: a person's prompt, a turn with a completed and a failed call, a person's message, and a request. */
const TURNS = snapshotOf(
  traceOf([
    commit(1, { log: [appended(prompt), appended(requestOf(2))] }),
    commit(2, { log: [appended({ ts: 3, type: "say", say: "text", text: "I **write", partial: true })] }),
    commit(3, { log: [{ type: "message.grown", ts: 3, text: " both** files" }] }),
    commit(4, { log: [appended(asked("1", "a.txt"))], conversation: [RESPONSE] }),
    commit(5, { log: [appended(asked("2", "b.txt"))] }),
    commit(6, {
      calls: [settled("1", "done")],
      facts: { total: { cost: 0.25, tokensIn: 1, tokensOut: 1, cacheReads: 0, cacheWrites: 0 } },
    }),
    commit(7, { calls: [settled("2", "failed")] }),
    commit(8, {
      log: [appended({ ts: 4, type: "say", say: "user_feedback", text: "Stop" }), appended(requestOf(5))],
    }),
    commit(9, {
      facts: { total: { cost: 0.75, tokensIn: 1, tokensOut: 1, cacheReads: 0, cacheWrites: 0 } },
    }),
  ]),
);

describe("the outline of a task", () => {
  it("has the turns of a person and of the model, with the calls of each, their durations, costs and marks", () => {
    expect(linesOf(TURNS)).toEqual([
      "Do it",
      "I write both files 7 ms $0.25",
      " New file a.txt",
      " New file b.txt [tool failed]",
      "Stop",
      "request 1 ms $0.5",
    ]);
  });

  it("has a turn for each request of an imported log, and no attempts but those after failed requests", () => {
    const request = (ts: number, info: object): ClineMessage => ({
      ...requestOf(ts),
      text: JSON.stringify(info),
    });
    const text = (ts: number, of: string): ClineMessage => ({ ts, type: "say", say: "text", text: of });
    const messages = [
      ...[prompt, request(2, { cost: 0.1 }), text(3, "I look.")],
      ...[
        request(4, { cost: 0, cancelReason: "streaming_failed" }),
        request(5, { cost: 0.1 }),
        text(6, "I write."),
      ],
    ];
    const imported = snapshotOf(traceOf([commit(1, { log: [{ type: "log.replaced", messages }] })]));
    expect(imported.index.turns.map(({ text, attempts }) => [text, attempts])).toEqual([
      ["Do it", 0],
      ["I look.", 1],
      ["I write.", 2],
    ]);
  });

  it("folds a turn, which then has the number of the problems of its calls", () => {
    const toggled = new Set(["turn 1"]);
    expect(linesOf(TURNS, { ...ALL, toggled })).toEqual([
      "Do it",
      "I write both files [1 problem] 7 ms $0.25",
      "Stop",
      "request 1 ms $0.5",
    ]);
  });

  it("has only problems and the turns around them, if a person wants no others", () => {
    expect(linesOf(TURNS, { ...ALL, hasOnlyProblems: true })).toEqual([
      "I write both files 7 ms $0.25",
      " New file b.txt [tool failed]",
      "request 1 ms $0.5",
    ]);
    const last = outlineRows(TURNS, NONE, ALL).at(-1);
    expect(last && rowMarks(last)).toEqual([{ word: "law broken ×2", tone: "bad" }]);
  });

  it("gives the place and the number of the entries beside each entry", () => {
    const places = outlineRows(TURNS, NONE, ALL).map(({ position, siblings }) => `${position}/${siblings}`);
    expect(places).toEqual(["1/4", "2/4", "1/2", "2/2", "3/4", "4/4"]);
  });

  it("finds the entry of an event: its call's, the call that works, or else its turn's", () => {
    const rows = outlineRows(TURNS, NONE, ALL);
    const at = (seq: number) => rowAt(rows, TURNS, seq);
    expect([0, 1, 3, 4, 6, 7, 8, 9].map(at)).toEqual([-1, 1, 1, 2, 3, 3, 5, 5]);
    const folded = outlineRows(TURNS, NONE, { ...ALL, toggled: new Set(["turn 1"]) });
    expect(rowAt(folded, TURNS, 6)).toBe(1);
    expect(rowAt([], TURNS, 6)).toBe(-1);
  });

  it("has one turn for a request and its retries, and the time of the tool, not of the wait for a person", () => {
    const log = [[prompt], [requestOf(2)], [], [], [requestOf(6)]];
    const task = WAITING.map((one, at) => ({
      ...one,
      log: [...(log[at] ?? []).map(appended), ...(one.log ?? [])],
      conversation: one.cause === "llm.finished" ? [RESPONSE] : [],
    }));
    const before = ["Do it", "1 call [retried]"];
    const now = linesOf(trace(task.slice(0, 10)));
    expect(now.map((line) => line.replace(/ \d+\.\d+ s$/, ""))).toEqual([
      ...before,
      " npm run build [waiting]",
    ]);
    const [words, turn, call] = linesOf(trace(task));
    expect([words, turn?.replace(/ 17 min \d+ s$/, ""), call]).toEqual([...before, " npm run build 6.00 s"]);
  });

  it("has a subtask below the call that started it", () => {
    const lines = linesOf(snapshotOf(recorded("v2/delegated")));
    expect(lines.filter((line) => line.startsWith("  subtask"))).toHaveLength(1);
    const position = lines.findIndex((line) => line.startsWith("  subtask"));
    expect(lines[position - 1]).toMatch(/^ \S/);
  });

  it("has each call of each recorded task once", () => {
    for (const name of RECORDED) {
      const trace = snapshotOf(recorded(name));
      const { index } = trace;
      const calls = outlineRows(trace, NONE, ALL).flatMap(({ level, call }) =>
        level === 2 ? [call?.callId] : [],
      );
      const known = new Set([...index.toolNames.keys(), ...index.problems.calls.keys()]);
      expect([...calls].sort(), name).toEqual([...known].sort());
    }
  });

  it("grows with the trace: each prefix has the outline of a trace that ends there", () => {
    const whole = parseEvents(longTrace(5 * TURN));
    for (const length of [1, 2, 15, TURN, 3 * TURN + 4]) {
      const prefix = snapshotOf(new TraceLog("long", whole.slice(0, length)));
      const model = prefix.index.turns.filter(({ by }) => by === "model");
      expect(model.length, `${length} events`).toBe(Math.ceil((length - 1) / TURN));
    }
  });
});
