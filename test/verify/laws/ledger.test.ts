import { describe, expect, it } from "vitest";
import type { FileWrite } from "../../../machines/tool-call/file-write.ts";
import { ledger as law } from "../../../verify/laws/ledger.ts";
import { callOf, identityOf, outcomeOf, turnOf } from "./calls.ts";
import { type StepParts, stepOf } from "./step.ts";

const WRITES: readonly FileWrite[] = [{ path: "a.txt", before: null, after: "a" }];
const record = (writes?: readonly FileWrite[]): NonNullable<StepParts["emitted"]>[number] => ({
  type: "call.changed",
  call: {
    ...identityOf("c1"),
    phase: "settled",
    outcome: { ...outcomeOf("done"), ...(writes !== undefined && { writes }) },
  },
});

/** The end of a call in this phase, and what is recorded. */
const end = (phase: "running" | "stopped", ...emitted: NonNullable<StepParts["emitted"]>): StepParts => ({
  before: { turn: turnOf(callOf("c1", phase)) },
  event: { type: "tool.finished", at: 1, callId: "c1", content: [], writes: WRITES },
  emitted,
});
const found = (parts: StepParts): string | undefined => law.violation(stepOf(parts));

describe("LEDGER: the write of a call is recorded", () => {
  it("once, with its end", () => {
    expect(found(end("running", record(WRITES)))).toBeUndefined();
    expect(found(end("running", record()))).toMatch(/was written, and \[\] is recorded$/);
    expect(found(end("running", record(WRITES), record(WRITES)))).toMatch(/^\[\["c1",/);
    expect(found(end("running", record([])))).toMatch(/was written, and \[\["c1",\[\]\]\] is recorded$/);
  });

  it("not for a call that was stopped, whose end is recorded by itself, nor by another event", () => {
    expect(found(end("stopped"))).toBeUndefined();
    expect(found(end("stopped", record(WRITES)))).toMatch(/^\[\] was written, and \[\["c1",/);
    expect(
      found({ ...end("running", record(WRITES)), event: { type: "task.cancel", origin: "user", at: 1 } }),
    ).toMatch(/^\[\] was written, and \[\["c1",/);
    expect(
      found({ event: { type: "task.cancel", origin: "user", at: 1 }, emitted: [record()] }),
    ).toBeUndefined();
  });
});
