import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/list.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { emptyRecordedState } from "../../../machines/task/commit.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { RecordedCall, ToolCall } from "../../../machines/tool-call/call.ts";
import { recovery } from "../../../verify/laws/recovery.ts";
import { decisionOf, running, settled, stopped, turnOf } from "./calls.ts";
import { appended, ask, gone, logOf, say, started } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const ASK = ask(9, "resume_task");
const openAsk = (message: ClineMessage) => ({ id: message.ts, ask: "resume_task" }) as const;

interface Opening {
  /** The messages of the reopened task, and those that it appends. */
  readonly messages?: readonly ClineMessage[];
  readonly more?: readonly ClineMessage[];
  /** The messages after the opening. Default: both. */
  readonly leaves?: readonly ClineMessage[];
  readonly to?: string;
  readonly emitted?: readonly TaskEmitted[];
  readonly before?: Partial<TaskContext>;
  readonly after?: Partial<TaskContext>;
  readonly pastCalls?: readonly RecordedCall[];
}

/** The violation of an opening, by default one that appends an ask to resume. */
function found({ messages = [say(1, "text")], more = [ASK], to = "resumable", ...parts }: Opening = {}) {
  const log = logOf(...messages);
  const leaves = parts.leaves ?? [...messages, ...more];
  const stays = more.length === 0 && parts.leaves === undefined;
  return recovery.violation(
    stepOf({
      from: "no_task",
      to,
      event: { type: "task.recovered", at: 10 },
      emitted: [...more.map(appended), ...(parts.emitted ?? [])],
      before: { ...parts.before, log },
      after: { ask: openAsk(leaves.at(-1) ?? ASK), ...parts.after, log: stays ? log : logOf(...leaves) },
      past: { ...emptyRecordedState, log, calls: parts.pastCalls ?? [], openedAt: 10 },
    }),
  );
}

describe("a reopened task settles with one open ask (L11)", () => {
  it.each<[what: string, messages: readonly ClineMessage[]]>([
    ["without a message", []],
    ["that was running", [say(1, "text")]],
    ["that was asking", [ask(1, "followup", { closing: "withdrawn" })]],
    ["that was resumed", [ask(1, "resume_task", { closing: "answered" })]],
    ["with only a completion message", [say(1, "completion_result")]],
  ])("one %s is resumable", (_, messages) => {
    expect(found({ messages })).toBeUndefined();
    expect(found({ messages, to: "idle.reopened", more: [ask(9, "resume_completed_task")] })).toMatch(
      /opened into idle.reopened, not resumable$/,
    );
    expect(found({ messages, more: [ask(9, "resume_completed_task")] })).toMatch(
      /^the last message is resume_completed_task, not the open ask resume_task$/,
    );
  });

  it.each(["completion_result", "resume_completed_task"])(
    "one that settled with %s stays completed",
    (kind) => {
      const messages = [ask(1, kind, { closing: "answered" })];
      const more = [ask(9, "resume_completed_task")];
      expect(found({ messages, more, to: "idle.reopened" })).toBeUndefined();
      expect(found({ messages, more })).toMatch(/opened into resumable, not idle.reopened$/);
      expect(found({ messages, to: "idle.reopened" })).toMatch(
        /is resume_task, not the open ask resume_completed_task$/,
      );
    },
  );

  it.each<[what: string, message: ClineMessage]>([
    ["closed", { ...ASK, closing: "withdrawn" }],
    ["partial", { ...ASK, partial: true }],
    ["a say", { ...ASK, type: "say" }],
  ])("a message that is %s is not an open ask", (_, message) => {
    expect(found({ more: [message] })).toMatch(
      /^the last message is resume_task, not the open ask resume_task$/,
    );
    expect(found({ more: [{ ...ASK, partial: false }] })).toBeUndefined();
  });

  it("its ask is its last message", () => {
    expect(found({ more: [{ ...ASK, closing: "answered" }, say(10, "error")] })).toMatch(
      /^the last message is error, not the open ask resume_task$/,
    );
    expect(found({ messages: [], more: [] })).toMatch(/^the last message is undefined/);
  });

  it("no other ask is open", () => {
    expect(found({ messages: [ask(1, "followup")] })).toMatch(/^2 asks are open/);
    expect(found({ messages: [ask(1, "followup", { closing: "withdrawn" })] })).toBeUndefined();
  });

  it("its context has the open ask", () => {
    const odd = /^the open ask is not the ask of the context$/;
    expect(found({ after: { ask: openAsk(say(1, "text")) } })).toMatch(odd);
    expect(found({ after: { ask: undefined } })).toMatch(odd);
  });
});

describe("only the ask is active after an opening (L11)", () => {
  it("neither a tool nor another ask", () => {
    expect(found({ emitted: [started("ask:9")] })).toBeUndefined();
    expect(found({ emitted: [started("ask:9"), started("tool:c1")] })).toMatch(/^tool:c1 is active/);
    expect(found({ emitted: [started("ask:1"), started("llm")] })).toMatch(/^ask:1,llm is active/);
    expect(found({ emitted: [started("tool:c1"), gone("tool:c1")] })).toBeUndefined();
  });

  it("and no decision or entry is recorded", () => {
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

describe("an opening asks once to resume (L11)", () => {
  const asking = ask(5, "resume_task");
  const withdrawn = { ...asking, closing: "withdrawn" } as const;
  const again = { messages: [asking], leaves: [withdrawn, ASK] };
  const twice = /^a task with an open resume ask appended another$/;

  it("by one message", () => {
    expect(found({ more: [say(8, "error"), ASK] })).toBeUndefined();
    expect(found({ more: [ask(8, "followup", { closing: "ended" }), ASK] })).toMatch(/^2 asks were appended/);
    expect(found({ more: [], leaves: [say(1, "text"), ASK] })).toMatch(/^0 asks were appended/);
  });

  it.each(["resume_task", "resume_completed_task"])("by the message that already asks it (%s)", (kind) => {
    const to = kind === "resume_task" ? "resumable" : "idle.reopened";
    const messages = [ask(5, kind)];
    expect(found({ messages, more: [], to })).toBeUndefined();
    const more = [ask(9, kind)];
    const leaves = [ask(5, kind, { closing: "withdrawn" }), ...more];
    expect(found({ messages, more, leaves, to })).toMatch(twice);
  });

  it("by a new message if another ask was open or it was answered", () => {
    const other = ask(5, "followup");
    expect(found({ messages: [other], leaves: [{ ...other, closing: "withdrawn" }, ASK] })).toBeUndefined();
    expect(found({ messages: [{ ...asking, closing: "answered" }] })).toBeUndefined();
  });

  it("again after a background command, once", () => {
    const before = { background: [{ callId: "c1", command: "serve" }] };
    expect(found({ ...again, before })).toBeUndefined();
    const more = [ask(8, "followup", { closing: "ended" }), ASK];
    expect(found({ ...again, before, more, leaves: [withdrawn, ...more] })).toMatch(/^2 asks were appended/);
  });

  const recordedRun = (callId: string): RecordedCall => ({ ...stopped(callId), phase: "running" });

  it.each<[what: string, calls: readonly ToolCall[], pastCalls: readonly RecordedCall[]]>([
    ["that was running", [settled("c1", "uncertain")], [recordedRun("c1")]],
    ["of which nothing was recorded", [settled("c1", "uncertain")], []],
    [
      "besides one that had ended",
      [settled("c1", "uncertain")],
      [settled("c2", "uncertain"), recordedRun("c1")],
    ],
    [
      "that ended with another",
      [settled("c2"), settled("c1", "uncertain")],
      [recordedRun("c2"), recordedRun("c1")],
    ],
  ])("again if a call %s has become uncertain", (_, calls, pastCalls) => {
    expect(found({ ...again, pastCalls, after: { turn: turnOf(...calls) } })).toBeUndefined();
  });

  it.each<[what: string, calls: readonly ToolCall[], pastCalls: readonly RecordedCall[]]>([
    ["there is no call", [], []],
    ["the call is over and certain", [settled("c1", "done")], [recordedRun("c1")]],
    ["the call was uncertain before", [settled("c1", "uncertain")], [settled("c1", "uncertain")]],
    [
      "it was uncertain before, besides another",
      [settled("c1", "uncertain")],
      [settled("c1", "uncertain"), recordedRun("c2")],
    ],
    ["the call is stopped", [stopped("c1")], [recordedRun("c1")]],
    ["the call runs", [running("c1")], [recordedRun("c1")]],
  ])("not again if %s", (_, calls, pastCalls) => {
    expect(found({ ...again, pastCalls, after: { turn: turnOf(...calls) } })).toMatch(twice);
  });
});

describe("after an opening nothing streams, and nothing is lost (L11)", () => {
  it("no message is partial", () => {
    expect(found({ messages: [say(1, "text", { partial: true })] })).toMatch(/^text is partial/);
    expect(found({ messages: [say(1, "text", { partial: false })] })).toBeUndefined();
    expect(found({ messages: [ask(1, "followup", { partial: true })] })).toMatch(/^followup is partial/);
  });

  it("no request is open", () => {
    const request = (text: string) => found({ messages: [say(1, "api_req_started", { text })] });
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

  it("text for the next request is kept and may be extended", () => {
    const first = { type: "text", text: "one" } as const;
    const second = { type: "text", text: "two" } as const;
    const pendingBecame = (was: TaskContext["pending"], is: TaskContext["pending"]) =>
      found({ before: { pending: was }, after: { pending: is } });
    expect(pendingBecame([first], [first, second])).toBeUndefined();
    expect(pendingBecame([first, second], [first, second])).toBeUndefined();
    expect(pendingBecame([first, second], [first])).toMatch(/^text for the next request was lost$/);
    expect(pendingBecame([first, second], [second, first])).toMatch(/was lost$/);
    expect(pendingBecame([first], [])).toMatch(/was lost$/);
  });
});

describe("a retry delay is kept after an opening (L11)", () => {
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

  it("until it has passed", () => {
    expect(resumed(49)).toMatch(/^a request was opened before 50$/);
    expect(resumed(50)).toBeUndefined();
  });

  it("by a settled task; a running one has a timer", () => {
    expect(resumed(49, { from: "running.retrying" })).toBeUndefined();
  });

  it("by requests only", () => {
    for (const emitted of [[], [started("timer")], [gone("context")]])
      expect(resumed(49, { emitted })).toBeUndefined();
  });
});

it("the law of openings ignores other macrosteps (L11)", () => {
  expect(
    recovery.violation(stepOf({ emitted: [started("tool:c1")], to: "running.calling" })),
  ).toBeUndefined();
});
