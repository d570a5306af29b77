import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { TaskInput } from "../../../machines/task/task.context.ts";
import { NOTHING_SPENT } from "../../../verify/bounds.ts";
import { crashesAt } from "../../../verify/environment.ts";
import { ALL_LAWS, type Bounds, type View } from "../../../verify/index.ts";
import { runs as count } from "../../support/campaigns.ts";
import { type Choice, choice, pathEventFor, WIDE } from "../../support/random-events.ts";
import { type LawViolation, TaskRun } from "../../support/task-run.ts";

/** Number and maximum length of the runs in which every law is checked. */
const SHORT = { runs: 16_000, length: 28, bounds: WIDE };
const LONG = { runs: 60, length: 250, bounds: WIDE };
/** Nothing that ends a call early. */
const UNDISTURBED = {
  ...WIDE,
  permits: false,
  profiles: false,
  amends: false,
  interruptions: 0,
  crashes: 0,
};
/** With calls that start subtasks only, which are rare among all tools. */
const DELEGATING = { runs: 400, length: 60, bounds: { ...WIDE, pausing: false, tools: ["delegate"] } };
/** With commands only: they are rare among all tools, and few of them are approved. */
const COMMANDING = { runs: 400, length: 60, bounds: { ...UNDISTURBED, tools: ["command"] } };
/** With calls that ask for input only, which are rare among all tools. */
const ELICITING = {
  runs: 400,
  length: 60,
  bounds: { ...UNDISTURBED, tools: ["mcp"] },
};
/** With hooks at each point. */
const HOOKED = {
  runs: 400,
  length: 60,
  bounds: { ...WIDE, tools: ["read", "write"] },
  given: { hooks: ["beforeRequest", "beforeTool", "afterTool"] },
} as const;
/** With one call per response, whose hooks decide after its end: among more events, the response rarely ends first. */
const HOOKED_LATE = {
  runs: 400,
  length: 60,
  bounds: {
    ...UNDISTURBED,
    calls: 1,
    blocks: 2,
    thinks: false,
    opaque: false,
    condenses: false,
    selects: false,
    tools: ["read", "write"],
  },
  given: { hooks: ["beforeTool"] },
} as const;
const SERIES: readonly {
  readonly runs: number;
  readonly length: number;
  readonly bounds: Bounds;
  readonly given?: Partial<TaskInput>;
}[] = [SHORT, LONG, DELEGATING, COMMANDING, ELICITING, HOOKED, HOOKED_LATE];
const SEED = 20_261_121;
/** Number of runs of which every prefix is recovered. */
const RECOVERED_RUNS = count(150, 40);

/** Limits low enough to be reached, with and without automatic retries. */
const input: fc.Arbitrary<Partial<TaskInput>> = fc.record({
  autoRetry: fc.boolean(),
  checkpoints: fc.boolean(),
  completion: fc.constantFrom("end_turn", "tool"),
  queueDelivery: fc.constantFrom("one", "all"),
  model: fc.record({
    provider: fc.constant("mock"),
    id: fc.constant("mock"),
    contextWindow: fc.constantFrom(1_000, 1_000_000),
  }),
  limits: fc.record({
    mistakes: fc.constantFrom(0, 1, 3),
    repetitions: fc.constantFrom(0, 1, 3),
    diffFailures: fc.constantFrom(0, 1, 2),
    diffFiles: fc.constantFrom(0, 1),
    rateLimitMs: fc.constantFrom(0, 0, 100),
    requests: fc.constantFrom(2, 5, 500),
    cost: fc.constantFrom(0.5, 1_000),
    retries: fc.constantFrom(0, 2),
    pauses: fc.constantFrom(0, 2),
    queued: fc.constantFrom(1, 3),
    calls: fc.constantFrom(1, 3, 64),
    parallelReads: fc.constantFrom(1, 2, 8),
    background: fc.constantFrom(0, 1, 8),
    condenseKeeps: fc.constantFrom(0, 0.2),
  }),
});

/** Start a task and play the choices. */
function play(given: Partial<TaskInput>, choices: readonly Choice[], bounds = WIDE): TaskRun {
  const run = new TaskRun(given);
  run.send({ type: "task.start", at: 5, text: "go", images: [] });
  choices.forEach((one, step) => {
    run.play(pathEventFor(run.view, one, step, bounds));
  });
  return run;
}

/** The views of a run after each macrostep. */
function viewsOf(given: Partial<TaskInput>, choices: readonly Choice[]): readonly View[] {
  const run = new TaskRun(given);
  run.send({ type: "task.start", at: 5, text: "go", images: [] });
  const views = [run.view];
  choices.forEach((one, step) => {
    run.play(pathEventFor(run.view, one, step));
    if (views.at(-1) !== run.view) views.push(run.view);
  });
  return views;
}

/** Resume the task and send its next request, which checks the conversation (L6, L12). */
function resume(run: TaskRun): void {
  const { ask, log } = run.view.context;
  const at = (log.at(-1)?.ts ?? 0) + 100_000_000;
  run.send({ type: "ask.answered", at, askId: ask?.id ?? 0, answer: { kind: "text", text: "go on" } });
  const { request, turn } = run.view.context;
  const stopped = turn.calls.filter(({ phase }) => phase === "stopped");
  const ends = stopped.map(({ callId }) => ({ callId, content: "uncertain" as const }));
  if (request !== undefined)
    run.send({ type: "context.ready", at: at + 1, requestId: request, environment: "here", ends });
}

const runs = (length: number) => fc.tuple(input, fc.array(choice, { maxLength: length, size: "max" }));

describe("the task machine under random events, possible and impossible, and crashes", () => {
  const broken = new Map<string, LawViolation>();
  const reached = new Set<string>();
  let macrosteps = 0;
  let crashes = 0;

  beforeAll(() => {
    for (const { runs: numRuns, length, bounds, given: added } of SERIES) {
      fc.assert(
        fc.property(runs(length), ([given, choices]) => {
          const run = play({ ...given, ...added }, choices, bounds);
          macrosteps += choices.length;
          crashes += run.view.observed.crashes;
          for (const state of run.states) reached.add(state);
          for (const one of run.violations) {
            const known = broken.get(one.law);
            if (known === undefined || known.trace.length > one.trace.length) broken.set(one.law, one);
          }
        }),
        { numRuns, seed: SEED },
      );
    }
  });

  it.each(ALL_LAWS.map(({ id, title }) => [id, title]))("%s: %s", (id) => {
    expect(broken.get(id)?.trace).toBeUndefined();
  });

  it("never throws", () => {
    expect(broken.get("INVARIANT")?.trace).toBeUndefined();
  });

  it("reaches every state in which a macrostep can end", () => {
    console.log(
      `${SERIES.reduce((sum, { runs }) => sum + runs, 0)} runs, ${macrosteps} events, ${crashes} crashes, settled in ${[...reached].sort().join(" ")}`,
    );
    expect([...reached]).toEqual(
      expect.arrayContaining([
        "running.calling",
        "running.commanding",
        "running.checkpointing",
        "running.delegated",
        "running.hooking",
        "running.retrying",
        "running.pacing",
        "streaming.preparing",
        "streaming.hooking",
        "streaming.receiving",
        "waiting_for_input.approval",
        "waiting_for_input.answer",
        "waiting_for_input.elicitation",
        "idle.completing",
        "idle.delivering",
        "idle.failed",
        "idle.mistaken",
        "idle.limited",
        "idle.reopened",
        "resumable",
      ]),
    );
  });
});

describe("a random run", () => {
  it("gives the same log for the same input and events (L15)", () => {
    fc.assert(
      fc.property(runs(40), ([given, choices]) => {
        const [one, other] = [play(given, choices), play(given, choices)];
        expect(JSON.stringify(other.view.context.log)).toBe(JSON.stringify(one.view.context.log));
        expect(JSON.stringify(other.view.context.conversation)).toBe(
          JSON.stringify(one.view.context.conversation),
        );
        expect(other.trace).toBe(one.trace);
      }),
      { numRuns: count(150, 40), seed: SEED },
    );
  });

  it("recovers and continues from every prefix and every crash (L11)", () => {
    let prefixes = 0;
    fc.assert(
      fc.property(runs(30), ([given, choices]) => {
        for (const view of viewsOf(given, choices)) {
          for (const crash of crashesAt(view, NOTHING_SPENT, WIDE)) {
            prefixes += 1;
            const again = new TaskRun(given);
            again.crash(crash, view);
            expect(["resumable", "idle.reopened"]).toContain(again.view.state);
            resume(again);
            expect(again.view.state).not.toMatch(/^(resumable|idle.reopened)$/);
            expect(again.violations.map(({ trace }) => trace)).toEqual([]);
          }
        }
      }),
      { numRuns: RECOVERED_RUNS, seed: SEED },
    );
    console.log(`${prefixes} crashes in ${RECOVERED_RUNS} runs`);
  });

  it("settles after one cancel; a second one changes nothing (L10)", () => {
    fc.assert(
      fc.property(runs(40), ([given, choices]) => {
        const run = play(given, choices);
        run.send({ type: "task.cancel", origin: "user", at: 1_000 });
        expect(["idle", "resumable"]).toContain(run.view.state.split(".")[0]);
        const { log } = run.view.context;
        run.send({ type: "task.cancel", origin: "user", at: 1_001 });
        expect(run.view.context.log).toBe(log);
        expect(run.violations).toEqual([]);
      }),
      { numRuns: count(300, 100), seed: SEED },
    );
  });

  it("appends a bounded number of messages per event (L14)", () => {
    fc.assert(
      fc.property(runs(40), ([given, choices]) => {
        const run = new TaskRun(given);
        run.send({ type: "task.start", at: 5, text: "go", images: [] });
        choices.forEach((one, step) => {
          const { log, queue, turn } = run.view.context;
          run.play(pathEventFor(run.view, one, step));
          const bound = 8 + queue.length + 3 * turn.blocks.length;
          expect(run.view.context.log.length - log.length).toBeLessThanOrEqual(bound);
        });
      }),
      { numRuns: count(200, 70), seed: SEED },
    );
  });
});
