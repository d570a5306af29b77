import { describe, expect, it } from "vitest";
import { type Answer, type AskType, isAskType } from "../../../machines/message/asks.ts";
import { emptyLog } from "../../../machines/message/log.ts";
import type { AskClosing, ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import { answers } from "../../../verify/laws/answers.ts";
import { fresh, stepOf } from "./step.ts";

type Kind = Answer["kind"];

const KINDS: readonly Kind[] = ["yes", "no", "text"];
/** The kinds of answers that each open ask accepts. */
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
const askMessage = (ask: string, parts: Partial<ClineMessage> = {}): ClineMessage => ({
  ts: 5,
  type: "ask",
  ask,
  ...parts,
});

/** The violation of a macrostep in which `event` changed something or nothing in a log of these messages. */
function violationOf(
  event: TaskEvent,
  messages: readonly ClineMessage[],
  changes: "something" | "nothing",
  from = "waiting",
): string | undefined {
  const log = messages.reduce((sofar, message) => sofar.append(message), emptyLog);
  const after = changes === "something" ? { turn: { ...fresh.turn } } : {};
  return answers.violation(stepOf({ event, from, before: { log }, after }));
}

/** Assert that the answer must change something. */
function expectAccepted(event: TaskEvent, messages: readonly ClineMessage[], from?: string): void {
  expect(violationOf(event, messages, "something", from)).toBeUndefined();
  expect(violationOf(event, messages, "nothing", from)).toMatch(/ was expected and changed nothing$/);
}

/** Assert that the answer must change nothing. */
function expectIgnored(event: TaskEvent, messages: readonly ClineMessage[], from?: string): void {
  expect(violationOf(event, messages, "nothing", from)).toBeUndefined();
  expect(violationOf(event, messages, "something", from)).toMatch(/ was not expected and was accepted$/);
}

describe.each([
  ["an answer", answered],
  ["an answer by the deadline of a policy", expired],
] as const)("%s (L8)", (_, of) => {
  const taken = ASKS.flatMap((ask) => TAKES[ask].map((kind) => [kind, ask] as const));
  const others = ASKS.flatMap((ask) =>
    KINDS.filter((kind) => !TAKES[ask].includes(kind)).map((kind) => [kind, ask] as const),
  );

  it.each(taken)("of the kind %s is accepted by an open %s", (kind, ask) => {
    expectAccepted(of(kind), [askMessage(ask)]);
    expectAccepted(of(kind), [askMessage(ask, { partial: false })]);
  });

  it.each(others)("of the kind %s does not fit %s and changes nothing", (kind, ask) => {
    expectIgnored(of(kind), [askMessage(ask)]);
  });

  it.each(KINDS)("of the kind %s changes nothing in an empty log", (kind) => {
    expectIgnored(of(kind), []);
  });

  it("that names a later, an earlier or no message changes nothing", () => {
    const messages = [askMessage("tool", { ts: 4, closing: "answered" }), askMessage("tool")];
    expectAccepted(of("yes", 5), messages);
    for (const askId of [0, 4, 6]) expectIgnored(of("yes", askId), messages);
  });

  it("to an ask that is not the last message changes nothing", () => {
    expectIgnored(of("yes"), [askMessage("tool"), { ts: 6, type: "say", say: "text" }]);
  });

  it("to a say message changes nothing, even if it names an ask", () => {
    expectIgnored(of("yes"), [{ ts: 5, type: "say", say: "tool" }]);
    expectIgnored(of("yes"), [{ ts: 5, type: "say", ask: "tool" }]);
  });

  it("to an ask of an unknown kind or without a kind changes nothing", () => {
    expectIgnored(of("yes"), [askMessage("payment")]);
    expectIgnored(of("yes"), [{ ts: 5, type: "ask" }]);
  });

  it.each(taken)("of the kind %s to a %s that is partial changes nothing", (kind, ask) => {
    expectIgnored(of(kind), [askMessage(ask, { partial: true })]);
  });

  it.each(CLOSINGS)("to an ask that is %s changes nothing in any state", (closing) => {
    for (const ask of ASKS.filter((one) => one !== "completion_result")) {
      for (const kind of KINDS) {
        expectIgnored(of(kind), [askMessage(ask, { closing })]);
        expectIgnored(of(kind), [askMessage(ask, { closing })], "idle.completed");
      }
    }
  });

  it.each(["idle", "idle.completed"])(
    "of the kind text is accepted by a just closed completion in %s",
    (state) => {
      const messages = [askMessage("completion_result", { closing: "answered" })];
      expectAccepted(of("text"), messages, state);
      expectIgnored(of("yes"), messages, state);
      expectIgnored(of("no"), messages, state);
    },
  );

  it.each(["running.calling", "resumable", "no_task"])(
    "to a completion closed changes nothing in %s",
    (state) => {
      for (const kind of KINDS)
        expectIgnored(of(kind), [askMessage("completion_result", { closing: "answered" })], state);
    },
  );

  it("to a closed completion that is partial or not the last message changes nothing", () => {
    const closed = { closing: "answered" } as const;
    expectIgnored(of("text"), [askMessage("completion_result", { ...closed, partial: true })], "idle");
    const messages = [askMessage("completion_result", closed), { ts: 6, type: "say", say: "text" } as const];
    expectIgnored(of("text"), messages, "idle");
  });
});

describe("the law of answers (L8)", () => {
  it("reports the answer, the ask and the state", () => {
    expect(violationOf(answered("yes"), [askMessage("tool")], "nothing")).toBe(
      "the answer yes to 5 in waiting was expected and changed nothing",
    );
    expect(violationOf(answered("no", 4), [askMessage("tool")], "something", "idle.failed")).toBe(
      "the answer no to 4 in idle.failed was not expected and was accepted",
    );
  });

  it("detects a change in the emitted events alone", () => {
    const before = { log: emptyLog.append(askMessage("followup")) };
    const emitted = [{ type: "turn.ended" }] as const;
    expect(answers.violation(stepOf({ event: answered("text"), before, emitted: emitted }))).toBeUndefined();
    expect(answers.violation(stepOf({ event: answered("yes"), before, emitted: emitted }))).toMatch(
      /not expected/,
    );
  });

  it.each<TaskEvent>([
    { type: "task.cancel", origin: "user", at: 9 },
    { type: "timer.fired", at: 9, timerId: "5" },
    { type: "queue.removed", at: 9, id: "5" },
  ])("ignores $type, whether or not it changes something", (event) => {
    for (const changes of ["something", "nothing"] as const) {
      expect(violationOf(event, [askMessage("tool")], changes)).toBeUndefined();
      expect(violationOf(event, [], changes)).toBeUndefined();
    }
  });
});
