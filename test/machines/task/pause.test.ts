import { describe, expect, it } from "vitest";
import { Scenario } from "../../support/scenario.ts";
import { question, read, write } from "../../support/scenarios/setups.ts";

const pauseOf = ({ run }: Scenario) => run.view.context.pause;
const lastMessage = ({ run }: Scenario) => run.view.context.log.at(-1);
const pending = ({ run }: Scenario): string => JSON.stringify(run.view.context.pending);

describe("a pause (PAUSE)", () => {
  it("lets the response and its call end, and rests before the next request", () => {
    const scenario = new Scenario()
      .begun()
      .calls({ ...read, verdict: "allow" })
      .pauses();
    expect(scenario.state).toBe("streaming.receiving");
    expect(pauseOf(scenario)).toBe("asked");
    scenario.finishes();
    expect(scenario.state).toBe("running.calling");
    scenario.toolEnds("the notes");
    expect(scenario.state).toBe("resumable");
    expect(pauseOf(scenario)).toBe("resting");
    expect(lastMessage(scenario)).toMatchObject({ type: "ask", ask: "resume_task", reason: "paused" });
    expect(scenario.run.violations).toEqual([]);
  });

  it("leaves an open ask to a person, and rests when the approved call has ended", () => {
    const scenario = new Scenario().begun().calls(write).finishes().pauses();
    expect(scenario.state).toBe("waiting_for_input.approval");
    scenario.answers("yes").toolEnds();
    expect(scenario.state).toBe("resumable");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is resumed by a yes with nothing added, and by a text with that text", () => {
    const paused = () => new Scenario().begun().calls(question).finishes().pauses().answers("text", "blue");
    const before = pending(paused());
    const scenario = paused().answers("yes");
    expect(scenario.state).toBe("streaming.preparing");
    expect(pauseOf(scenario)).toBeNull();
    expect(pending(scenario)).toBe(before);
    expect(pending(paused().answers("text", "Hurry."))).toContain("Hurry.");
    expect(scenario.run.violations).toEqual([]);
  });

  it("is the same after a crash while the task rests", () => {
    const scenario = new Scenario().begun().says("Hm.").pauses().finishes("end_turn");
    expect(scenario.state).toBe("resumable");
    const { log } = scenario.run.view.context;
    scenario.crashes();
    expect(scenario.state).toBe("resumable");
    expect(pauseOf(scenario)).toBe("resting");
    expect(scenario.run.view.context.log.length).toBe(log.length);
    scenario.answers("yes");
    expect(pending(scenario)).not.toContain("interrupted");
    expect(scenario.run.violations).toEqual([]);
  });

  it("rests at once while the task waits for a retry, and keeps the time of the next attempt", () => {
    const scenario = new Scenario().begun().fails({ retryable: true }).pauses();
    expect(scenario.state).toBe("resumable");
    expect(scenario.run.view.context.retryAt).toBeGreaterThan(0);
    scenario.answers("yes");
    expect(scenario.state).toBe("running.retrying");
    expect(scenario.run.violations).toEqual([]);
  });

  it("ends with a cancel, and is ignored at rest", () => {
    const scenario = new Scenario().begun().pauses().cancelled();
    expect(scenario.state).toBe("resumable");
    expect(pauseOf(scenario)).toBeNull();
    expect(lastMessage(scenario)).not.toHaveProperty("reason");
    scenario.pauses();
    expect(pauseOf(scenario)).toBeNull();
    expect(scenario.run.violations).toEqual([]);
  });
});
