import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/index.ts";
import type { ClineMessage } from "../../../machines/message/index.ts";
import { emptyRecordedState, type TaskContext, type TaskEmitted } from "../../../machines/task/index.ts";
import type { RecordedCall, ToolCall } from "../../../machines/tool-call/index.ts";
import { recovery } from "../../../verify/laws/recovery.ts";
import { decisionOf, running, settled, stopped, turnOf } from "./calls.ts";
import { appended, ask, gone, logOf, say, started } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const ASK = ask(9, "resume_task");
const resting = (row: ClineMessage) => ({ id: row.ts, ask: "resume_task" }) as const;

interface Opening {
  /** The rows that the task is opened with, and those that it appends. */
  readonly rows?: readonly ClineMessage[];
  readonly more?: readonly ClineMessage[];
  /** The rows after the opening, where they aren't simply both. */
  readonly leaves?: readonly ClineMessage[];
  readonly to?: string;
  readonly emitted?: readonly TaskEmitted[];
  readonly before?: Partial<TaskContext>;
  readonly after?: Partial<TaskContext>;
  readonly pastCalls?: readonly RecordedCall[];
}

/** What the law says of the opening of a task: one that asks whether to go on, unless it is said otherwise. */
function found({ rows = [say(1, "text")], more = [ASK], to = "resumable", ...rest }: Opening = {}) {
  const log = logOf(...rows);
  const leaves = rest.leaves ?? [...rows, ...more];
  const stays = more.length === 0 && rest.leaves === undefined;
  return recovery.violation(
    stepOf({
      from: "no_task",
      to,
      event: { type: "task.recovered", at: 10 },
      emitted: [...more.map(appended), ...(rest.emitted ?? [])],
      before: { ...rest.before, log },
      after: { ask: resting(leaves.at(-1) ?? ASK), ...rest.after, log: stays ? log : logOf(...leaves) },
      past: { ...emptyRecordedState, log, calls: rest.pastCalls ?? [], openedAt: 10 },
    }),
  );
}

describe("a task that is opened again rests on one open ask (L11)", () => {
  it.each<[what: string, rows: readonly ClineMessage[]]>([
    ["that had no row", []],
    ["that was at work", [say(1, "text")]],
    ["that was asking", [ask(1, "followup", { closing: "withdrawn" })]],
    ["that was told to go on", [ask(1, "resume_task", { closing: "answered" })]],
    ["that only told of a completion", [say(1, "completion_result")]],
  ])("one %s is resumable", (_, rows) => {
    expect(found({ rows })).toBeUndefined();
    expect(found({ rows, to: "idle.reopened", more: [ask(9, "resume_completed_task")] })).toMatch(
      /opened into idle.reopened, not resumable$/,
    );
    expect(found({ rows, more: [ask(9, "resume_completed_task")] })).toMatch(
      /^the last message is resume_completed_task, not the open ask resume_task$/,
    );
  });

  it.each(["completion_result", "resume_completed_task"])("one that rested on %s stays completed", (kind) => {
    const rows = [ask(1, kind, { closing: "answered" })];
    const more = [ask(9, "resume_completed_task")];
    expect(found({ rows, more, to: "idle.reopened" })).toBeUndefined();
    expect(found({ rows, more })).toMatch(/opened into resumable, not idle.reopened$/);
    expect(found({ rows, to: "idle.reopened" })).toMatch(
      /is resume_task, not the open ask resume_completed_task$/,
    );
  });

  it.each<[what: string, row: ClineMessage]>([
    ["closed", { ...ASK, closing: "withdrawn" }],
    ["partial", { ...ASK, partial: true }],
    ["told, not asked", { ...ASK, type: "say" }],
  ])("a row is no open ask that is %s", (_, row) => {
    expect(found({ more: [row] })).toMatch(/^the last message is resume_task, not the open ask resume_task$/);
    expect(found({ more: [{ ...ASK, partial: false }] })).toBeUndefined();
  });

  it("its ask is its last row", () => {
    expect(found({ more: [{ ...ASK, closing: "answered" }, say(10, "error")] })).toMatch(
      /^the last message is error, not the open ask resume_task$/,
    );
    expect(found({ rows: [], more: [] })).toMatch(/^the last message is undefined/);
  });

  it("no other ask is open", () => {
    expect(found({ rows: [ask(1, "followup")] })).toMatch(/^2 asks are open/);
    expect(found({ rows: [ask(1, "followup", { closing: "withdrawn" })] })).toBeUndefined();
  });

  it("it knows which ask it rests on", () => {
    const odd = /^the open ask is not that of the context$/;
    expect(found({ after: { ask: resting(say(1, "text")) } })).toMatch(odd);
    expect(found({ after: { ask: undefined } })).toMatch(odd);
  });
});

describe("nobody but the ask is at work after an opening (L11)", () => {
  it("neither a tool nor another ask", () => {
    expect(found({ emitted: [started("ask:9")] })).toBeUndefined();
    expect(found({ emitted: [started("ask:9"), started("tool:c1")] })).toMatch(/^tool:c1 is active/);
    expect(found({ emitted: [started("ask:1"), started("llm")] })).toMatch(/^ask:1,llm is active/);
    expect(found({ emitted: [started("tool:c1"), gone("tool:c1")] })).toBeUndefined();
  });

  it("and it permits nothing and tells the model nothing", () => {
    const decision = decisionOf("c1");
    const content = [{ type: "text", text: "words" }] as const;
    expect(found({ emitted: [{ type: "decision.made", decision }] })).toMatch(/emitted decision.made$/);
    expect(found({ emitted: [{ type: "entry.appended", entry: { role: "user", content } }] })).toMatch(
      /emitted entry.appended$/,
    );
    expect(found({ emitted: [{ type: "entry.extended", content }] })).toMatch(/emitted entry.extended$/);
    expect(found({ emitted: [{ type: "turn.ended" }] })).toBeUndefined();
  });
});

describe("an opening asks once whether to go on (L11)", () => {
  const asking = ask(5, "resume_task");
  const withdrawn = { ...asking, closing: "withdrawn" } as const;
  const again = { rows: [asking], leaves: [withdrawn, ASK] };
  const twice = /^a task with an open resume ask appended another$/;

  it("by one row", () => {
    expect(found({ more: [say(8, "error"), ASK] })).toBeUndefined();
    expect(found({ more: [ask(8, "followup", { closing: "ended" }), ASK] })).toMatch(/^2 asks were appended/);
    expect(found({ more: [], leaves: [say(1, "text"), ASK] })).toMatch(/^0 asks were appended/);
  });

  it.each(["resume_task", "resume_completed_task"])("by the row that already asks it (%s)", (kind) => {
    const to = kind === "resume_task" ? "resumable" : "idle.reopened";
    const rows = [ask(5, kind)];
    expect(found({ rows, more: [], to })).toBeUndefined();
    const more = [ask(9, kind)];
    const leaves = [ask(5, kind, { closing: "withdrawn" }), ...more];
    expect(found({ rows, more, leaves, to })).toMatch(twice);
  });

  it("by a new row where another ask was open, or where it was answered", () => {
    const other = ask(5, "followup");
    expect(found({ rows: [other], leaves: [{ ...other, closing: "withdrawn" }, ASK] })).toBeUndefined();
    expect(found({ rows: [{ ...asking, closing: "answered" }] })).toBeUndefined();
  });

  it("again after a command that was left in the background, once", () => {
    const before = { background: [{ callId: "c1", command: "serve" }] };
    expect(found({ ...again, before })).toBeUndefined();
    const more = [ask(8, "followup", { closing: "ended" }), ASK];
    expect(found({ ...again, before, more, leaves: [withdrawn, ...more] })).toMatch(/^2 asks were appended/);
  });

  const knew = (callId: string): RecordedCall => ({ ...stopped(callId), phase: "running" });

  it.each<[what: string, calls: readonly ToolCall[], pastCalls: readonly RecordedCall[]]>([
    ["that was running", [settled("c1", "uncertain")], [knew("c1")]],
    ["of which nothing was remembered", [settled("c1", "uncertain")], []],
    ["beside one that had ended", [settled("c1", "uncertain")], [settled("c2", "uncertain"), knew("c1")]],
    ["that ended with another", [settled("c2"), settled("c1", "uncertain")], [knew("c2"), knew("c1")]],
  ])("again where a call %s has become uncertain", (_, calls, pastCalls) => {
    expect(found({ ...again, pastCalls, after: { turn: turnOf(...calls) } })).toBeUndefined();
  });

  it.each<[what: string, calls: readonly ToolCall[], pastCalls: readonly RecordedCall[]]>([
    ["there is no call", [], []],
    ["the call is over and certain", [settled("c1", "done")], [knew("c1")]],
    ["the call was uncertain before", [settled("c1", "uncertain")], [settled("c1", "uncertain")]],
    ["it was, beside another", [settled("c1", "uncertain")], [settled("c1", "uncertain"), knew("c2")]],
    ["the call is stopped", [stopped("c1")], [knew("c1")]],
    ["the call runs", [running("c1")], [knew("c1")]],
  ])("not again where %s", (_, calls, pastCalls) => {
    expect(found({ ...again, pastCalls, after: { turn: turnOf(...calls) } })).toMatch(twice);
  });
});

describe("after an opening nothing streams, and nothing is forgotten (L11)", () => {
  it("no row is partial, and no ask", () => {
    expect(found({ rows: [say(1, "text", { partial: true })] })).toMatch(/^text is partial/);
    expect(found({ rows: [say(1, "text", { partial: false })] })).toBeUndefined();
    expect(found({ rows: [ask(1, "followup", { partial: true })] })).toMatch(/^followup is partial/);
  });

  it("no request is open", () => {
    const request = (text: string) => found({ rows: [say(1, "api_req_started", { text })] });
    expect(request('{"cost":0}')).toBeUndefined();
    expect(request("{}")).toMatch(/^a request is open/);
  });

  it("the queue and the conversation are the same", () => {
    const queue = [{ id: "q1", text: "words", images: [] }];
    const conversation = PersistentList.of({ role: "user", content: [] } as const);
    expect(found({ before: { queue, conversation } })).toBeUndefined();
    expect(found({ before: { queue }, after: { queue: [] } })).toMatch(/^the queue changed/);
    expect(found({ after: { conversation } })).toMatch(/^the conversation changed/);
  });

  it("words that wait for the next request wait still, and there may be more", () => {
    const first = { type: "text", text: "one" } as const;
    const second = { type: "text", text: "two" } as const;
    const words = (was: TaskContext["pending"], is: TaskContext["pending"]) =>
      found({ before: { pending: was }, after: { pending: is } });
    expect(words([first], [first, second])).toBeUndefined();
    expect(words([first, second], [first, second])).toBeUndefined();
    expect(words([first, second], [first])).toMatch(/^text for the next request was lost$/);
    expect(words([first, second], [second, first])).toMatch(/was lost$/);
    expect(words([first], [])).toMatch(/was lost$/);
  });
});

describe("an endpoint that asked to be left alone is left alone (L11)", () => {
  const resumed = (at: number, parts: { from?: string; emitted?: readonly TaskEmitted[] } = {}) =>
    recovery.violation(
      stepOf({
        from: "resumable",
        to: "streaming.preparing",
        event: { type: "ask.answered", at, askId: 9, answer: { kind: "yes" } },
        emitted: [started("context")],
        before: { retryAt: 50 },
        ...parts,
      }),
    );

  it("until its time has come", () => {
    expect(resumed(49)).toMatch(/^a request was opened before 50$/);
    expect(resumed(50)).toBeUndefined();
  });

  it("by a task that rests; one that is at work has a timer for it", () => {
    expect(resumed(49, { from: "running.retrying" })).toBeUndefined();
  });

  it("by requests alone", () => {
    for (const emitted of [[], [started("timer")], [gone("context")]])
      expect(resumed(49, { emitted })).toBeUndefined();
  });
});

it("the law of openings says nothing of other macrosteps (L11)", () => {
  expect(
    recovery.violation(stepOf({ emitted: [started("tool:c1")], to: "running.calling" })),
  ).toBeUndefined();
});
