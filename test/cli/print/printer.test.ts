import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Printer, type PrintSettings } from "../../../cli/print/printer.ts";
import { Exit } from "../../../cli/run/exit.ts";
import { FOLLOWUP_WAIT_MS } from "../../../client/roo/console/ask-handlers.ts";
import { scriptedToolCall } from "../../../testing/scripted-model.ts";
import { allowEverything, builtinTools } from "../../../tools/index.ts";
import { TestClock } from "../../actors/protocol/host.ts";
import { DONE, openRig, type RigOptions } from "../../support/host.ts";
import { complete, deferred, scripted } from "../../support/model.ts";

const ASK = `{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }, { text: right }] } }`;

/** A printer on a script, with a clock of the test's. */
async function open(
  script: string | undefined,
  settings: Partial<PrintSettings> = {},
  options: Partial<RigOptions> = {},
) {
  const rig = await openRig({
    ...(script !== undefined && { script }),
    policy: allowEverything(),
    tools: [...builtinTools()],
    ...options,
  });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const clock = new TestClock();
  const exit = new Exit();
  const printer = new Printer(
    rig.task,
    rig.host,
    { prompt: "Go", answers: "rule", exitOnError: false, task: {}, ...settings },
    { stdin, stdout, stderr, env: {}, on: () => {}, off: () => {} },
    exit.leave,
    clock,
  );
  return {
    ...{ rig, printer, clock, stdin, code: exit.code },
    said: () => String(stdout.read() ?? ""),
    complained: () => String(stderr.read() ?? ""),
    async [Symbol.asyncDispose]() {
      await printer.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

/** The turn of a subtask that says a text in parts, each once its step has begun, and completes. */
const speaking = (parts: readonly (readonly [Promise<void>, string, () => void])[], result: string) =>
  async function* () {
    for (const [begins, text, said] of parts) {
      await begins;
      if (text !== "") yield { type: "text.delta", text } as const;
      said();
    }
    yield { type: "block.end" } as const;
    yield* complete(result);
  };

test("texts of subtasks that stream at the same time are printed whole, each with its number and name", async () => {
  const [started, half, other] = [deferred(), deferred(), deferred()];
  const one = speaking(
    [
      [started.promise, "I count ", half.resolve],
      [other.promise, "moons.", () => {}],
    ],
    "Two.",
  );
  const two = speaking(
    [
      [Promise.resolve(), "", started.resolve],
      [half.promise, "I count rings.", other.resolve],
    ],
    "Four.",
  );
  const starts = ["Moons", "Rings"].map((name) => ({
    ...{ mode: "code", message: `Count ${name}.`, name, profile: name === "Moons" ? "one" : "two" },
  }));
  const model = scripted([
    starts.flatMap((input, index) => scriptedToolCall("new_task", input, `toolu_${index}`)),
    () => complete("All done."),
  ]);
  const named = { one: scripted([one]), two: scripted([two]) };
  await using run = await open(undefined, {}, { model, models: { named } });
  run.printer.start();
  expect(await run.code).toBe(0);
  await run.printer.close();
  const lines = run.said().split("\n");
  expect(lines).toContain("[subtask 1 (Moons)] [assistant] I count moons.");
  expect(lines).toContain("[subtask 2 (Rings)] [assistant] I count rings.");
  expect(lines.filter((line) => line.endsWith(" ended]")).toSorted()).toEqual([
    "[subtask 1 (Moons) ended]",
    "[subtask 2 (Rings) ended]",
  ]);
});

describe("a run that prints text, without a user", () => {
  test.each([
    ["is open and silent", (_stdin: PassThrough) => {}, ["A number, or your own answer: "]],
    ["has ended", (stdin: PassThrough) => stdin.end(), []],
  ])(
    "a question waits 60 s for an answer, then gets its first suggestion, where the input %s",
    async (_, leave, asked) => {
      await using run = await open(`[${ASK}, ${DONE}]`);
      leave(run.stdin);
      run.printer.start();
      await run.rig.ask("question");
      run.clock.moveTo(1000 + FOLLOWUP_WAIT_MS - 1);
      expect(run.rig.task.state.state).toBe("waiting_for_input");
      run.clock.moveTo(1000 + FOLLOWUP_WAIT_MS);
      expect(await run.code).toBe(0);
      await run.printer.close();
      expect(run.said()).toBe(
        [
          "[question] Which?",
          "  1. left",
          "  2. right",
          "[waiting 60 s for an answer, then the answer is: left]",
          ...asked,
          "[answer] left",
          "[task complete] Done.",
          "",
        ].join("\n"),
      );
    },
  );

  test("no timer or listener is active after it has ended", async () => {
    await using run = await open(`[${ASK}, ${DONE}]`);
    run.printer.start();
    await run.rig.ask("question");
    run.printer.interrupt();
    expect(await run.code).toBe(130);
    expect(run.clock.waiting).toBe(0);
  });
});
