import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import {
  type CaseOptions,
  createCase,
  explore,
  formatSequence,
  formatTestFile,
  formatTrace,
  type Law,
  type Step,
  type Violation,
} from "../../verify/index.ts";
import { wrapLines } from "../support/summary.ts";

/** A behavior whose shortest path is explored, as a law that it never happens. */
interface Behavior {
  readonly what: string;
  readonly occurs: (step: Step) => boolean;
  readonly within: CaseOptions;
  readonly machine?: typeof taskMachine;
}

const emits = (type: string) => (step: Step) => step.emitted.some((event) => event.type === type);
const isBy = (type: string) => (step: Step) => step.event.type === type && step.emitted.length > 0;
const crashing = { crashes: 1, interruptions: 1 } as const;

const BEHAVIORS: readonly Behavior[] = [
  { what: "text grows", occurs: emits("message.grown"), within: {} },
  { what: "the task is completed", occurs: emits("task.completed"), within: { tools: ["complete"] } },
  { what: "a text leaves the queue", occurs: isBy("queue.removed"), within: { queued: 1 } },
  {
    what: "two texts are queued",
    occurs: (step) => step.after.context.queue.length > 1,
    within: { queued: 2 },
  },
  { what: "the deadline of an ask expires", occurs: isBy("ask.expired"), within: { tools: ["question"] } },
  { what: "a call starts by a rule", occurs: isBy("tool.finished"), within: { tools: ["write"] } },
  {
    what: "a call starts by the user's approval",
    occurs: (step) => step.event.type === "ask.answered" && emits("decision.made")(step),
    within: { tools: ["write"] },
  },
  { what: "a failed request is retried", occurs: isBy("timer.fired"), within: {} },
  {
    what: "a snapshot is saved",
    occurs: isBy("checkpoint.saved"),
    within: { tools: ["write"], checkpoints: true },
  },
  { what: "a cut response continues", occurs: emits("entry.extended"), within: { turns: 2 } },
  { what: "a subtask ends", occurs: isBy("subtask.ended"), within: { tools: ["delegate"] } },
  {
    what: "the process crashes, and streamed text is recorded",
    occurs: (step) => step.reopened?.log.at(-1)?.text === "ab",
    within: crashing,
  },
  {
    what: "the process crashes twice",
    occurs: (step) => step.after.observed.crashes > 1,
    within: { crashes: 2 },
  },
  {
    what: "the end of a call is known when the task is reopened",
    occurs: ({ reopened }) => reopened?.calls.some((call) => "end" in call) === true,
    within: { ...crashing, tools: ["write"] },
  },
  {
    what: "a subtask has ended when the task is reopened",
    occurs: (step) => (step.reopened?.childEnds?.size ?? 0) > 0,
    within: { ...crashing, tools: ["delegate"] },
  },
];

function found({ what, occurs, within, machine = taskMachine }: Behavior): Violation {
  const never: Law = { id: "NEVER", title: what, violation: (step) => (occurs(step) ? what : undefined) };
  const [violation] = explore({ machine, laws: [never], ...createCase(within) }).violations;
  if (violation === undefined) throw new Error(`Expected a path on which ${what}. None was found.`);
  return violation;
}

/** A machine that throws instead of asking. */
const broken = taskMachine.provide({
  actions: {
    askAboutFailure: assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
      throw new Error("it's;\n  #broken");
    }),
  },
});

const NOTHING: Behavior = { what: "nothing", occurs: () => false, within: {}, machine: broken };

const textOf = (format: typeof formatTrace | typeof formatSequence): string =>
  wrapLines(
    [
      ...BEHAVIORS.map((behavior) => `# ${behavior.what}\n${format(found(behavior), taskMachine).trimEnd()}`),
      `# the machine throws\n${format(found(NOTHING), broken).trimEnd()}`,
    ]
      .join("\n\n")
      .concat("\n"),
  );

describe("a counterexample", () => {
  it("is formatted event by event", async () => {
    await expect(textOf(formatTrace)).toMatchFileSnapshot("counterexamples.trace.txt");
  });

  it("is formatted as a sequence diagram", async () => {
    await expect(textOf(formatSequence)).toMatchFileSnapshot("counterexamples.sequence.txt");
  });
});

describe("a test file of a counterexample", () => {
  const { bounds, input } = createCase({});
  const violation: Violation = {
    law: "L8",
    title: "one ask",
    what: 'the "ask" is open twice',
    path: [
      { type: "task.start", at: 1, text: "go", images: [] },
      { type: "task.cancel", origin: "user", at: 2 },
    ],
  };

  it.each([
    ["the shipped machine", undefined],
    ["a custom machine", "./my-machine.ts"],
  ])("replays its path on %s", (_, own) => {
    const text = formatTestFile(violation, { bounds, input }, own);
    expect(text).toContain('test("L8: the \\"ask\\" is open twice", () => {');
    expect(text).toContain(
      '  {"type":"task.start","at":1,"text":"go","images":[]},\n  {"type":"task.cancel","origin":"user","at":2},\n',
    );
    expect(text).toContain(
      own === undefined
        ? 'import { taskMachine } from "signalbox/machines";'
        : 'import { machine } from "./my-machine.ts";',
    );
    const machine = own === undefined ? "taskMachine" : "machine";
    expect(text).toContain(`violationsOn(path, ${machine}, ALL_LAWS, ${JSON.stringify(input)})`);
    expect(text).not.toContain("explore(");
  });

  it.each([
    ["the shipped machine", undefined, "machine: taskMachine"],
    ["a custom machine", "./my-machine.ts", "machine"],
  ])("explores %s again where no path shows the violation (L13)", (_, own, machine) => {
    const text = formatTestFile({ ...violation, law: "L13" }, { bounds, input }, own);
    expect(text).toContain(
      `explore({ ${machine}, laws: [], bounds: ${JSON.stringify(bounds)}, input: ${JSON.stringify(input)} })`,
    );
    expect(text).not.toContain("violationsOn");
  });
});
