import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Printer, type PrintSettings } from "../../../cli/print/printer.ts";
import { Exit } from "../../../cli/run/exit.ts";
import { FOLLOWUP_WAIT_MS } from "../../../client/roo/console/ask-handlers.ts";
import { allowEverything } from "../../../tools/index.ts";
import { TestClock } from "../../actors/protocol/host.ts";
import { DONE, openRig } from "../../support/host.ts";

const ASK = `{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }, { text: right }] } }`;

/** A printer on a script, with a clock of the test's. */
async function open(script: string, settings: Partial<PrintSettings> = {}) {
  const rig = await openRig({ script, policy: allowEverything() });
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
