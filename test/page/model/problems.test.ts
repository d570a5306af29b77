import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { Outcome } from "../../../machines/tool-call/call.ts";
import { problemKind, problemText } from "../../../visualize/page/model/problem-text.ts";
import { subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import { causesOf } from "../../../visualize/page/model/tree-causes.ts";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { appended, commit, RECORDED, recorded, snapshotOf, traceOf } from "../panes/trace.ts";

/** The problems of a trace, one a line: the event, the kind and the words. */
const linesOf = (trace: TraceReader): readonly string[] => {
  const index = snapshotOf(trace).index;
  return index.problems.list.map(
    (problem) => `${problem.seq} ${problemKind(problem)}: ${problemText(problem, index)}`,
  );
};

/** The causes of the problem at this position. */
const chainOf = (of: TraceReader, position = 0): readonly string[] => {
  const trace = snapshotOf(of);
  const problem = trace.index.problems.list[position];
  return problem === undefined
    ? []
    : causesOf({ problem, trace, subtask: undefined, time: 0 }, subtaskTree(trace)).map(
        ({ text, seq, task, record }) => `${text} @${[task ?? seq, record ?? []].flat().join(" ")}`,
      );
};

const IDENTITY = { callId: "c", toolUseId: "t", name: "write_to_file", ask: "tool" } as const;
const prompt: ClineMessage = { ts: 1, type: "say", say: "text", text: "Do it" };
const request: ClineMessage = { ts: 2, type: "say", say: "api_req_started", text: '{"cost":0}' };
const ask: ClineMessage = {
  ts: 3,
  type: "ask",
  ask: "tool",
  callId: "c",
  text: JSON.stringify({ tool: "newFileCreated", path: "src/mod7.js", content: "x" }),
};

/** A prompt, a request and a call, with these parts of the commits that follow. */
const called = (...parts: readonly Partial<CommitRecord>[]) =>
  traceOf([
    commit(1, { log: [appended(prompt), appended(request)] }),
    commit(2, {
      log: [appended({ ...ask, closing: "answered" }), appended({ ts: 4, type: "say", say: "tool" })],
    }),
    ...parts.map((part, at) => commit(at + 3, part)),
  ]);

const settled = (kind: Outcome["kind"], text = ""): Pick<CommitRecord, "calls"> => ({
  calls: [{ ...IDENTITY, phase: "settled", outcome: { kind, content: [{ type: "text", text }] } }],
});
const denial = (message: Partial<ClineMessage>): Partial<CommitRecord> => ({
  log: [appended({ ts: 9, type: "say", say: "error", text: "no", callId: "c", ...message })],
});
const allowed = { decisions: [{ callId: "c", digest: "d", by: { rule: "edit(src/**)" }, at: 1 }] };

describe("the source of a denial", () => {
  it.each([
    ["a hook", { hook: "lint" }, "denied by the hook lint"],
    ["the control protocol", { hook: "control" }, "denied by the control protocol"],
    ["a rule", { rule: "edit(src/secret.txt)" }, "denied by the rule edit(src/secret.txt)"],
    [
      "a policy",
      { policy: "sealed", clause: "no write", since: [{ seq: 1 }] },
      "denied by the clause no write of the policy sealed",
    ],
  ])("is %s, and the denial is one problem", (_, by, words) => {
    const trace = called(settled("denied"), denial({ denial: by }));
    expect(linesOf(trace)).toEqual([`3 denied: New file src/mod7.js: ${words}`]);
  });

  it("is the answer to the ask", () => {
    const cause = { type: "ask.answered", at: 1, askId: 3, answer: { kind: "no" } };
    expect(linesOf(called({ cause, ...settled("denied") }))).toEqual([
      "3 rejected: New file src/mod7.js: its ask was not answered by yes",
    ]);
  });

  it("is the rule by which the ask expired", () => {
    const cause = { type: "ask.expired", at: 1, askId: 3, rule: "after 5 min" };
    expect(linesOf(called({ cause, ...settled("denied") }))).toEqual([
      "3 denied: New file src/mod7.js: its ask expired by the rule after 5 min",
    ]);
  });
});

describe("the causes of a problem", () => {
  it("are the call, its permission and the request", () => {
    const trace = called(allowed, denial({ denial: { hook: "lint" } }), settled("denied"));
    expect(chainOf(trace)).toEqual([
      "New file src/mod7.js @2",
      "allowed by the rule edit(src/**) @3",
      "request 1 @1",
    ]);
  });

  it("are the records since which a clause does not hold", () => {
    const by = { policy: "sealed", clause: "no write", since: [{ seq: 2 }, { seq: 7, task: "other" }] };
    expect(chainOf(called(denial({ denial: by })))).toEqual([
      "New file src/mod7.js @2",
      "since event 2 @2",
      "since record 7 of other @other 7",
      "request 1 @1",
    ]);
  });

  it("are the begin of a call that was denied before anybody was asked, with its target", () => {
    const begin = { at: 1, callId: "c" };
    const trace = traceOf([
      commit(1, { log: [appended(prompt), appended(request)] }),
      commit(2, { cause: { ...begin, type: "llm.tool.start", name: "write_to_file" } }),
      commit(3, { cause: { ...begin, type: "llm.tool.end", input: { path: "src/mod7.js" } } }),
      commit(4, denial({ denial: { hook: "lint" } })),
    ]);
    expect(linesOf(trace)).toEqual(["4 denied: write_to_file src/mod7.js: denied by the hook lint"]);
    expect(chainOf(trace)).toEqual(["write_to_file src/mod7.js @2", "request 1 @1"]);
  });

  it("are the subtask that failed, by its number", () => {
    const trace = called(
      { calls: [{ ...IDENTITY, phase: "delegated", input: {}, childId: "t.1" }] },
      { cause: { type: "subtask.ended", at: 1, callId: "c" }, ...settled("failed", "It gave up.") },
    );
    expect(linesOf(trace)).toEqual(["4 subtask failed: New file src/mod7.js: It gave up."]);
    expect(chainOf(trace)[0]).toBe("subtask 1 @t.1");
  });
});

describe("a problem is listed once", () => {
  const failed = (seq: number, after = "running.retrying") =>
    commit(seq, {
      cause: { type: "llm.failed", at: 1, failure: { code: "overloaded_error", message: "529 overloaded" } },
      before: "streaming.receiving",
      after,
    });
  const finished = (seq: number) => commit(seq, { cause: { type: "llm.finished", at: 1 } });

  it("a request with its attempts, until a response", () => {
    const trace = traceOf([{ ...failed(1), log: [appended(prompt)] }, failed(2), finished(3), failed(4)]);
    expect(linesOf(trace)).toEqual([
      "1 request failed: 529 overloaded (2 attempts)",
      "4 request failed: 529 overloaded",
    ]);
    expect(chainOf(trace)).toContain("attempt 2 @2");
  });

  it("an exit that is also the failure of its call", () => {
    const output: ClineMessage = { ts: 9, type: "say", say: "command_output", callId: "c", exitCode: 1 };
    expect(linesOf(called({ log: [appended(output)], ...settled("failed") }))).toEqual([
      "3 exit code: New file src/mod7.js exited with code 1",
    ]);
  });

  it("a broken law, at the first event that broke it", () => {
    const trace = traceOf([
      commit(1, { log: [appended(prompt)], after: "idle.completed" }),
      commit(2, { log: [appended({ ...prompt, ts: 2 })], after: "idle.completed" }),
    ]);
    expect(linesOf(trace)).toEqual([
      "1 law broken: L1: expected a log that derives idle, the recorded state; got a log that derives running",
    ]);
  });
});

it("a request that a hook denied failed, and a response that the protocol withheld was denied", () => {
  const ended = { before: "streaming.hooking", after: "idle.failed" };
  const failure: ClineMessage = { ts: 9, type: "ask", ask: "api_req_failed", text: "no" };
  const trace = traceOf([
    commit(1, { log: [appended(prompt), appended({ ...request, text: "" })], after: "streaming.receiving" }),
    commit(2, {
      cause: { type: "response.judged", at: 1 },
      log: [{ type: "message.amended", ts: 2, patch: { text: '{"cost":0}' } }],
      before: "streaming.receiving",
      after: "running.requesting",
    }),
    commit(3, { cause: { type: "request.hooked", at: 1 }, log: [appended(failure)], ...ended }),
  ]);
  expect(linesOf(trace)).toEqual([
    "2 denied: the response was withheld by the control protocol",
    "3 request failed: no",
  ]);
});

it("invalid and failed calls have the reason of their result", () => {
  const error = JSON.stringify({
    status: "error",
    message: "The tool execution failed",
    error: "path is missing",
  });
  expect(linesOf(called(settled("invalid", error)))).toEqual([
    "3 invalid call: New file src/mod7.js: path is missing",
  ]);
  expect(linesOf(called(settled("failed", error)))).toEqual([
    "3 tool failed: New file src/mod7.js: path is missing",
  ]);
  expect(linesOf(called(settled("done")))).toEqual([]);
});

it("a limit has its words", () => {
  const limit: ClineMessage = {
    ts: 9,
    type: "ask",
    ask: "auto_approval_max_req_reached",
    text: JSON.stringify({ count: 3, type: "requests" }),
  };
  expect(linesOf(traceOf([commit(1, { log: [appended(limit)], after: "idle.limited" })]))).toEqual([
    "1 limit: 3 requests",
  ]);
});

it("the end of a process while the task worked is a problem, and a task at rest that is opened again is none", () => {
  const reopened = (seq: number) =>
    commit(seq, { cause: { type: "task.recovered", at: 1 }, after: "resumable" });
  const trace = traceOf([commit(1, { after: "running.calling" }), reopened(2), reopened(3)]);
  expect(linesOf(trace).filter((line) => line.includes("process"))).toEqual([
    "2 process ended: the process ended in running.calling",
  ]);
});

it("recorded tasks have their problems, in the order of the trace", () => {
  const found = Object.fromEntries(RECORDED.map((name) => [name, linesOf(recorded(name))]));
  expect(found["v1/failed"]).toHaveLength(1);
  expect(found["v1/failed"]?.[0]).toMatch(/^4 request failed: 401 /);
  expect(found["v2/approving"]?.[0]).toMatch(/^4 request failed: 529 /);
  expect(found["v1/completed"]).toEqual([]);
  for (const name of RECORDED) {
    const seqs = snapshotOf(recorded(name)).index.problems.list.map(({ seq }) => seq);
    expect(seqs, name).toEqual([...seqs].sort((a, b) => a - b));
  }
});

it("the next and the previous problem are the nearest ones", () => {
  const trace = called(settled("invalid", "a"), {
    calls: [{ ...IDENTITY, callId: "d", phase: "settled", outcome: { kind: "invalid", content: [] } }],
  });
  const { problems } = snapshotOf(trace).index;
  expect(problems.next(0, 1)?.seq).toBe(3);
  expect(problems.next(3, 1)?.seq).toBe(4);
  expect(problems.next(4, 1)).toBeUndefined();
  expect(problems.next(4, -1)?.seq).toBe(3);
});
