import { describe, expect, it } from "vitest";
import { Scenario } from "../../support/scenario.ts";
import { completion } from "../../support/scenarios/setups.ts";

const TOOL = { queueDelivery: "one", completion: "tool" } as const;
const END_TURN = { queueDelivery: "one", completion: "end_turn" } as const;

const completes = (scenario: Scenario): Scenario =>
  scenario.run.view.context.completion === "tool"
    ? scenario.calls(completion).finishes()
    : scenario.says("Done.").finishes("end_turn");
/** A completed task with these queued messages. */
const delivering = (input: typeof TOOL | typeof END_TURN, ...texts: readonly string[]): Scenario =>
  completes(texts.reduce((scenario, text) => scenario.queues(text), new Scenario(input).begun()));
const queued = ({ run }: Scenario): string[] => run.view.context.queue.map(({ text }) => text);
const feedback = ({ run }: Scenario): unknown[] =>
  run.view.context.log.toArray().flatMap(({ say, text }) => (say === "user_feedback" ? [text] : []));
/** The last entry that was sent, as text. */
const sent = ({ run }: Scenario): string => JSON.stringify(run.view.context.conversation.at(-1));
const hasTimer = ({ run }: Scenario): boolean => run.view.activeActors.has("timer");

describe.each([
  ["attempt_completion", TOOL],
  ["the end of a turn", END_TURN],
] as const)("a message queued with delivery one by one, in a task completed by %s (QUEUE)", (_, input) => {
  it("is not sent with a request, and does not replace the completion's ask", () => {
    const scenario = delivering(input, "first", "second");
    expect(scenario.state).toBe("idle.delivering");
    expect(scenario.messages.at(-1)).toBe("ask:completion_result");
    expect(queued(scenario)).toEqual(["first", "second"]);
    expect(hasTimer(scenario)).toBe(true);
    expect(scenario.run.violations).toEqual([]);
  });

  it("continues the task alone and in its order, after the completion before it", () => {
    const scenario = delivering(input, "first", "second").delivers();
    expect(scenario.state).toBe("streaming.preparing");
    expect(queued(scenario)).toEqual(["second"]);
    scenario.prepared();
    expect(sent(scenario)).toContain("first");
    expect(sent(scenario)).not.toContain("second");
    completes(scenario).delivers().prepared();
    expect(sent(scenario)).toContain("second");
    expect(feedback(scenario)).toEqual(["first", "second"]);
    completes(scenario);
    expect(scenario.state).toBe("idle.completing");
    expect(hasTimer(scenario)).toBe(false);
    expect(scenario.run.violations).toEqual([]);
  });

  it("continues the task at once: its timer names the ask and ends at the time of the completion", () => {
    const { run } = delivering(input, "first");
    const { ask, cause } = run.view.context;
    expect(run.actor.getSnapshot().children.timer?.getSnapshot()).toMatchObject({
      input: { timerId: `queue:${ask?.id}`, deadline: (cause as { readonly at: number }).at },
    });
  });

  it("closes the completion's ask as answered", () => {
    const scenario = delivering(input, "first").delivers();
    const asks = scenario.run.view.context.log.toArray().filter(({ ask }) => ask === "completion_result");
    expect(asks).toMatchObject([{ closing: "answered", isAnswered: true }]);
  });

  it("is delivered too if it is queued while the completion waits for an answer", () => {
    const scenario = completes(new Scenario(input).begun()).queues("late");
    expect(scenario.state).toBe("idle.delivering");
    scenario.delivers().prepared();
    expect(sent(scenario)).toContain("late");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is not delivered after it was removed: the completion waits for its answer", () => {
    const scenario = delivering(input, "first");
    const [first] = scenario.run.view.context.queue;
    scenario.send({ type: "queue.removed", id: first?.id ?? "" }).delivers();
    expect(scenario.state).toBe("idle.completing");
    expect(hasTimer(scenario)).toBe(false);
    expect(feedback(scenario)).toEqual([]);
    expect(completes(scenario.answers("text", "go on").prepared()).state).toBe("idle.completing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is delivered as it was edited", () => {
    const scenario = delivering(input, "first");
    const [first] = scenario.run.view.context.queue;
    scenario.send({ type: "queue.edited", id: first?.id ?? "", text: "better" }).delivers();
    expect(feedback(scenario)).toEqual(["better"]);
  });

  it("is kept by a cancel, and delivered after the next completion or with the next queued one", () => {
    const scenario = delivering(input, "first").cancelled();
    expect(scenario.state).toBe("idle.completing");
    expect(hasTimer(scenario)).toBe(false);
    const { log } = scenario.run.view.context;
    scenario.delivers();
    expect(scenario.run.view.context.log).toBe(log);
    scenario.queues("second").delivers();
    expect(feedback(scenario)).toEqual(["first"]);
    expect(queued(scenario)).toEqual(["second"]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("waits where a person answers the completion first, and the queue keeps its order", () => {
    const scenario = delivering(input, "first", "second").answers("text", "my answer").prepared();
    expect(queued(scenario)).toEqual(["first", "second"]);
    expect(sent(scenario)).toContain("my answer");
    completes(scenario).delivers().prepared();
    completes(scenario).delivers();
    expect(feedback(scenario)).toEqual(["my answer", "first", "second"]);
    expect(scenario.run.violations).toEqual([]);
  });

  it.each(["yes", "no"] as const)("waits where the completion is answered with %s", (kind) => {
    const scenario = delivering(input, "first").answers(kind);
    expect(scenario.state).toBe(kind === "yes" ? "idle.completed" : "idle.declined");
    expect(queued(scenario)).toEqual(["first"]);
    expect(hasTimer(scenario)).toBe(false);
    completes(scenario.delivers().answers("text", "go on").prepared()).delivers();
    expect(feedback(scenario)).toEqual(["go on", "first"]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is not delivered by the timer of another ask (L10)", () => {
    const scenario = delivering(input, "first");
    const { log } = scenario.run.view.context;
    for (const timerId of ["queue:1", "retry:0", "queue:undefined"])
      scenario.send({ type: "timer.fired", timerId });
    expect(scenario.state).toBe("idle.delivering");
    expect(scenario.run.view.context.log).toBe(log);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is still queued after a crash before its delivery, and delivered after the next completion (L11)", () => {
    const scenario = delivering(input, "first", "second").crashes();
    expect(scenario.state).toBe("idle.reopened");
    expect(queued(scenario)).toEqual(["first", "second"]);
    scenario.answers("text", "go on").prepared();
    completes(scenario).delivers();
    expect(feedback(scenario)).toEqual(["go on", "first"]);
    expect(queued(scenario)).toEqual(["second"]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is kept while an interrupted task is resumed", () => {
    const scenario = new Scenario(input).begun().queues("first").cancelled().answers("yes").prepared();
    expect(queued(scenario)).toEqual(["first"]);
    completes(scenario).delivers();
    expect(feedback(scenario)).toEqual(["first"]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("does not exceed the limit of the queue, at rest either (L14)", () => {
    const scenario = completes(new Scenario({ ...input, limits: { queued: 1 } }).begun().queues("first"));
    scenario.cancelled().queues("second");
    expect(scenario.state).toBe("idle.completing");
    expect(queued(scenario)).toEqual(["first"]);
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("the completion setting of a task", () => {
  it("can be selected only at rest", () => {
    const scenario = new Scenario({ completion: "end_turn" }).begun();
    scenario.send({ type: "completion.selected", completion: "tool" });
    expect(scenario.run.view.context.completion).toBe("end_turn");
    scenario.says("Done.").finishes("end_turn").send({ type: "completion.selected", completion: "tool" });
    expect(scenario.run.view.context.completion).toBe("tool");
    scenario.answers("text", "go on").prepared().says("Done.").finishes("end_turn");
    expect(scenario.state).toBe("streaming.preparing");
    scenario.cancelled().send({ type: "completion.selected", completion: "end_turn" });
    expect(scenario.run.view.context.completion).toBe("end_turn");
    expect(scenario.run.violations).toEqual([]);
  });
});

it("a task that is completed without any text has an empty result", () => {
  const scenario = new Scenario({ completion: "end_turn" }).begun().says("").finishes("end_turn");
  const results: string[] = [];
  scenario.run.actor.on("task.completed", ({ result }) => results.push(result));
  scenario.answers("yes");
  expect(scenario.state).toBe("idle.completed");
  expect(results).toEqual([""]);
  expect(scenario.run.violations).toEqual([]);
});
