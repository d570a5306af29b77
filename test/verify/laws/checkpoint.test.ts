import { describe, expect, it } from "vitest";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/index.ts";
import { checkpoint } from "../../../verify/laws/checkpoint.ts";
import { approved, callOf, delegated, NAME, running, settled, turnOf } from "./calls.ts";
import { appended, gone, say, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const wants = { checkpoints: true };
const SAVING = [started("checkpoint")];
const OVER = [started("checkpoint"), gone("checkpoint")];
const saved: TaskEvent = { type: "checkpoint.saved", at: 1, callId: "c1", hash: "abc" };
const skipped: TaskEvent = { type: "checkpoint.skipped", at: 1, callId: "c1" };

/** What the law says of a macrostep of a task that wants snapshots. */
const found = (parts: StepParts): string | undefined =>
  checkpoint.violation(stepOf({ ...parts, before: { ...wants, ...parts.before } }));

describe("a call that may change the workspace starts after its turn's snapshot", () => {
  const early = new RegExp(`^${NAME} started before its turn's checkpoint ended$`);
  const starts = (parts: StepParts = {}): StepParts => ({
    after: { turn: turnOf(running("c1")) },
    emitted: [started("tool:c1")],
    ...parts,
  });

  it.each(["writes", "executes", "delegates"] as const)(
    "a tool that %s, once the snapshot is over",
    (effect) => {
      const after = { turn: turnOf(running("c1", effect)) };
      expect(found(starts({ after }))).toMatch(early);
      expect(found(starts({ after, earlier: OVER }))).toBeUndefined();
    },
  );

  it.each(["reads", "asks", "none"] as const)("but not one whose effect is: %s", (effect) => {
    expect(found(starts({ after: { turn: turnOf(running("c1", effect)) } }))).toBeUndefined();
  });

  it("a subtask; but not one that goes on", () => {
    const after = { turn: turnOf(delegated("c1")) };
    const emitted = [started("subtask:c1")];
    expect(found(starts({ after, emitted }))).toMatch(early);
    expect(found(starts({ after, emitted, before: after, earlier: emitted }))).toBeUndefined();
    const earlier = [started("subtask:c2")];
    expect(found(starts({ after, emitted, before: after, earlier }))).toMatch(early);
  });

  it("whichever of those that start it is", () => {
    const after = { turn: turnOf(running("c1", "reads"), running("c2")) };
    expect(found(starts({ after, emitted: [started("tool:c1"), started("tool:c2")] }))).toMatch(early);
    expect(found(starts({ after, emitted: [started("tool:c1")] }))).toBeUndefined();
  });

  it("not a call of which nothing is known to change", () => {
    expect(found(starts({ after: { turn: turnOf(settled("c1")) } }))).toBeUndefined();
    expect(found(starts({ after: { turn: turnOf(callOf("c1", "deciding")) } }))).toBeUndefined();
  });

  it("looking at it is not starting it", () => {
    const after = { turn: turnOf(approved("c1")) };
    expect(found(starts({ after, emitted: [started("review:c1")] }))).toBeUndefined();
  });

  it.each([saved, skipped])("with the event that ends the snapshot ($type), while one is taken", (event) => {
    const emitted = [appended(say(1, "checkpoint_saved", { text: "abc" })), started("tool:c1")];
    const told = event === saved ? emitted : emitted.slice(1);
    expect(found(starts({ event, emitted: told, earlier: SAVING }))).toBeUndefined();
    expect(found(starts({ event, emitted: told }))).toMatch(early);
    expect(found(starts({ emitted: told, earlier: SAVING }))).toMatch(early);
  });

  it("at once where no snapshots are wanted", () => {
    expect(found(starts({ before: { checkpoints: false } }))).toBeUndefined();
  });
});

describe("a turn has one snapshot", () => {
  const second = /^a second checkpoint started in one turn$/;

  it("not two in one macrostep, nor one while another is taken or after it", () => {
    expect(found({ emitted: SAVING })).toBeUndefined();
    expect(found({ emitted: [...SAVING, ...SAVING] })).toMatch(second);
    expect(found({ emitted: SAVING, earlier: SAVING })).toMatch(second);
    expect(found({ emitted: SAVING, earlier: OVER })).toMatch(second);
  });

  it("and the next turn has its own", () => {
    expect(found({ emitted: SAVING, earlier: [...OVER, started("llm")] })).toBeUndefined();
  });

  it("and none where nobody wants them", () => {
    expect(found({ emitted: SAVING, before: { checkpoints: false } })).toMatch(/with checkpoints disabled$/);
    expect(found({ emitted: [started("llm")], before: { checkpoints: false } })).toBeUndefined();
  });
});

describe("the end of a snapshot is said", () => {
  const row = (text: string): TaskEmitted => appended(say(1, "checkpoint_saved", { text }));
  const ends = (event: TaskEvent, ...emitted: readonly TaskEmitted[]) =>
    found({ event, emitted: [gone("checkpoint"), ...emitted], earlier: SAVING });

  it("one that was taken is one row with its hash", () => {
    expect(ends(saved, row("abc"))).toBeUndefined();
    for (const rows of [[], [row("other")], [row("abc"), row("abc")], [appended(say(1, "text"))]])
      expect(ends(saved, ...rows)).toMatch(/^a saved checkpoint has no message$/);
  });

  it("one that was not taken is no row, whatever happens", () => {
    const untaken = /^a message reports a checkpoint that was not saved$/;
    expect(ends(skipped)).toBeUndefined();
    expect(ends(skipped, row("abc"))).toMatch(untaken);
    expect(found({ event: { type: "task.cancel", at: 1 }, emitted: [row("abc")] })).toMatch(untaken);
  });

  it("why there is none is told in a row about the call, if there is a reason", () => {
    const event: TaskEvent = { ...skipped, reason: "no space" };
    const told = (kind: string, text: string, callId: string) => appended(say(1, kind, { text, callId }));
    expect(ends(event, told("error", "no space", "c1"))).toBeUndefined();
    expect(ends(event, told("error", "other words", "c1"), told("error", "no space", "c1"))).toBeUndefined();
    for (const rows of [
      [],
      [told("error", "other words", "c1")],
      [told("error", "no space", "c2")],
      [told("text", "no space", "c1")],
    ])
      expect(ends(event, ...rows)).toMatch(/^the reason of a failed checkpoint has no message$/);
  });

  it("but only of a snapshot that is taken, by an event that was taken", () => {
    expect(found({ event: saved, emitted: [gone("timer")], earlier: SAVING })).toMatch(/has no message/);
    expect(found({ event: saved, emitted: [], earlier: SAVING })).toBeUndefined();
    expect(found({ event: saved, emitted: [gone("timer")] })).toBeUndefined();
  });
});
