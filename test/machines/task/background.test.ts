import { describe, expect, it } from "vitest";
import type { TaskLimits } from "../../../machines/task/index.ts";
import { Scenario } from "../../support/scenario.ts";
import { command, commandInBackground, read, write } from "../../support/scenarios/setups.ts";

describe("a background command that ends", () => {
  it.each([
    ["running.calling", () => commandInBackground().calls(write).finishes().answers("yes")],
    ["running.commanding", () => commandInBackground().calls(command).finishes().answers("yes").outputs("1")],
  ])("is removed, and its output goes with the next request: in %s", (state, create) => {
    const { run } = create();
    expect(run.view.state).toBe(state);
    const [ended] = run.view.context.background;
    run.send({
      type: "tool.finished",
      callId: ended?.callId ?? "",
      content: [],
      at: 1e9,
      command: { output: "2" },
    });
    expect(run.view.state).toBe(state);
    expect(run.view.context.background).toEqual([]);
    expect(JSON.stringify(run.view.context.pending)).toContain("2");
  });
});

it.each(["task.cancel", "journal.failed"] as const)(
  "%s in a response stops background commands (L10)",
  (type) => {
    const scenario = commandInBackground();
    scenario.send(type === "task.cancel" ? { type } : { type, message: "the disk is full" });
    const { state, context } = scenario.run.view;
    expect(state).toBe("resumable");
    expect(context.background).toEqual([]);
  },
);

describe("a read that still runs when the next request opens is stopped", () => {
  /** One read runs, and a call after it was declined. */
  const declined = (limits: Partial<TaskLimits> = {}) =>
    new Scenario({ limits }).begun().calls(read).calls(write).finishes().answers("no");
  const stopped = ({ run }: Scenario) => {
    expect(run.view.context.turn.calls.map(({ phase }) => phase)).toEqual(["stopped", "settled"]);
    return run.view.state;
  };

  it("where the task is at its limit of requests (L14)", () => {
    expect(stopped(declined({ requests: 1 }))).toBe("idle.limited");
  });

  it("where the model made too many mistakes (L14)", () => {
    const scenario = new Scenario({ limits: { mistakes: 1 } }).begun().calls(read);
    const { run } = scenario.callsInvalid(command, "bad").calls(write).finishes().answers("no");
    expect(run.view.state).toMatch(/^idle/);
    expect(run.view.context.turn.calls.map(({ phase }) => phase)).toEqual(["stopped", "settled", "settled"]);
  });

  it("where its context can't be collected", () => {
    const scenario = declined();
    const { request } = scenario.run.view.context;
    scenario.send({ type: "context.failed", requestId: request ?? 0, message: "no context" });
    expect(stopped(scenario)).toBe("idle.failed");
  });
});
