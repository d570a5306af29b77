import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import type { Phase, ValidReview } from "../../../machines/tool-call/call.ts";
import { callOf, reviewOf, USER } from "./calls.ts";
import { allow, answered, decided, expired, found, reviewed } from "./capability-parts.ts";
import { ask, say, started } from "./commit-parts.ts";

const NOBODY = /^c was decided by .*, which is not entitled$/;

describe("a decision of the user (L7)", () => {
  const asked = ask(5, "tool", { callId: "c" });
  /** The violation of a user's decision about the call of the open ask. */
  const by = (event: TaskEvent, ...messages: readonly ClineMessage[]) =>
    found({ event, messages, calls: [callOf("c", "asking")], emitted: [decided(USER)] });

  it("is the yes to the open ask of this call", () => {
    expect(by(answered(), asked)).toBeUndefined();
    expect(by(answered(), say(4, "text"), asked)).toBeUndefined();
  });

  it.each<[string, readonly ClineMessage[]]>([
    ["another call", [ask(5, "tool", { callId: "d" })]],
    ["no call", [ask(5, "tool")]],
    ["one that still streams", [{ ...asked, partial: true }]],
    ["one that is closed", [{ ...asked, closing: "withdrawn" }]],
    ["one that is closed and streamed", [{ ...asked, partial: false, closing: "answered" }]],
    ["one that is not the last message", [asked, say(6, "text")]],
    ["a say message", [say(5, "tool", { callId: "c" })]],
    ["nothing", []],
  ])("is not a yes to %s", (_, messages) => {
    expect(by(answered(), ...messages)).toMatch(NOBODY);
  });

  it("is not a yes to an earlier ask, a no, or another event", () => {
    expect(by(answered("yes", 4), asked)).toMatch(NOBODY);
    expect(by(answered("no"), asked)).toMatch(NOBODY);
    expect(by(expired("r"), asked)).toBe(
      'c was decided by {"person":true} with ask.expired, which is not entitled',
    );
    expect(by({ type: "task.cancel", origin: "user", at: 9 }, asked)).toMatch(NOBODY);
  });

  it("needs the user's yes even if a rule allows the call", () => {
    const calls = [callOf("c", "decided", { verdict: allow("r") })];
    expect(found({ calls, emitted: [decided({ rule: "r" })] })).toBeUndefined();
    expect(found({ calls, emitted: [decided(USER)] })).toMatch(NOBODY);
  });
});

describe("a rule's decision (L7)", () => {
  const asked = ask(5, "tool", { callId: "c" });
  const by = (rule: string, verdict: ValidReview["verdict"], event?: TaskEvent) =>
    found({
      ...(event !== undefined && { event }),
      ...{ messages: [asked], calls: [callOf("c", "asking", { verdict })], emitted: [decided({ rule })] },
    });

  it("names the rule of the verdict", () => {
    expect(by("r", allow("r"))).toBeUndefined();
    expect(by("s", allow("r"))).toMatch(NOBODY);
    expect(by("s", allow("r"), expired("s"))).toMatch(NOBODY);
  });

  it("names the rule of the deadline that answered yes", () => {
    expect(by("r", { kind: "ask" }, expired("r"))).toBeUndefined();
    expect(by("s", { kind: "ask" }, expired("r"))).toMatch(NOBODY);
    expect(by("r", { kind: "ask" }, expired("r", "no"))).toMatch(NOBODY);
    expect(by("r", { kind: "ask" }, expired("r", "yes", 4))).toMatch(NOBODY);
  });

  it.each<ValidReview["verdict"]>([{ kind: "ask" }, { kind: "deny", rule: "r", reason: "no" }])(
    "requires an allowing verdict, not %j",
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
    "is not about a call that is %s",
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

  it("has the digest of the reviewed arguments", () => {
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

  it("is based on the received review, if it is valid and for this call", () => {
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

  it("is based on the review of the call if there is one", () => {
    const calls = [callOf("c", "decided", allowed)];
    const event = reviewed(reviewOf({ digest: "other" }));
    expect(found({ calls, emitted, event, earlier: [started("review:c")] })).toBeUndefined();
  });
});
