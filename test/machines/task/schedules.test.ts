import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../support/campaigns.ts";
import { FAKE_TOOLS, type FakeTurn, fakeEdge } from "../../support/fake-edge.ts";
import { TaskRun } from "../../support/task-run.ts";

const RUNS = runs(200, 60);

const turn: fc.Arbitrary<FakeTurn> = fc.record({
  calls: fc.array(fc.constantFrom(...(Object.keys(FAKE_TOOLS) as (keyof typeof FAKE_TOOLS)[])), {
    maxLength: 3,
  }),
  end: fc.constantFrom("finished", "finished", "finished", "failed", "cut"),
});

describe("the task machine with concurrent actors, in random order of their events", () => {
  it("holds every law after every macrostep, with cancels at any time (L1-L8, L10)", async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(turn, { minLength: 1, maxLength: 4 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        fc.nat(3),
        async (scheduler, turns, answers, cancels) => {
          const edge = fakeEdge(scheduler, turns, answers);
          const run = new TaskRun(
            { checkpoints: turns.length > 2, limits: { requests: 8, mistakes: 2, retries: 2 } },
            edge.actors,
          );
          run.send({ type: "task.start", at: edge.now(), text: "go", images: [] });
          for (let index = 0; index < cancels; index += 1)
            void scheduler
              .schedule(Promise.resolve(), "cancel")
              .then(() => run.send({ type: "task.cancel", origin: "user", at: edge.now() }));
          // Some tasks never end (a model that never calls a tool): limit the steps.
          for (let step = 0; step < 120 && scheduler.count() > 0; step += 1) await scheduler.waitNext(1);
          for (const state of run.states) reached.add(state);
          run.actor.stop();
          expect(run.violations.map(({ trace }) => trace)).toEqual([]);
        },
      ),
      { numRuns: RUNS, seed: 7 },
    );
    expect([...reached]).toEqual(
      expect.arrayContaining([
        "running.calling",
        "running.commanding",
        "running.checkpointing",
        "running.delegated",
        "waiting_for_input.approval",
        "resumable",
      ]),
    );
  });
});
