import { describe, expect, it } from "vitest";
import { environmentSection, environmentText } from "../../../machines/conversation/environment.ts";
import type { TaskLimits } from "../../../machines/task/limits.ts";
import { Scenario } from "../../support/scenario.ts";
import { command, commandInBackground, commandRuns, read, write } from "../../support/scenarios/setups.ts";

const output = (text: string): string => `<command_output>\n${text}\n</command_output>`;

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

describe("the notice of a background command that ends", () => {
  const environment = (time: string) => environmentText([environmentSection("Current time", time)]);
  const prepared = (scenario: Scenario, time: string) => {
    const requestId = scenario.run.view.context.request ?? 0;
    return scenario.send({ type: "context.ready", requestId, environment: environment(time), ends: [] });
  };
  /** The notice after a command with the output `all` ended. */
  function noticeOf({ run }: Scenario, ...rests: readonly (readonly [time: string, output: string])[]) {
    const command = {
      output: "all",
      exitCode: 0,
      rests: rests.map(([time, output]) => ({ after: environment(time), output })),
    };
    const { callId = "" } = run.view.context.background[0] ?? {};
    run.send({ type: "tool.finished", callId, content: [], at: 1e9, command });
    const notice = run.view.context.pending.at(-1);
    return notice?.type === "text" ? notice.text.split("\n").slice(1).join("\n") : undefined;
  }

  it("has the output after the newest environment block", () => {
    const scenario = prepared(commandRuns().answers("yes"), "1");
    expect(noticeOf(scenario, ["2", "after 2"], ["1", "after 1"])).toBe(
      `Further output:\n${output("after 1")}`,
    );
  });

  it("has the output after the block that is prepared and goes with it", () => {
    const running = prepared(commandRuns().answers("yes"), "1");
    const scenario = prepared(running.calls(read).calls(write).finishes().answers("no"), "2");
    expect(scenario.run.view.state).toBe("streaming.preparing");
    expect(noticeOf(scenario, ["2", ""], ["1", "after 1"])).toBe("There is no further output.");
  });

  it("has all output where no request has the blocks that were offered", () => {
    const scenario = prepared(commandRuns().answers("yes"), "1");
    expect(noticeOf(scenario, ["2", "after 2"])).toBe(`Output:\n${output("all")}`);
    expect(noticeOf(prepared(commandRuns().answers("yes"), "1"))).toBe(`Output:\n${output("all")}`);
  });
});

it.each(["task.cancel", "journal.failed"] as const)(
  "%s in a response stops background commands (L10)",
  (type) => {
    const scenario = commandInBackground();
    scenario.send(type === "task.cancel" ? { type, origin: "user" } : { type, message: "the disk is full" });
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
