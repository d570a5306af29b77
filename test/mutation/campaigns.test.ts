import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { soak } from "../../verify/index.ts";
import { choice, pathEventFor } from "../support/random-events.ts";
import { TaskRun } from "../support/task-run.ts";

// Short enough for every mutant. The long ones are in test/machines/task/laws.test.ts and test/verify.
describe("no law (L1-L8, L10-L14, L16) is violated", () => {
  it("by random events, possible and impossible, and crashes", () => {
    const limits = {
      mistakes: 1,
      repetitions: 1,
      requests: 5,
      retries: 2,
      pauses: 2,
      queued: 2,
      background: 1,
    };
    fc.assert(
      fc.property(fc.array(choice, { minLength: 20, maxLength: 40, size: "max" }), (choices) => {
        const run = new TaskRun({ limits, checkpoints: choices.length % 2 === 0 });
        run.send({ type: "task.start", at: 5, text: "go", images: [] });
        choices.forEach((one, step) => {
          run.play(pathEventFor(run.view, one, step));
        });
        expect(run.violations.map(({ law }) => law)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it("by simulated tasks with faults of the endpoint, tools, disk, process and user", () => {
    expect(soak({ seed: 1_000, tasks: 20, now: () => 0 }).failure).toBeUndefined();
  });
});
