import { describe, expect, it } from "vitest";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { checkpoint } from "../../../verify/laws/checkpoint.ts";
import { approved, callOf, delegated, NAME, running, settled, turnOf } from "./calls.ts";
import { appended, gone, say, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const wants = { checkpoints: true };
const SAVING = [started("checkpoint")];
const OVER = [started("checkpoint"), gone("checkpoint")];
const saved: TaskEvent = { type: "checkpoint.saved", at: 1, callId: "c1", hash: "abc" };
const skipped: TaskEvent = { type: "checkpoint.skipped", at: 1, callId: "c1" };

/** The violation of a macrostep of a task with snapshots. */
const found = (parts: StepParts): string | undefined =>
  checkpoint.violation(stepOf({ ...parts, before: { ...wants, ...parts.before } }));

describe("a call that may change the workspace starts after the snapshot of its turn", () => {
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

  it("a subtask, but not one that continues", () => {
    const after = { turn: turnOf(delegated("c1")) };
    const emitted = [started("subtask:c1")];
    expect(found(starts({ after, emitted }))).toMatch(early);
    expect(found(starts({ after, emitted, before: after, earlier: emitted }))).toBeUndefined();
    const earlier = [started("subtask:c2")];
    expect(found(starts({ after, emitted, before: after, earlier }))).toMatch(early);
  });

  it("whichever of the started calls it is", () => {
    const after = { turn: turnOf(running("c1", "reads"), running("c2")) };
    expect(found(starts({ after, emitted: [started("tool:c1"), started("tool:c2")] }))).toMatch(early);
    expect(found(starts({ after, emitted: [started("tool:c1")] }))).toBeUndefined();
  });

  it("not a call without a known effect", () => {
    expect(found(starts({ after: { turn: turnOf(settled("c1")) } }))).toBeUndefined();
    expect(found(starts({ after: { turn: turnOf(callOf("c1", "deciding")) } }))).toBeUndefined();
  });

  it("not a review", () => {
    const after = { turn: turnOf(approved("c1")) };
    expect(found(starts({ after, emitted: [started("review:c1")] }))).toBeUndefined();
  });

  it.each([saved, skipped])("with the event that ends a pending snapshot ($type)", (event) => {
    const emitted = [appended(say(1, "checkpoint_saved", { text: "abc" })), started("tool:c1")];
    const reported = event === saved ? emitted : emitted.slice(1);
    expect(found(starts({ event, emitted: reported, earlier: SAVING }))).toBeUndefined();
    expect(found(starts({ event, emitted: reported }))).toMatch(early);
    expect(found(starts({ emitted: reported, earlier: SAVING }))).toMatch(early);
  });

  it("at once when snapshots are disabled", () => {
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

  it("and none when snapshots are disabled", () => {
    expect(found({ emitted: SAVING, before: { checkpoints: false } })).toMatch(/with checkpoints disabled$/);
    expect(found({ emitted: [started("llm")], before: { checkpoints: false } })).toBeUndefined();
  });
});

describe("the end of a snapshot is reported", () => {
  const message = (text: string): TaskEmitted => appended(say(1, "checkpoint_saved", { text }));
  const ends = (event: TaskEvent, ...emitted: readonly TaskEmitted[]) =>
    found({ event, emitted: [gone("checkpoint"), ...emitted], earlier: SAVING });

  it("a saved snapshot by one message with its hash", () => {
    expect(ends(saved, message("abc"))).toBeUndefined();
    for (const messages of [
      [],
      [message("other")],
      [message("abc"), message("abc")],
      [appended(say(1, "text"))],
    ])
      expect(ends(saved, ...messages)).toMatch(/^a saved checkpoint has no message$/);
  });

  it("a snapshot that was not saved by no message", () => {
    const untaken = /^a message reports a checkpoint that was not saved$/;
    expect(ends(skipped)).toBeUndefined();
    expect(ends(skipped, message("abc"))).toMatch(untaken);
    expect(
      found({ event: { type: "task.cancel", origin: "user", at: 1 }, emitted: [message("abc")] }),
    ).toMatch(untaken);
  });

  it("a skipped snapshot by a message with the reason, if there is one", () => {
    const event: TaskEvent = { ...skipped, reason: "no space" };
    const reported = (kind: string, text: string, callId: string) => appended(say(1, kind, { text, callId }));
    expect(ends(event, reported("error", "no space", "c1"))).toBeUndefined();
    expect(
      ends(event, reported("error", "other words", "c1"), reported("error", "no space", "c1")),
    ).toBeUndefined();
    for (const messages of [
      [],
      [reported("error", "other words", "c1")],
      [reported("error", "no space", "c2")],
      [reported("text", "no space", "c1")],
    ])
      expect(ends(event, ...messages)).toMatch(/^the reason of a failed checkpoint has no message$/);
  });

  it("but only for a pending snapshot, by an accepted event", () => {
    expect(found({ event: saved, emitted: [gone("timer")], earlier: SAVING })).toMatch(/has no message/);
    expect(found({ event: saved, emitted: [], earlier: SAVING })).toBeUndefined();
    expect(found({ event: saved, emitted: [gone("timer")] })).toBeUndefined();
  });
});
