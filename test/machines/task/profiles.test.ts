import { describe, expect, it } from "vitest";
import { selectedModel, selectedProfile } from "../../../machines/task/profile.ts";
import type { TaskInput, TaskProfiles } from "../../../machines/task/task.context.ts";
import type { ModelRef } from "../../../machines/task/task.events.ts";
import { Scenario } from "../../support/scenario.ts";

const standard: ModelRef = { provider: "anthropic", id: "opus", contextWindow: 200_000 };
const fast: ModelRef = { provider: "proxy", id: "haiku", contextWindow: 50_000 };
const wise: ModelRef = { provider: "elsewhere", id: "sage" };
const profiles: TaskProfiles = {
  standard: "default",
  models: { fast, wise },
  byMode: { architect: "wise", debug: "default" },
};
const INPUT = { model: standard, profiles } as const;

const selects = (name: string) => ({ type: "profile.selected", name }) as const;
const switches = (mode: string) => ({ type: "mode.switched", mode }) as const;
const profileOf = ({ run }: Scenario): string => selectedProfile(run.view.context);
const recorded = ({ run }: Scenario) => run.view.recorded.facts;
const messagesOf = ({ run }: Scenario) =>
  run.view.context.log.toArray().flatMap(({ say, text }) => (say === "error" ? [text] : []));
const begun = (input: Partial<TaskInput> = {}) => new Scenario({ ...INPUT, ...input }).begun();

describe("the user selects a profile", () => {
  it("for the next request; the open one keeps its model", () => {
    const scenario = begun().says("Hm.").send(selects("fast"));
    expect(profileOf(scenario)).toBe("fast");
    expect(scenario.run.view.context.requestModel).toEqual({ profile: null, model: standard });
    scenario.finishes("end_turn");
    expect(scenario.run.view.context.conversation.at(-1)).toMatchObject({
      model: { provider: "anthropic", id: "opus" },
    });
    expect(scenario.run.view.context.requestModel).toEqual({ profile: "fast", model: fast });
    expect(recorded(scenario).model).toEqual(fast);
    expect(messagesOf(scenario)).toContain("The model changed from opus (anthropic) to haiku (proxy).");
    scenario.prepared();
    scenario.says("So.").finishes("end_turn");
    expect(scenario.run.view.context.conversation.at(-1)).toMatchObject({ model: { provider: "proxy" } });
    expect(scenario.run.violations).toEqual([]);
  });

  it("and it is a durable fact with the standard model, which no later request may have used", () => {
    const scenario = begun().send(selects("fast"));
    expect(recorded(scenario).profile).toEqual({ name: "fast", chosen: "fast", standard });
    scenario.send(selects("default"));
    expect(recorded(scenario).profile).toEqual({ name: null, chosen: null, standard });
  });

  it("but an unknown one changes nothing", () => {
    const scenario = begun().send(selects("gone")).send(selects("constructor"));
    expect(profileOf(scenario)).toBe("default");
    expect(recorded(scenario).profile).toBeUndefined();
  });
});

describe("a subtask whose parent's call names a profile", () => {
  const named = (namedProfile: string) => begun({ mode: "architect", chosenProfile: "fast", namedProfile });

  it("has it in place of the profile of its mode, and in each mode without one", () => {
    const scenario = begun({ mode: "architect", namedProfile: "fast" });
    expect(recorded(scenario).profile).toEqual({ name: "fast", chosen: "fast", standard });
    expect(scenario.run.view.context.requestModel).toEqual({ profile: "fast", model: fast });
    expect(profileOf(scenario.send(switches("code")))).toBe("fast");
    expect(profileOf(scenario.send(switches("architect")))).toBe("wise");
  });

  it("has the standard model, if that is named", () => {
    expect(profileOf(named("default"))).toBe("default");
    expect(profileOf(begun({ mode: "architect", chosenProfile: "fast" }))).toBe("wise");
  });
});

describe("a mode selects its profile in the macrostep that selects the mode", () => {
  it("and a mode without one is back at the standard model", () => {
    const scenario = begun().send(switches("architect"));
    expect(recorded(scenario)).toMatchObject({ mode: "architect", profile: { name: "wise", chosen: null } });
    scenario.send(switches("code"));
    expect(recorded(scenario)).toMatchObject({ mode: "code", profile: { name: null, chosen: null } });
    expect(scenario.run.violations).toEqual([]);
  });

  it("or at the profile that the user selected last; a mode with one takes precedence", () => {
    const scenario = begun().send(selects("fast"));
    const after = (mode: string) => profileOf(scenario.send(switches(mode)));
    expect(["architect", "code", "debug", "ask"].map(after)).toEqual(["wise", "fast", "default", "fast"]);
    expect(profileOf(scenario.send(switches("architect")).send(selects("default")))).toBe("default");
    expect(profileOf(scenario.send(switches("code")))).toBe("default");
    expect(scenario.run.violations).toEqual([]);
  });

  it("also by a call, and with an answer that names the mode", () => {
    const called = begun()
      .calls({ name: "switch_mode", effect: "none", verdict: "allow", switchesTo: "architect" })
      .finishes();
    expect(called.run.view.context.requestModel?.profile).toBe("wise");
    const asked = begun().calls({ name: "ask", ask: "followup", effect: "asks" }).finishes();
    const askId = asked.run.view.context.ask?.id ?? 0;
    const answer = { kind: "text", text: "plan", mode: "architect" } as const;
    asked.send({ type: "ask.answered", askId, answer });
    expect(asked.run.view.context.requestModel?.profile).toBe("wise");
    expect([...called.run.violations, ...asked.run.violations]).toEqual([]);
  });

  it("and a new task begins with the profile of its mode", () => {
    const scenario = begun({ mode: "architect" });
    expect(recorded(scenario)).toMatchObject({ model: wise, profile: { name: "wise", standard } });
    expect(profileOf(begun({ chosenProfile: "fast" }))).toBe("fast");
    expect(profileOf(begun({ chosenProfile: "fast", mode: "debug" }))).toBe("default");
  });

  it("and a subtask gets what the user selected, not what the mode did", () => {
    const delegates = { name: "new_task", effect: "delegates", verdict: "allow" } as const;
    const started = (scenario: Scenario): unknown => {
      const input: unknown = Object.values(scenario.run.actor.getSnapshot().children)
        .map((child) => child?.getSnapshot())
        .flatMap((snapshot) => (snapshot !== undefined && "input" in snapshot ? [snapshot.input] : []))
        .find((given) => typeof given === "object" && given !== null && "childId" in given);
      return input;
    };
    const byMode = begun({ mode: "architect" }).calls(delegates).finishes();
    expect(started(byMode)).not.toHaveProperty("chosenProfile");
    const byUser = begun({ mode: "architect" }).send(selects("fast")).calls(delegates).finishes();
    expect(started(byUser)).toMatchObject({ chosenProfile: "fast" });
  });
});

describe("after a crash", () => {
  it("the recorded profile is in use, and no mode of the options replaces it", () => {
    const scenario = begun().send(selects("fast")).crashes({}, INPUT);
    expect(profileOf(scenario)).toBe("fast");
    expect(messagesOf(scenario)).toEqual([]);
    scenario.answers("yes");
    expect(scenario.run.view.context.requestModel).toEqual({ profile: "fast", model: fast });
    const standardOne = begun().crashes(
      {},
      { ...INPUT, profiles: { ...profiles, byMode: { code: "wise" } } },
    );
    expect(profileOf(standardOne)).toBe("default");
    expect([...scenario.run.violations, ...standardOne.run.violations]).toEqual([]);
  });

  it("the standard model replaces a profile that the task no longer has, and a message says so", () => {
    const input = { model: standard, profiles: { ...profiles, models: { wise } } };
    const scenario = begun().send(selects("fast")).crashes({}, input);
    expect(profileOf(scenario)).toBe("default");
    expect(selectedModel(scenario.run.view.context)).toEqual(standard);
    const TEXT = "The profile fast no longer exists: the standard model, opus (anthropic), replaces it.";
    expect(messagesOf(scenario)).toEqual([TEXT]);
    expect(recorded(scenario).profile).toEqual({ name: null, chosen: null, standard });
    scenario.answers("yes");
    expect(recorded(scenario).model).toEqual(standard);
  });

  it("also where the ask to resume is open already, which is replaced", () => {
    const input = { model: standard, profiles: { ...profiles, models: { wise } } };
    const scenario = begun()
      .send(selects("fast"))
      .send({ type: "task.cancel", origin: "user" })
      .crashes({}, input);
    expect(scenario.messages.slice(-3)).toEqual(["ask:resume_task", "say:error", "ask:resume_task"]);
    expect(scenario.state).toBe("resumable");
  });

  it("a profile that is the standard model now is not a lost one", () => {
    const input = { model: fast, profiles: { ...profiles, standard: "fast", models: { wise } } };
    const scenario = begun().send(selects("fast")).crashes({}, input);
    expect(messagesOf(scenario)).toEqual([]);
    expect(profileOf(scenario)).toBe("fast");
  });

  it("another standard model is recorded with the next request", () => {
    const scenario = begun()
      .send(selects("fast"))
      .crashes({}, { ...INPUT, model: wise })
      .answers("yes");
    expect(recorded(scenario).profile).toEqual({ name: "fast", chosen: "fast", standard: wise });
    expect(recorded(scenario).model).toEqual(fast);
  });
});

describe("a request gets nothing that only another model understands", () => {
  const typesIn = ({ run }: Scenario): readonly string[] =>
    run.view.context.conversation.toArray().flatMap(({ content }) => content.map(({ type }) => type));

  it("thinking stays in the conversation, and a message says that it is not sent", () => {
    const scenario = begun().thinks("hm").says("Hm.").send(selects("fast")).finishes("end_turn");
    expect(typesIn(scenario)).toContain("thinking");
    expect(messagesOf(scenario)).toContain(
      "The model changed from opus (anthropic) to haiku (proxy). It does not get 1 block of earlier responses that only their own model understands, such as thinking and server tools.",
    );
    expect(scenario.run.violations).toEqual([]);
  });

  it("a paused turn is continued by its own model only", () => {
    const paused = (scenario: Scenario) => scenario.says("Hm.").finishes("pause_turn").prepared();
    expect(paused(begun()).run.view.context.conversation.at(-1)?.role).toBe("assistant");
    const other = begun().send(selects("fast"));
    expect(paused(other).run.view.context.conversation.at(-1)?.role).toBe("user");
    expect(other.run.violations).toEqual([]);
  });

  it("and its window decides whether the conversation is condensed", () => {
    const tiny: ModelRef = { provider: "proxy", id: "tiny", contextWindow: 10 };
    const scenario = begun({ profiles: { ...profiles, models: { tiny } }, limits: { condenseKeeps: 0 } });
    for (const text of ["One.", "Two."]) scenario.says(text).finishes("end_turn").prepared();
    scenario.says("Three.").send(selects("tiny"));
    expect(scenario.state).toBe("streaming.receiving");
    expect(scenario.finishes("end_turn").prepared().state).toBe("streaming.condensing");
    expect(scenario.run.violations).toEqual([]);
  });
});
