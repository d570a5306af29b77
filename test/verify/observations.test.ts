import { describe, expect, it } from "vitest";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import { NO_OBSERVATIONS, type Observations, observationsAfter } from "../../verify/observations.ts";
import { decisionOf, delegated, running, turnOf } from "./laws/calls.ts";
import { appended, gone, say, started } from "./laws/commit-parts.ts";
import { fresh } from "./laws/step.ts";

const decided = (callId: string): TaskEmitted => ({
  type: "decision.made",
  decision: decisionOf(callId),
});

/** The view after these emitted events. */
const lived = (...emitted: readonly TaskEmitted[]): Observations =>
  observationsAfter(NO_OBSERVATIONS, emitted, {
    ...fresh,
    turn: turnOf(delegated("c1", "t1.1"), running("c2")),
  });
const but = (parts: Partial<Observations>): Observations => ({ ...NO_OBSERVATIONS, ...parts });

describe("the observations of a path", () => {
  it("are empty at first, and ignore other events", () => {
    expect(lived()).toEqual(NO_OBSERVATIONS);
    expect(lived({ type: "turn.ended" }, started("timer"), gone("timer"), gone("tool:c1"))).toEqual(
      NO_OBSERVATIONS,
    );
  });

  it("include the newest message as it was appended", () => {
    const [first, last] = [say(1, "text"), say(2, "text")];
    expect(lived(appended(first), appended(last))).toEqual(but({ appended: last }));
    const amended: TaskEmitted = { type: "message.amended", ts: 2, patch: { text: "more" } };
    expect(lived(appended(last), amended)).toEqual(but({ appended: last }));
  });

  it("include the subtasks whose end was reported, by call", () => {
    const message = say(1, "subtask_result", { callId: "c1" });
    expect(lived(appended(message))).toEqual(but({ appended: message, reported: new Set(["c1"]) }));
    const [nobodys, other] = [say(1, "subtask_result"), say(1, "text", { callId: "c1" })];
    expect(lived(appended(nobodys))).toEqual(but({ appended: nobodys }));
    expect(lived(appended(other))).toEqual(but({ appended: other }));
  });

  it("include the decided calls and the started tools", () => {
    expect(lived(decided("c1"), decided("c2"))).toEqual(but({ decided: new Set(["c1", "c2"]) }));
    expect(lived(started("tool:c1"), started("review:c2"))).toEqual(but({ tools: new Set(["tool:c1"]) }));
  });

  it("include the subtask of a call, if there is one", () => {
    expect(lived(started("subtask:c1"))).toEqual(but({ children: new Map([["c1", "t1.1"]]) }));
    expect(lived(started("subtask:c2"))).toEqual(but({ children: new Map([["c2", ""]]) }));
    expect(lived(started("subtask:c3"))).toEqual(but({ children: new Map([["c3", ""]]) }));
  });

  it("include the snapshot of the turn, until the next request is sent", () => {
    expect(lived(started("checkpoint"))).toEqual(but({ checkpoint: "saving" }));
    expect(lived(started("checkpoint"), gone("checkpoint"))).toEqual(but({ checkpoint: "over" }));
    expect(lived(started("checkpoint"), gone("checkpoint"), started("llm"))).toEqual(NO_OBSERVATIONS);
    expect(lived(started("llm"))).toEqual(NO_OBSERVATIONS);
  });
});
