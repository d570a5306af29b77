import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/index.ts";
import type { TaskEvent } from "../../../machines/task/index.ts";
import type { Phase, ValidReview } from "../../../machines/tool-call/index.ts";
import { callOf, PERSON, reviewOf } from "./calls.ts";
import { allow, answered, decided, expired, found, reviewed } from "./capability-parts.ts";
import { ask, say, started } from "./commit-parts.ts";

const NOBODY = /^c was decided by .*, which is not entitled$/;

describe("a person's decision (L7)", () => {
  const asked = ask(5, "tool", { callId: "c" });
  /** What the law says of a person's decision for the call that is asked about. */
  const by = (event: TaskEvent, ...rows: readonly ClineMessage[]) =>
    found({ event, rows, calls: [callOf("c", "asking")], emitted: [decided(PERSON)] });

  it("is the yes to the open ask of this very call", () => {
    expect(by(answered(), asked)).toBeUndefined();
    expect(by(answered(), say(4, "text"), asked)).toBeUndefined();
  });

  it.each<[string, readonly ClineMessage[]]>([
    ["another call", [ask(5, "tool", { callId: "d" })]],
    ["no call", [ask(5, "tool")]],
    ["one that still streams", [{ ...asked, partial: true }]],
    ["one that is closed", [{ ...asked, closing: "withdrawn" }]],
    ["one that is closed and streamed", [{ ...asked, partial: false, closing: "answered" }]],
    ["one behind which something stands", [asked, say(6, "text")]],
    ["a row that asks nothing", [say(5, "tool", { callId: "c" })]],
    ["nothing", []],
  ])("is no yes to %s", (_, rows) => {
    expect(by(answered(), ...rows)).toMatch(NOBODY);
  });

  it("is no yes to the ask of another time, no no, and nothing that comes by itself", () => {
    expect(by(answered("yes", 4), asked)).toMatch(NOBODY);
    expect(by(answered("no"), asked)).toMatch(NOBODY);
    expect(by(expired("r"), asked)).toBe(
      'c was decided by {"person":true} with ask.expired, which is not entitled',
    );
    expect(by({ type: "task.cancel", at: 9 }, asked)).toMatch(NOBODY);
  });

  it("is needed also where a rule would allow the call, if a person is named", () => {
    const calls = [callOf("c", "decided", { verdict: allow("r") })];
    expect(found({ calls, emitted: [decided({ rule: "r" })] })).toBeUndefined();
    expect(found({ calls, emitted: [decided(PERSON)] })).toMatch(NOBODY);
  });
});

describe("a rule's decision (L7)", () => {
  const asked = ask(5, "tool", { callId: "c" });
  const by = (rule: string, verdict: ValidReview["verdict"], event?: TaskEvent) =>
    found({
      ...(event !== undefined && { event }),
      ...{ rows: [asked], calls: [callOf("c", "asking", { verdict })], emitted: [decided({ rule })] },
    });

  it("is that of the verdict, by its name", () => {
    expect(by("r", allow("r"))).toBeUndefined();
    expect(by("s", allow("r"))).toMatch(NOBODY);
    expect(by("s", allow("r"), expired("s"))).toMatch(NOBODY);
  });

  it("is that of the deadline that said yes for nobody, by its name", () => {
    expect(by("r", { kind: "ask" }, expired("r"))).toBeUndefined();
    expect(by("s", { kind: "ask" }, expired("r"))).toMatch(NOBODY);
    expect(by("r", { kind: "ask" }, expired("r", "no"))).toMatch(NOBODY);
    expect(by("r", { kind: "ask" }, expired("r", "yes", 4))).toMatch(NOBODY);
  });

  it.each<ValidReview["verdict"]>([{ kind: "ask" }, { kind: "deny", rule: "r", reason: "no" }])(
    "is none where the verdict is %j",
    (verdict) => {
      expect(by("r", verdict)).toMatch(NOBODY);
      expect(by("r", verdict, answered())).toMatch(NOBODY);
    },
  );
});

describe("a decision (L7)", () => {
  const RULE = { rule: "r" };
  const allowed = { verdict: allow("r") };
  const emitted = [decided(RULE)];

  it.each<Phase>(["decided", "asking"])("is about a call of the turn that is %s", (phase) => {
    expect(found({ calls: [callOf("c", phase, allowed)], emitted })).toBeUndefined();
    expect(found({ calls: [callOf("d", phase, allowed)], emitted })).toBe(
      "c was decided and is no call of the turn",
    );
  });

  it.each<Phase>(["planned", "deciding", "running", "stopped", "delegated", "settled"])(
    "is about no call that is %s",
    (phase) => {
      expect(found({ calls: [callOf("c", phase, allowed)], emitted })).toBe(
        `c was decided while it was ${phase}`,
      );
    },
  );

  it("is made once for a call", () => {
    expect(found({ calls: [callOf("c", "approved", allowed)], emitted })).toBe("c was decided twice");
    const calls = [callOf("c", "decided", allowed), callOf("d", "decided", allowed)];
    expect(found({ calls, emitted: [decided(RULE), decided(RULE, "d")] })).toBeUndefined();
    expect(found({ calls, emitted: [decided(RULE), decided(RULE, "d"), decided(RULE)] })).toBe(
      "c was decided twice",
    );
  });

  it("is bound to the arguments that were looked at", () => {
    const bound = (digest: string) =>
      found({ calls: [callOf("c", "decided", allowed)], emitted: [decided(RULE, "c", digest)] });
    expect(bound("digest")).toBeUndefined();
    expect(bound("other")).toBe("the decision for c is bound to other arguments");
  });

  it.each(["followup", "completion_result"] as const)("permits no %s", (kind) => {
    expect(
      found({ calls: [callOf("c", "decided", { ...allowed, ask: "command" })], emitted }),
    ).toBeUndefined();
    expect(found({ calls: [callOf("c", "decided", { ...allowed, ask: kind })], emitted })).toBe(
      `c is a ${kind}, which needs no decision`,
    );
  });

  it("rests on the review that comes with it, if the call's own reviewer sent it and it is valid", () => {
    const calls = [callOf("c", "deciding")];
    const earlier = [started("review:c")];
    const early = "c was decided while it was deciding";
    expect(found({ calls, emitted, earlier, event: reviewed() })).toBeUndefined();
    expect(found({ calls, emitted, event: reviewed() })).toBe(early);
    expect(found({ calls, emitted, earlier: [started("review:d")], event: reviewed() })).toBe(early);
    expect(found({ calls, emitted, earlier, event: reviewed(undefined, "d") })).toBe(early);
    const invalid = {
      type: "call.reviewed",
      at: 9,
      callId: "c",
      review: { valid: false, error: "?" },
    } as const;
    expect(found({ calls, emitted, earlier, event: invalid })).toBe(early);
    expect(
      found({ calls, emitted, earlier, event: { type: "tool.finished", at: 9, callId: "c", content: [] } }),
    ).toBe(early);
    expect(
      found({ calls, emitted, earlier, event: reviewed(reviewOf({ ...allowed, digest: "other" })) }),
    ).toMatch("bound to other arguments");
    expect(found({ calls, emitted, earlier, event: reviewed(reviewOf()) })).toMatch(NOBODY);
  });

  it("rests on the call's own review where it has one, whatever comes", () => {
    const calls = [callOf("c", "decided", allowed)];
    const event = reviewed(reviewOf({ digest: "other" }));
    expect(found({ calls, emitted, event, earlier: [started("review:c")] })).toBeUndefined();
  });
});
