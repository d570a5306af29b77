import { describe, expect, it } from "vitest";
import type { TaskInput } from "../../../machines/task/task.context.ts";
import type { SubtaskOrder } from "../../../machines/tool-call/subtask-order.ts";
import { Scenario } from "../../support/scenario.ts";
import { completion, read } from "../../support/scenarios/setups.ts";

const subtask = { name: "new_task", effect: "delegates", verdict: "allow", inBackground: true } as const;
const order = (ordersSubtasks: SubtaskOrder) =>
  ({ name: "wait_for_subtasks", effect: "none", verdict: "allow", ordersSubtasks }) as const;
const waitForAll = order({ kind: "wait", until: "all" });

/** A task with subtasks in the background, whose next request waits for its response. */
function withSubtasks(count = 1, input: Partial<TaskInput> = {}): Scenario {
  let scenario = new Scenario(input).begun();
  for (let started = 0; started < count; started += 1)
    scenario = scenario.calls(subtask).finishes().prepared();
  return scenario;
}

const subtasksOf = ({ run }: Scenario) => run.view.context.backgroundSubtasks;
const conversationOf = ({ run }: Scenario): string => JSON.stringify(run.view.context.conversation.toArray());
const count = (text: string, part: string): number => text.split(part).length - 1;
const resultOfLastCall = ({ run }: Scenario): string => {
  const call = run.view.context.turn.calls.at(-1);
  return call?.phase === "settled" ? JSON.stringify(call.outcome.content) : (call?.phase ?? "none");
};

function ends(scenario: Scenario, position: number, result: string): Scenario {
  const { callId = "" } = subtasksOf(scenario)[position] ?? {};
  return scenario.send({ type: "subtask.ended", callId, end: { kind: "finished", result } });
}

describe("a subtask in the background (JOIN)", () => {
  it("has its id as the result of its call at once, and the task goes on", () => {
    const scenario = withSubtasks();
    expect(scenario.state).toBe("streaming.receiving");
    expect(subtasksOf(scenario)).toEqual([expect.objectContaining({ childId: "t.1" })]);
    expect(conversationOf(scenario)).toContain("Subtask t.1 works in the background");
    expect(scenario.run.violations).toEqual([]);
  });

  it("gives its end to the request after it, once, with one message", () => {
    const scenario = ends(withSubtasks(), 0, "All tests pass.");
    expect(scenario.messages.at(-1)).not.toBe("say:subtask_result");
    scenario
      .calls({ ...read })
      .finishes()
      .toolEnds()
      .prepared();
    expect(count(conversationOf(scenario), "All tests pass.")).toBe(1);
    expect(scenario.messages.filter((message) => message === "say:subtask_result")).toHaveLength(1);
    scenario
      .calls({ ...read })
      .finishes()
      .toolEnds()
      .prepared();
    expect(count(conversationOf(scenario), "All tests pass.")).toBe(1);
    expect(subtasksOf(scenario)).toEqual([]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("waits for a place where as many work as the limit", () => {
    const scenario = withSubtasks(1, { limits: { parallelSubtasks: 1 } })
      .calls(subtask)
      .finishes();
    expect(scenario.state).toBe("running.delegated");
    ends(scenario, 0, "one");
    expect(scenario.state).toBe("streaming.preparing");
    expect(subtasksOf(scenario)).toEqual([expect.objectContaining({ childId: "t.2" })]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is stopped by a cancel from any state, and told as cancelled", () => {
    const scenario = withSubtasks(2).cancelled();
    expect(subtasksOf(scenario).map(({ end }) => end)).toEqual([
      { kind: "cancelled" },
      { kind: "cancelled" },
    ]);
    ends(scenario, 0, "late");
    scenario.answers("yes").prepared();
    expect(count(conversationOf(scenario), "cancelled")).toBe(2);
    expect(conversationOf(scenario)).not.toContain("late");
    expect(scenario.run.violations).toEqual([]);
  });

  it("works on while a person is asked, and goes on after a crash with the resume of the task", () => {
    const scenario = withSubtasks().calls({ name: "write_to_file" }).finishes();
    expect(scenario.state).toBe("waiting_for_input.approval");
    ends(scenario, 0, "one");
    expect(scenario.state).toBe("waiting_for_input.approval");
    const other = withSubtasks();
    other.crashes();
    expect(subtasksOf(other)).toEqual([expect.objectContaining({ rests: "closed" })]);
    other.answers("yes");
    expect(subtasksOf(other)[0]).not.toHaveProperty("rests");
    expect([...scenario.run.violations, ...other.run.violations]).toEqual([]);
  });

  it("gives the rest of its grant back once, when it ends", () => {
    const budget = { from: "user", grant: { requests: 10 } } as const;
    const scenario = withSubtasks(1, { budget });
    const left = () => {
      const { budget: now } = scenario.run.view.context;
      return now?.state === "own" ? now.left.requests : undefined;
    };
    const [{ callId = "", grant } = {}] = subtasksOf(scenario);
    expect(grant?.requests).toBe(4);
    const before = left() ?? 0;
    const end = { kind: "finished", result: "one", rest: { requests: 3 } } as const;
    scenario.send({ type: "subtask.ended", callId, end }).send({ type: "subtask.ended", callId, end });
    expect(left()).toBe(before + 3);
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("a wait for subtasks in the background (L16)", () => {
  it("is over when all have ended, and their results follow its own", () => {
    const scenario = withSubtasks(2).calls(waitForAll).finishes();
    expect(scenario.state).toBe("running.delegated");
    ends(scenario, 0, "one");
    expect(scenario.state).toBe("running.delegated");
    ends(scenario, 1, "two");
    expect(scenario.state).toBe("streaming.preparing");
    scenario.prepared();
    const text = conversationOf(scenario);
    expect(text).toContain("Ended: t.1, t.2. The results follow.");
    expect(text.indexOf("The results follow.")).toBeLessThan(text.indexOf("two"));
    expect(scenario.run.violations).toEqual([]);
  });

  it("is over when the first of its ids has ended", () => {
    const wait = order({ kind: "wait", until: "any", ids: ["t.2"] });
    const scenario = withSubtasks(2).calls(wait).finishes();
    ends(scenario, 0, "one");
    expect(scenario.state).toBe("running.delegated");
    ends(scenario, 1, "two");
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is over with a message of the user", () => {
    const scenario = withSubtasks().calls(waitForAll).finishes();
    scenario.send({ type: "queue.added", item: { id: "q", text: "Hurry", images: [] } });
    expect(scenario.state).toBe("streaming.preparing");
    expect(resultOfLastCall(scenario)).toContain("None has ended. Not ended: t.1. The user sent a message");
    expect(scenario.run.violations).toEqual([]);
  });

  it("of an unknown subtask is a mistake that names the others", () => {
    const scenario = withSubtasks()
      .calls(order({ kind: "cancel", id: "t.7" }))
      .finishes();
    expect(resultOfLastCall(scenario)).toContain("No subtask t.7 works in the background.");
    expect(resultOfLastCall(scenario)).toContain("t.1");
    expect(scenario.run.view.context.counters.mistakes).toBe(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("rests with a subtask that can't be opened, and goes on with the resume", () => {
    const scenario = withSubtasks().calls(waitForAll).finishes();
    const [{ callId = "" } = {}] = subtasksOf(scenario);
    scenario.send({ type: "subtask.unavailable", callId, message: "It is locked." });
    expect(scenario.state).toBe("resumable");
    scenario.answers("yes");
    expect(scenario.state).toBe("running.delegated");
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("the completion of a task with subtasks in the background", () => {
  it.each(["tool", "end_turn"] as const)("waits for them, and tells the model their results: %s", (kind) => {
    const scenario = withSubtasks(1, { completion: kind });
    if (kind === "tool") scenario.calls(completion).finishes();
    else scenario.says("Done.").finishes("end_turn");
    expect(scenario.state).toBe("running.delegated");
    ends(scenario, 0, "one");
    expect(scenario.state).toBe("streaming.preparing");
    scenario.prepared();
    expect(count(conversationOf(scenario), "Subtask t.1 completed")).toBe(1);
    if (kind === "tool") scenario.calls(completion).finishes();
    else scenario.says("Done.").finishes("end_turn");
    expect(scenario.state).toBe("idle.completing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("cancels them where the option says so, and a message says which", () => {
    const scenario = withSubtasks(1, { completion: "end_turn", subtasksAtCompletion: "cancel" });
    scenario.says("Done.").finishes("end_turn");
    expect(scenario.state).toBe("idle.completing");
    expect(subtasksOf(scenario)[0]?.end).toEqual({ kind: "cancelled" });
    const texts = scenario.run.view.context.log.toArray().map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining("Subtask t.1 is cancelled: the task completes"));
    expect(scenario.run.violations).toEqual([]);
  });

  it("is answered by a queued message first", () => {
    const scenario = withSubtasks().send({
      type: "queue.added",
      item: { id: "q", text: "Also the docs", images: [] },
    });
    scenario.calls(completion).finishes();
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
  });
});
