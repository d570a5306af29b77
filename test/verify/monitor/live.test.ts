import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import {
  applyConversationEvent,
  type ConversationEvent,
  emptyConversation,
} from "../../../machines/conversation/conversation.ts";
import { applyLogEvent, emptyLog, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import { messageLaws } from "../../../verify/index.ts";
import type { RecordedCommit } from "../../../verify/monitor/commits.ts";
import { recordedRun } from "./recordings.ts";

type Macrostep = Parameters<ReturnType<typeof messageLaws>>[0];

const NOWHERE: Macrostep = { state: "no_task", log: emptyLog, conversation: emptyConversation, emitted: [] };

/** The macrostep of each commit. */
function stepsOf(commits: readonly RecordedCommit[]): readonly Macrostep[] {
  let now = NOWHERE;
  return commits.map((commit) => {
    const { log = [], conversation = [], effects = [], after = now.state } = commit;
    now = {
      state: after,
      log: log.reduce(applyLogEvent, now.log),
      conversation: conversation.reduce(applyConversationEvent, now.conversation),
      emitted: [...log, ...conversation, ...effects] satisfies readonly TaskEmitted[],
    };
    return now;
  });
}

const ask: ClineMessage = { ts: 1, type: "ask", ask: "tool", text: "{}" };
const message: ClineMessage = { ts: 2, type: "say", say: "text", text: "late" };
const appended = (message: ClineMessage): LogEvent => ({ type: "message.appended", message });

describe("the laws of messages for a running task", () => {
  it("hold in every macrostep of the shipped machine, from any first macrostep (L1-L6, L8)", () => {
    fc.assert(
      fc.property(recordedRun, fc.nat(), ({ commits }, place) => {
        const steps = stepsOf(commits);
        const begun = place % steps.length;
        const check = messageLaws(steps[begun] ?? NOWHERE);
        expect(steps.slice(begun + 1).map(check)).toEqual(steps.slice(begun + 1).map(() => undefined));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it("report the broken law and its reason once; earlier violations are not reported", () => {
    const asking: Macrostep = {
      ...NOWHERE,
      state: "waiting_for_input.approval",
      log: emptyLog.append(ask),
      emitted: [appended(ask)],
    };
    const late: Macrostep = {
      ...asking,
      state: "running.settling",
      log: asking.log.append(message),
      emitted: [appended(message)],
    };
    const check = messageLaws(asking);
    expect(check(late)).toEqual({
      law: "L8",
      reason: "expected nothing is appended after an open ask; came say:text after ask:tool (1)",
    });
    expect(check({ ...late, emitted: [] })).toBeUndefined();
    expect(messageLaws(late)({ ...late, emitted: [] })).toBeUndefined();
  });

  it("check the extension of an entry when it is sent (L6)", () => {
    const go: ConversationEvent = {
      type: "entry.appended",
      entry: { role: "user", content: [textBlock("go")] },
    };
    const orphan: ConversationEvent = {
      type: "entry.extended",
      content: [{ type: "tool_result", tool_use_id: "nobody", content: [textBlock("done")] }],
    };
    const sends: TaskEmitted = { type: "effect.started", effect: "llm", id: "llm" };
    const violationOf = (...events: readonly ConversationEvent[]) =>
      messageLaws(NOWHERE)({
        ...NOWHERE,
        conversation: events.reduce(applyConversationEvent, emptyConversation),
        emitted: [...events, sends],
      });
    expect(violationOf(go)).toBeUndefined();
    expect(violationOf(go, orphan)).toMatchObject({ law: "L6", reason: expect.stringContaining("nobody") });
  });

  it("report a message in the log that was never emitted (L2)", () => {
    const check = messageLaws(NOWHERE);
    const step = { ...NOWHERE, state: "running.starting", log: emptyLog.append(message), emitted: [] };
    expect(check({ ...step, state: "no_task" })).toMatchObject({ law: "L2" });
  });
});
