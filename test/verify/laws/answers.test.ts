import { describe, expect, it } from "vitest";
import {
  type Answer,
  type AskClosing,
  type AskType,
  type ClineMessage,
  emptyLog,
  isAskType,
} from "../../../machines/message/index.ts";
import type { TaskEvent } from "../../../machines/task/index.ts";
import { answers } from "../../../verify/laws/answers.ts";
import { fresh, stepOf } from "./step.ts";

type Kind = Answer["kind"];

const KINDS: readonly Kind[] = ["yes", "no", "text"];
/** The kinds of answers that each ask takes while it is open. */
const TAKES: Readonly<Record<AskType, readonly Kind[]>> = {
  followup: ["text"],
  command: KINDS,
  tool: KINDS,
  use_mcp_server: KINDS,
  browser_action_launch: KINDS,
  completion_result: KINDS,
  api_req_failed: ["yes", "no"],
  mistake_limit_reached: KINDS,
  auto_approval_max_req_reached: ["yes", "no"],
  resume_completed_task: ["text"],
  resume_task: ["yes", "text"],
  command_output: ["yes", "no"],
};
const ASKS = Object.keys(TAKES).filter(isAskType);
const CLOSINGS: readonly AskClosing[] = ["answered", "withdrawn", "expired", "ended"];

const answerOf = (kind: Kind): Answer => (kind === "text" ? { kind, text: "words" } : { kind });
const answered = (kind: Kind, askId = 5): TaskEvent => ({
  type: "ask.answered",
  at: 9,
  askId,
  answer: answerOf(kind),
});
const expired = (kind: Kind, askId = 5): TaskEvent => ({
  ...{ type: "ask.expired", at: 9, askId, rule: "deadline" },
  answer: answerOf(kind),
});
const askRow = (ask: string, parts: Partial<ClineMessage> = {}): ClineMessage => ({
  ts: 5,
  type: "ask",
  ask,
  ...parts,
});

/** What the law says where `event` met these rows and changed something, or nothing. */
function met(
  event: TaskEvent,
  rows: readonly ClineMessage[],
  changes: "something" | "nothing",
  from = "waiting",
): string | undefined {
  const log = rows.reduce((sofar, row) => sofar.append(row), emptyLog);
  const after = changes === "something" ? { turn: { ...fresh.turn } } : {};
  return answers.violation(stepOf({ event, from, before: { log }, after }));
}

/** The answer was due: it must change something. */
function expectDue(event: TaskEvent, rows: readonly ClineMessage[], from?: string): void {
  expect(met(event, rows, "something", from)).toBeUndefined();
  expect(met(event, rows, "nothing", from)).toMatch(/ was expected and changed nothing$/);
}

/** The answer was not due: it must change nothing. */
function expectUndue(event: TaskEvent, rows: readonly ClineMessage[], from?: string): void {
  expect(met(event, rows, "nothing", from)).toBeUndefined();
  expect(met(event, rows, "something", from)).toMatch(/ was not expected and was accepted$/);
}

describe.each([
  ["an answer", answered],
  ["an answer by a policy's deadline", expired],
] as const)("%s (L8)", (_, of) => {
  const taken = ASKS.flatMap((ask) => TAKES[ask].map((kind) => [kind, ask] as const));
  const others = ASKS.flatMap((ask) =>
    KINDS.filter((kind) => !TAKES[ask].includes(kind)).map((kind) => [kind, ask] as const),
  );

  it.each(taken)("of the kind %s is taken by an open %s", (kind, ask) => {
    expectDue(of(kind), [askRow(ask)]);
    expectDue(of(kind), [askRow(ask, { partial: false })]);
  });

  it.each(others)("of the kind %s does not fit %s and changes nothing", (kind, ask) => {
    expectUndue(of(kind), [askRow(ask)]);
  });

  it.each(KINDS)("of the kind %s changes nothing where there is no row", (kind) => {
    expectUndue(of(kind), []);
  });

  it("that names a later, an earlier or no row changes nothing", () => {
    const rows = [askRow("tool", { ts: 4, closing: "answered" }), askRow("tool")];
    expectDue(of("yes", 5), rows);
    for (const askId of [0, 4, 6]) expectUndue(of("yes", askId), rows);
  });

  it("to an ask that is not the last message changes nothing", () => {
    expectUndue(of("yes"), [askRow("tool"), { ts: 6, type: "say", say: "text" }]);
  });

  it("to a row that only says changes nothing, even where a foreign one names an ask", () => {
    expectUndue(of("yes"), [{ ts: 5, type: "say", say: "tool" }]);
    expectUndue(of("yes"), [{ ts: 5, type: "say", ask: "tool" }]);
  });

  it("to an ask of a kind that nobody knows, or of none, changes nothing", () => {
    expectUndue(of("yes"), [askRow("payment")]);
    expectUndue(of("yes"), [{ ts: 5, type: "ask" }]);
  });

  it.each(taken)("of the kind %s to a %s that is partial changes nothing", (kind, ask) => {
    expectUndue(of(kind), [askRow(ask, { partial: true })]);
  });

  it.each(CLOSINGS)("to an ask that is %s changes nothing, in whichever state", (closing) => {
    for (const ask of ASKS.filter((one) => one !== "completion_result")) {
      for (const kind of KINDS) {
        expectUndue(of(kind), [askRow(ask, { closing })]);
        expectUndue(of(kind), [askRow(ask, { closing })], "idle.completed");
      }
    }
  });

  it.each(["idle", "idle.completed"])("in words replies to a completion just closed, in %s", (state) => {
    const rows = [askRow("completion_result", { closing: "answered" })];
    expectDue(of("text"), rows, state);
    expectUndue(of("yes"), rows, state);
    expectUndue(of("no"), rows, state);
  });

  it.each(["running.calling", "resumable", "no_task"])(
    "to a completion closed changes nothing in %s",
    (state) => {
      for (const kind of KINDS)
        expectUndue(of(kind), [askRow("completion_result", { closing: "answered" })], state);
    },
  );

  it("to a closed completion changes nothing where it is partial, or not the last row", () => {
    const closed = { closing: "answered" } as const;
    expectUndue(of("text"), [askRow("completion_result", { ...closed, partial: true })], "idle");
    const rows = [askRow("completion_result", closed), { ts: 6, type: "say", say: "text" } as const];
    expectUndue(of("text"), rows, "idle");
  });
});

describe("the law of answers (L8)", () => {
  it("says which answer, to which ask, in which state", () => {
    expect(met(answered("yes"), [askRow("tool")], "nothing")).toBe(
      "the answer yes to 5 in waiting was expected and changed nothing",
    );
    expect(met(answered("no", 4), [askRow("tool")], "something", "idle.failed")).toBe(
      "the answer no to 4 in idle.failed was not expected and was accepted",
    );
  });

  it("sees a change in what was told, also where all looks as before", () => {
    const before = { log: emptyLog.append(askRow("followup")) };
    const told = [{ type: "turn.ended" }] as const;
    expect(answers.violation(stepOf({ event: answered("text"), before, emitted: told }))).toBeUndefined();
    expect(answers.violation(stepOf({ event: answered("yes"), before, emitted: told }))).toMatch(
      /not expected/,
    );
  });

  it.each<TaskEvent>([
    { type: "task.cancel", at: 9 },
    { type: "timer.fired", at: 9, timerId: "5" },
    { type: "queue.removed", at: 9, id: "5" },
  ])("is not about $type, whether or not it changes something", (event) => {
    for (const changes of ["something", "nothing"] as const) {
      expect(met(event, [askRow("tool")], changes)).toBeUndefined();
      expect(met(event, [], changes)).toBeUndefined();
    }
  });
});
