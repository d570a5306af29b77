import { describe, expect, it } from "vitest";
import type { TaskInput } from "../../../machines/task/task.context.ts";
import { Scenario } from "../../support/scenario.ts";
import { completion, list, question, read, write } from "../../support/scenarios/setups.ts";

const MINUTE = 60_000;
const wakeUpsOf = ({ run }: Scenario) => run.view.context.wakeUps;
const messagesOf = (scenario: Scenario): readonly string[] => scenario.messages;
const lastText = ({ run }: Scenario) => run.view.context.log.at(-1)?.text;
const pending = ({ run }: Scenario): string => JSON.stringify(run.view.context.pending);
const NOTICE = "<wake_up>\\nId: w\\nLook again.\\n</wake_up>";

/** A task at rest after a text. */
const rested = (input: Partial<TaskInput> = {}): Scenario =>
  new Scenario({ completion: "end_turn", ...input }).begun().says("Zero.").finishes("end_turn");

describe("a due wake-up (WAKE)", () => {
  it("continues a task at rest in place of an answer, and its time is over in the same commit", () => {
    const scenario = rested().schedulesWakeUp(MINUTE).isDue(MINUTE);
    expect(scenario.state).toBe("streaming.preparing");
    expect(messagesOf(scenario).slice(-3)).toEqual([
      "ask:completion_result",
      "say:wake_up",
      "say:api_req_started",
    ]);
    expect(scenario.run.view.context.log.at(-3)).toMatchObject({ closing: "withdrawn" });
    expect(pending(scenario)).toContain(NOTICE);
    expect(wakeUpsOf(scenario)).toEqual([]);
    expect(scenario.run.violations).toEqual([]);
  });

  it.each(["yes", "no"] as const)("continues a completion that was answered with %s", (answer) => {
    const scenario = rested().answers(answer).schedulesWakeUp(MINUTE).isDue(MINUTE);
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is the result of the call of a completion", () => {
    const scenario = new Scenario()
      .begun()
      .calls(completion)
      .finishes()
      .schedulesWakeUp(MINUTE)
      .isDue(MINUTE);
    expect(scenario.state).toBe("streaming.preparing");
    const results = scenario.run.view.context.conversation.at(-1)?.content;
    scenario.prepared();
    expect(JSON.stringify(scenario.run.view.context.conversation.at(-1)?.content ?? results)).toContain(
      "wake_up",
    );
    expect(scenario.run.violations).toEqual([]);
  });

  it("changes nothing before its time, and nothing twice", () => {
    const scenario = rested().schedulesWakeUp(MINUTE).isDue();
    expect(scenario.state).toBe("idle.completing");
    scenario.isDue(MINUTE).prepared().says("One.").finishes("end_turn").isDue(MINUTE);
    expect(scenario.state).toBe("idle.completing");
    expect(messagesOf(scenario).filter((message) => message === "say:wake_up")).toHaveLength(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("waits until the task is at rest, and answers no ask about a call", () => {
    const scenario = new Scenario().begun().calls(write).finishes().schedulesWakeUp(MINUTE).isDue(MINUTE);
    expect(scenario.state).toBe("waiting_for_input.approval");
    expect(wakeUpsOf(scenario)).toHaveLength(1);
    const asked = new Scenario().begun().calls(question).finishes().schedulesWakeUp(MINUTE).isDue(MINUTE);
    expect(asked.state).toBe("waiting_for_input.answer");
    scenario.answers("no").prepared().calls(completion).finishes().isDue();
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("of each of several continues the task once, in the order in which they were scheduled", () => {
    const scenario = rested()
      .schedulesWakeUp(2 * MINUTE, { id: "b", message: "Second." })
      .schedulesWakeUp(MINUTE, { id: "a", message: "First." })
      .schedulesWakeUp(9 * MINUTE, { id: "c", message: "Later." })
      .isDue(3 * MINUTE);
    const texts = scenario.run.view.context.log.toArray().filter(({ say }) => say === "wake_up");
    expect(texts.map(({ text }) => text)).toEqual(["Second.", "First."]);
    expect(wakeUpsOf(scenario)).toMatchObject([{ id: "c" }]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("of an interval is due again at its next time, and the times that passed are skipped", () => {
    const scenario = rested().schedulesWakeUp(MINUTE, { everyMs: 10 * MINUTE });
    const [first] = wakeUpsOf(scenario);
    scenario.isDue(35 * MINUTE);
    expect(wakeUpsOf(scenario)).toEqual([{ ...first, at: (first?.at ?? 0) + 40 * MINUTE }]);
    expect(pending(scenario)).toContain("Late by: 34 minutes");
    expect(messagesOf(scenario).filter((message) => message === "say:wake_up")).toHaveLength(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is no part of a loop: the same call is permitted at each wake-up, however often", () => {
    const scenario = rested({ limits: { repetitions: 1 } }).schedulesWakeUp(MINUTE, { everyMs: MINUTE });
    for (let times = 0; times < 4; times += 1) {
      scenario.isDue(MINUTE).prepared().calls(list).finishes().toolEnds("a.txt").prepared();
      scenario.says("Nothing yet.").finishes("end_turn");
    }
    const errors = scenario.messages.filter((message) => message === "say:error");
    expect(errors).toEqual([]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("continues a task whose process ended, also one that was interrupted", () => {
    const completed = rested().schedulesWakeUp(MINUTE).crashes().isDue();
    expect(completed.state).toBe("streaming.preparing");
    const interrupted = new Scenario().begun().schedulesWakeUp(MINUTE).crashes();
    expect(interrupted.state).toBe("resumable");
    interrupted.isDue();
    expect(interrupted.state).toBe("streaming.preparing");
    expect([...completed.run.violations, ...interrupted.run.violations]).toEqual([]);
  });

  it("continues a subtask that was lost with its process", () => {
    const scenario = new Scenario()
      .begun()
      .calls({ name: "new_task", effect: "delegates", verdict: "allow" })
      .finishes()
      .schedulesWakeUp(MINUTE)
      .crashes()
      .isDue();
    expect(scenario.state).toBe("running.delegated");
    expect(scenario.run.violations).toEqual([]);
  });

  it("waits for the time of a retry that the process ended in", () => {
    const scenario = new Scenario()
      .begun()
      .fails({ retryable: true, retryAfterMs: 100_000 })
      .schedulesWakeUp(MINUTE)
      .crashes()
      .isDue();
    expect(scenario.state).toBe("running.retrying");
    expect(scenario.run.violations).toEqual([]);
  });

  it("sends a request again that failed", () => {
    const scenario = new Scenario().begun().fails({ retryable: false }).schedulesWakeUp(MINUTE).isDue(MINUTE);
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("leaves a paused task, one after mistakes and one at a limit to a person, and comes when they continue", () => {
    const paused = new Scenario()
      .begun()
      .calls({ ...read, verdict: "allow" })
      .pauses()
      .finishes()
      .toolEnds("x");
    expect(paused.schedulesWakeUp(MINUTE).isDue(MINUTE).state).toBe("resumable");
    const mistaken = new Scenario({ limits: { mistakes: 1 } }).begun().callsInvalid(read, "no").finishes();
    expect(mistaken.schedulesWakeUp(MINUTE).isDue(MINUTE).state).toBe("idle.mistaken");
    paused.answers("yes").prepared().calls(completion).finishes();
    expect(paused.state).toBe("idle.completing");
    expect(paused.isDue().state).toBe("streaming.preparing");
    expect([...paused.run.violations, ...mistaken.run.violations]).toEqual([]);
  });

  it("sends no request once the budget is spent: the task rests at its limit, and a yes continues it", () => {
    const scenario = rested({ budget: { from: "user", grant: { requests: 1 } } })
      .schedulesWakeUp(MINUTE)
      .isDue(MINUTE);
    expect(scenario.state).toBe("idle.limited");
    expect(lastText(scenario)).toContain("budget");
    scenario.answers("yes");
    expect(scenario.state).toBe("streaming.preparing");
    expect(pending(scenario)).toContain(NOTICE);
    expect(scenario.run.violations).toEqual([]);
  });

  it("of an interval waits at a limit, and is due only once afterwards", () => {
    const scenario = rested({ limits: { requests: 1 } })
      .schedulesWakeUp(MINUTE, { everyMs: MINUTE })
      .isDue(MINUTE)
      .isDue(5 * MINUTE);
    expect(scenario.state).toBe("idle.limited");
    expect(messagesOf(scenario).filter((message) => message === "say:wake_up")).toHaveLength(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("does not continue a task that a protocol has ended", () => {
    const control = { protocol: "p", state: {}, points: [] };
    const scenario = rested({ control: { ...control, shutDown: "over" } })
      .schedulesWakeUp(MINUTE)
      .isDue(MINUTE);
    expect(scenario.state).toBe("idle.failed");
    expect(messagesOf(scenario)).not.toContain("say:wake_up");
  });
});

describe("wake-ups that a person schedules", () => {
  it.each([
    ["more than wakeUps", { wakeUps: 0 }, {}],
    ["with a longer message than wakeUpChars", { wakeUpChars: 3 }, {}],
    ["with a shorter interval than wakeUpMinMs", { wakeUpMinMs: 1_000 }, { everyMs: 999 }],
  ])("are refused: %s (L14)", (_, limits, more) => {
    expect(wakeUpsOf(rested({ limits }).schedulesWakeUp(MINUTE, more))).toEqual([]);
  });

  it("are refused with an id that one has", () => {
    expect(
      wakeUpsOf(
        rested()
          .schedulesWakeUp(MINUTE)
          .schedulesWakeUp(2 * MINUTE),
      ),
    ).toHaveLength(1);
  });

  it("are cleared by their id, or all of them", () => {
    const scenario = rested().schedulesWakeUp(MINUTE, { id: "a" }).schedulesWakeUp(MINUTE, { id: "b" });
    scenario.send({ type: "wake.cleared", id: "a" });
    expect(wakeUpsOf(scenario)).toMatchObject([{ id: "b" }]);
    scenario.send({ type: "wake.cleared" });
    expect(wakeUpsOf(scenario)).toEqual([]);
    expect(scenario.isDue(MINUTE).state).toBe("idle.completing");
  });
});

describe("a call about wake-ups", () => {
  const call = (changesWakeUps: NonNullable<Parameters<Scenario["calls"]>[0]["changesWakeUps"]>) => ({
    name: "schedule_wakeup",
    effect: "none" as const,
    verdict: "allow" as const,
    changesWakeUps,
  });
  const resultOf = ({ run }: Scenario): string =>
    JSON.stringify(run.view.context.conversation.at(-1)?.content);
  const called = (scenario: Scenario, change: Parameters<typeof call>[0]) =>
    scenario.calls(call(change)).finishes().prepared();

  it("is settled by the task, at the time of its event", () => {
    const scenario = new Scenario().begun();
    called(scenario, { kind: "schedule", afterMs: 5 * MINUTE, everyMs: 10 * MINUTE, message: "Look." });
    const [wakeUp] = wakeUpsOf(scenario);
    expect(wakeUp).toMatchObject({ id: "1", everyMs: 10 * MINUTE, message: "Look." });
    expect(resultOf(scenario)).toContain("The wake-up 1 is due in 5 minutes, and then every 10 minutes.");
    called(scenario, { kind: "schedule", everyMs: 2 * MINUTE, message: "More." });
    expect(wakeUpsOf(scenario)[1]).toMatchObject({ id: "2", everyMs: 2 * MINUTE });
    expect(scenario.run.trace).not.toContain("tool:");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is a mistake if a limit is reached, which it names (L14)", () => {
    const scenario = new Scenario({ limits: { wakeUps: 1 } }).begun();
    called(scenario, { kind: "schedule", at: 200, message: "Now." });
    expect(resultOf(scenario)).toContain("wakeUpMinMs");
    called(scenario, { kind: "schedule", afterMs: MINUTE, message: "Then." });
    called(scenario, { kind: "schedule", afterMs: MINUTE, message: "Again." });
    expect(resultOf(scenario)).toContain("its limit `wakeUps`");
    expect(wakeUpsOf(scenario)).toHaveLength(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("cancels by an id, or all, and fails for an unknown id", () => {
    const scenario = new Scenario({ limits: { repetitions: 0 } })
      .begun()
      .schedulesWakeUp(MINUTE, { id: "a" })
      .schedulesWakeUp(MINUTE, { id: "b" });
    called(scenario, { kind: "cancel", id: "x" });
    expect(resultOf(scenario)).toContain("There is no wake-up x (scheduled: a, b).");
    called(scenario, { kind: "cancel", id: "a" });
    expect(wakeUpsOf(scenario)).toMatchObject([{ id: "b" }]);
    called(scenario, { kind: "cancel" });
    expect(resultOf(scenario)).toContain("Cancelled: b.");
    called(scenario, { kind: "cancel" });
    expect(resultOf(scenario)).toContain("No wake-up was scheduled.");
    expect(scenario.run.violations).toEqual([]);
  });

  it("changes nothing if a person rejects it", () => {
    const asked = {
      ...call({ kind: "schedule", afterMs: MINUTE, message: "Look." }),
      verdict: "ask" as const,
    };
    const scenario = new Scenario().begun().calls(asked).finishes();
    expect(scenario.state).toBe("waiting_for_input.approval");
    expect(wakeUpsOf(scenario.answers("no"))).toEqual([]);
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("the wake-up of a new task", () => {
  it("is a fact of its first commit, due after one interval", () => {
    const wakeUp = { everyMs: 10 * MINUTE, message: "Look around." };
    const scenario = new Scenario({ wakeUp }).begun();
    const start = scenario.run.view.context.log.at(0)?.ts ?? 0;
    expect(wakeUpsOf(scenario)).toEqual([{ id: "standing", at: start + 10 * MINUTE, ...wakeUp }]);
    scenario.crashes();
    expect(wakeUpsOf(scenario)).toHaveLength(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is added to those that were scheduled before its start", () => {
    const scenario = new Scenario({ wakeUp: { everyMs: 10 * MINUTE, message: "Look around." } });
    scenario.schedulesWakeUp(MINUTE).begun();
    expect(wakeUpsOf(scenario)).toMatchObject([{ id: "w" }, { id: "standing" }]);
    expect(scenario.run.violations).toEqual([]);
  });
});
