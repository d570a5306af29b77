import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import type { PermissionMode } from "../../../machines/tool-call/permissions.ts";
import { type CallSpec, Scenario } from "../../support/scenario.ts";
import { question, read, write } from "../../support/scenarios/setups.ts";

const callIn = ({ run }: Scenario): ToolCall | undefined => run.view.context.turn.calls[0];
const texts = ({ run }: Scenario): readonly (string | null | undefined)[] =>
  run.view.context.log.toArray().map(({ text }) => text);
const changed = (mode: PermissionMode) => ({ type: "permissions.changed", mode }) as const;
const switched = { type: "mode.switched", mode: "ask" } as const;

/** A call about which a person is asked. */
const asked = (call: CallSpec = write) => new Scenario().begun().calls(call).finishes();

describe("a change of the permissions (GATE)", () => {
  it.each([
    ["by the policy", { type: "permissions.changed" }],
    ["with the mode", switched],
  ] as const)("%s: an open ask is withdrawn, and its call judged again", (_, event) => {
    const scenario = asked().send(event);
    expect(scenario.messages.slice(-2)).toEqual(["ask:tool", "say:permissions_changed"]);
    expect(scenario.state).toBe("running.calling");
    expect(callIn(scenario)?.phase).toBe("deciding");
    scenario.reviewed(write);
    expect(scenario.state).toBe("waiting_for_input.approval");
    expect(scenario.run.violations).toEqual([]);
  });

  it.each([
    ["that permits more", changed("bypass")],
    ["with more rules", { type: "permissions.changed", rules: [{ level: "allow", rule: "edit(a)" }] }],
  ] as const)("a change %s while a call is asked about is held until the answer", (_, event) => {
    const scenario = asked().send(event);
    expect(scenario.state).toBe("waiting_for_input.approval");
    expect(scenario.messages.at(-1)).toBe("ask:tool");
    const { type: __, ...held } = event;
    expect(scenario.run.view.context.permissions).toMatchObject({
      revision: 0,
      mode: "ask",
      rules: [],
      held,
    });
    expect(scenario.run.view.recorded.facts.permissions?.held).toEqual(held);
    scenario.answers("yes");
    expect(scenario.run.view.context.permissions).toEqual({ revision: 1, mode: "ask", rules: [], ...held });
    expect(callIn(scenario)).toMatchObject({ phase: "running", decision: { by: { person: true } } });
    expect(scenario.run.violations).toEqual([]);
  });

  it("a held change applies with any end of the ask: a no, a cancel, a stricter change, the end of the process", () => {
    const held = () => asked().send(changed("bypass"));
    const modeOf = ({ run }: Scenario) => run.view.context.permissions;
    expect(modeOf(held().answers("no"))).toEqual({ revision: 1, mode: "bypass", rules: [] });
    expect(modeOf(held().send({ type: "task.cancel", origin: "user" }))).toEqual({
      revision: 1,
      mode: "bypass",
      rules: [],
    });
    expect(modeOf(held().send(changed("plan")))).toEqual({ revision: 1, mode: "plan", rules: [] });
    expect(modeOf(held().send(switched))).toMatchObject({ mode: "bypass" });
    const crashed = held().crashes();
    expect(modeOf(crashed)).toEqual({ revision: 1, mode: "bypass", rules: [] });
    expect(crashed.run.violations).toEqual([]);
  });

  it("a rule that denies applies at once, together with what it permits more, and answers no ask", () => {
    const rules = [{ level: "deny", rule: "edit(b)" }] as const;
    const scenario = asked().send({ type: "permissions.changed", mode: "bypass", rules });
    expect(callIn(scenario)?.phase).toBe("deciding");
    expect(scenario.run.view.context.permissions).toEqual({ revision: 1, mode: "bypass", rules });
    scenario.reviewed({ ...write, verdict: "allow" });
    expect(scenario.state).toBe("waiting_for_input.approval");
    expect(scenario.run.violations).toEqual([]);
  });

  it("a call that was asked about starts only with an answer, however often what is permitted changes", () => {
    const scenario = asked().send(switched).send(changed("bypass"));
    scenario.reviewed({ ...write, verdict: "allow" }).reviewed({ ...write, verdict: "allow" });
    expect(scenario.state).toBe("waiting_for_input.approval");
    scenario.send(changed("auto")).reviewed({ ...write, verdict: "allow" });
    expect(scenario.state).toBe("waiting_for_input.approval");
    scenario.answers("yes");
    expect(callIn(scenario)).toMatchObject({ phase: "running", decision: { by: { person: true } } });
    expect(scenario.run.violations).toEqual([]);
  });

  it("a verdict of an earlier revision is not used, and the call is reviewed again", () => {
    const scenario = new Scenario().begun().callsBeforeReview({ ...write, verdict: "allow" });
    const stale = { type: "call.reviewed", callId: callIn(scenario)?.callId ?? "" } as const;
    const review = { valid: true, digest: "d", effect: "writes", replayable: false, text: "" } as const;
    const verdict = { kind: "allow", rule: "r" } as const;
    scenario.send(changed("ask")).send({ ...stale, review: { ...review, revision: 0, verdict } });
    expect(callIn(scenario)?.phase).toBe("deciding");
    expect(scenario.run.violations).toEqual([]);
  });

  it("an allowed call that waits for its turn is judged again before it starts", () => {
    const scenario = new Scenario()
      .begun()
      .calls({ ...write, verdict: "allow" })
      .send(changed("ask"))
      .finishes();
    expect(callIn(scenario)?.phase).toBe("deciding");
    expect(scenario.state).toBe("streaming.finishing");
    scenario.reviewed({ ...write, verdict: "deny" });
    expect(callIn(scenario)).toMatchObject({ phase: "settled", outcome: { kind: "denied" } });
    expect(scenario.run.violations).toEqual([]);
  });

  it("an approved call that waits for a snapshot is judged again, and its feedback goes with the next request", () => {
    const scenario = new Scenario({ checkpoints: true }).begun().calls(write).finishes();
    scenario.answers("yes", "carefully");
    expect(scenario.state).toBe("running.checkpointing");
    const callId = callIn(scenario)?.callId ?? "";
    scenario.send(changed("ask")).send({ type: "checkpoint.saved", callId, hash: "h" });
    expect(callIn(scenario)?.phase).toBe("deciding");
    expect(JSON.stringify(scenario.run.view.context.pending)).toContain("carefully");
    scenario.reviewed({ ...write, verdict: "allow" });
    expect(callIn(scenario)?.phase).toBe("running");
    expect(scenario.run.violations).toEqual([]);
  });

  it("an open question stays", () => {
    const scenario = asked(question).send(changed("plan"));
    expect(scenario.state).toBe("waiting_for_input.answer");
    expect(scenario.run.violations).toEqual([]);
  });

  it("a call that is reviewed again is not a repetition (L14)", () => {
    const scenario = new Scenario({ limits: { repetitions: 1 } }).begun().calls(write).finishes();
    for (let times = 0; times < 4; times += 1) scenario.send(changed("ask")).reviewed(write);
    expect(scenario.state).toBe("waiting_for_input.approval");
    expect(scenario.run.view.context.counters.repeated.times).toBe(1);
  });
});

describe("the permission state of a task", () => {
  it("changes in the mode or in the rules; the other stays, and both are recorded", () => {
    const rules = [{ level: "allow", rule: "edit(a)" }] as const;
    const { run } = new Scenario()
      .begun()
      .send({ type: "permissions.changed", mode: "auto" })
      .send({ type: "permissions.changed", rules });
    expect(run.view.context.permissions).toEqual({ revision: 2, mode: "auto", rules });
    expect(run.view.recorded.facts.permissions).toEqual({ revision: 2, mode: "auto", rules });
  });

  it("is recorded with the start of a task that names it, and else by its first change only", () => {
    const recorded = ({ run }: Scenario) => run.view.recorded.facts.permissions;
    expect(recorded(new Scenario({ permissions: { mode: "plan" } }).begun())).toEqual({
      revision: 0,
      mode: "plan",
      rules: [],
    });
    expect(recorded(new Scenario().begun())).toBeUndefined();
  });
});

describe("a yes with a rule", () => {
  it("adds the rule to the rules of the session, and the call runs by the person's decision", () => {
    const scenario = asked().gives({ kind: "yes", rule: "edit(a)" });
    expect(callIn(scenario)).toMatchObject({ phase: "running", decision: { by: { person: true } } });
    expect(scenario.run.view.context.permissions).toEqual({
      revision: 1,
      mode: "ask",
      rules: [{ level: "allow", rule: "edit(a)" }],
    });
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("an answer with a mode", () => {
  it("switches the mode in its macrostep", () => {
    const scenario = asked(question).gives({ kind: "text", text: "Plan first.", mode: "architect" });
    expect(scenario.run.view.context.mode).toBe("architect");
    expect(scenario.run.view.recorded.facts.mode).toBe("architect");
  });
});

describe("a call that switches the mode", () => {
  const switchMode: CallSpec = { name: "switch_mode", effect: "none", switchesTo: "ask" };

  it("has no actor: the machine switches, and its result says so", () => {
    const scenario = asked(switchMode).answers("yes");
    expect(scenario.run.view.context.mode).toBe("ask");
    expect([...scenario.run.view.activeActors]).toEqual(["context"]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("stays in the mode if a person rejects it", () => {
    expect(asked(switchMode).answers("no").run.view.context.mode).toBe("code");
  });

  it("makes the later calls of its response be judged by the new mode", () => {
    const scenario = new Scenario()
      .begun()
      .calls({ ...switchMode, verdict: "allow" })
      .calls(write)
      .finishes();
    expect(scenario.run.view.context.mode).toBe("ask");
    expect(scenario.run.view.context.turn.calls.map(({ phase }) => phase)).toEqual(["settled", "deciding"]);
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("in permission mode plan (PLAN)", () => {
  it("a call that changes something is denied, whatever the policy allows", () => {
    const scenario = new Scenario({ permissions: { mode: "plan" } }).begun();
    scenario.calls({ ...write, verdict: "allow" }).finishes();
    expect(callIn(scenario)).toMatchObject({ phase: "settled", outcome: { kind: "denied" } });
    expect(texts(scenario).join()).toContain('denied by the rule "mode plan"');
    expect(texts(scenario).join()).toContain("only reading is permitted now. Plan, and ask the user.");
    expect(scenario.run.violations).toEqual([]);
  });

  it.each([
    ["reads", read],
    ["has no effect", { ...read, effect: "none" } satisfies CallSpec],
  ])("a call that %s runs", (_, call) => {
    const scenario = new Scenario({ permissions: { mode: "plan" } }).begun().calls(call).finishes();
    expect(callIn(scenario)?.phase).toBe("running");
  });
});

describe("in permission mode bypass", () => {
  const bypass = () => new Scenario({ permissions: { mode: "bypass" } }).begun();

  it("nobody is asked about a call", () => {
    expect(callIn(bypass().calls(write).finishes())).toMatchObject({
      phase: "running",
      decision: { by: { rule: "mode bypass" } },
    });
  });

  it("what a rule allows is allowed by that rule", () => {
    const scenario = bypass()
      .calls({ ...write, verdict: "allow" })
      .finishes();
    expect(callIn(scenario)).toMatchObject({ phase: "running", decision: { by: { rule: "reads-inside" } } });
  });

  it("a denial holds, also of a question, and other questions go to a person", () => {
    expect(
      bypass()
        .calls({ ...question, verdict: "deny" })
        .finishes().state,
    ).not.toBe("waiting_for_input.answer");
    expect(
      texts(
        bypass()
          .calls({ ...write, verdict: "deny" })
          .finishes(),
      ).join(),
    ).toContain("no-network");
    expect(bypass().calls(question).finishes().state).toBe("waiting_for_input.answer");
  });
});

describe("the message of a call names", () => {
  const reasons = ({ run }: Scenario) => run.view.context.log.toArray().flatMap(({ reason }) => reason ?? []);

  it("the rule that allowed it", () => {
    expect(
      reasons(
        new Scenario()
          .begun()
          .calls({ ...write, verdict: "allow" })
          .finishes(),
      ),
    ).toEqual(["reads-inside"]);
  });

  it("why a person is asked", () => {
    const because = "no rule allows it";
    expect(reasons(asked({ ...write, because }))).toEqual([because]);
  });
});
