import { describe, expect, it } from "vitest";
import { formatNextStep } from "../../../../visualize/trace/live/next-step.ts";
import { Scenario } from "../../../support/scenario.ts";

const stepOf = ({ run, state }: Scenario): string | undefined => formatNextStep(run.view.context, state);

const READ = { name: "read_file", effect: "reads", verdict: "allow" } as const;
const WRITE = { name: "write_to_file" };

describe("the text of the next step", () => {
  it("names the call that the turn waits for by its position in the response and its tool", () => {
    const scenario = new Scenario().begun().calls(READ).calls(WRITE).finishes();
    expect(stepOf(scenario.toolEnds())).toBe("Waits for call 2 (write_to_file), which needs an answer.");
    expect(stepOf(scenario.answers("yes"))).toBe("Waits for call 2 (write_to_file), which runs.");
  });

  it("names a call whose arguments stream, and one that is reviewed", () => {
    const scenario = new Scenario().begun();
    scenario.startsCall(WRITE);
    expect(stepOf(scenario)).toBe("Waits for call 1 (write_to_file), whose arguments stream.");
    expect(stepOf(new Scenario().begun().callsBeforeReview(WRITE))).toBe(
      "Waits for call 1 (write_to_file), which is reviewed.",
    );
  });

  it("waits for the rest of a response without a call", () => {
    expect(stepOf(new Scenario().begun().says("I write"))).toBe("Waits for the rest of the response.");
  });

  it("is undefined before a response, and at rest", () => {
    expect(stepOf(new Scenario().begun())).toBeUndefined();
    const asking = new Scenario().begun().calls(WRITE).finishes();
    expect(stepOf(asking)).toBe("Waits for call 1 (write_to_file), which needs an answer.");
    expect(stepOf(asking.cancelled())).toBeUndefined();
  });
});
