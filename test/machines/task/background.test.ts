import { describe, expect, it } from "vitest";
import { command, commandInBackground, write } from "../../support/scenarios/setups.ts";

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
