import { describe, expect, test } from "vitest";
import { formatUnanswered } from "../../cli/run/unanswered.ts";
import { askChoices } from "../../cli/terminal/ask-choices.ts";
import { formatQuestion } from "../../cli/terminal/questions.ts";
import { formatState } from "../../cli/terminal/status-line.ts";
import { trustedMonitoring } from "../../control/protocols/trusted-monitoring.ts";
import { controllerOf, controlRig, suspicious } from "../support/control.ts";
import { DONE, type Rig } from "../support/host.ts";
import { signalbox } from "./in-process.ts";

const ATTACK = "{ tool: write_to_file, input: { path: a.txt, content: evil } }";
const ENDED = 'The protocol "trusted monitoring" ended the task: The audit found an attack.';

/** A rig whose task an audit has ended. */
async function endedRig(): Promise<Rig> {
  const control = controllerOf(trustedMonitoring({ threshold: 0.5 }), suspicious, {
    auditor: () => "attack",
  });
  const rig = await controlRig(control, { script: `[${ATTACK}, ${DONE}]` });
  await rig.task.run("Write");
  return rig;
}

const wordsIn = (choices: readonly { readonly row: string }[]): readonly string[] =>
  choices.map(({ row }) => row.replace(/\s+/, " "));

describe("a task that its control protocol ended", () => {
  test("is shown with the reason, without a failed request, and without a command that resumes it", async () => {
    await using rig = await endedRig();
    await rig.task.close();
    const { stdout } = await signalbox("show", rig.task.id, "--data-dir", rig.dataDir);
    expect(stdout).toMatch(/^State +ended by its protocol: .+$/m);
    expect(stdout).toContain(`\n${ENDED}\n`);
    expect(stdout).toContain("The control protocol ended the task, so it can't be resumed");
    expect(stdout).toMatch(/^To fork an earlier record: signalbox fork .* --at SEQ/m);
    expect(stdout).not.toContain("The request failed");
    expect(stdout).not.toContain("To resume");
  });

  test("is listed as ended, also as JSON", async () => {
    await using rig = await endedRig();
    await rig.task.close();
    const list = (...args: readonly string[]) =>
      signalbox("list", "--all", "--data-dir", rig.dataDir, ...args);
    expect((await list()).stdout).toMatch(/ ended by its protocol +.*Write {2}\(.+\)$/m);
    const { tasks } = JSON.parse((await list("--format", "json")).stdout);
    expect(tasks).toMatchObject([{ rest: "ended", isCompleted: false }]);
  });

  test("asks for no other try on a terminal: its words leave the task", async () => {
    await using rig = await endedRig();
    const ask = await rig.ask("failure");
    expect(ask.errorCode).toBe("shut_down");
    expect(formatQuestion(ask)).toBe("No request follows. n/q to leave: ");
    expect(wordsIn(askChoices(ask, {}))).toEqual(["n Leave", "q Quit"]);
    expect(formatState({ state: "idle", ask: ask.type, errorCode: ask.errorCode })).toBe(
      "ended by its protocol",
    );
    expect(formatUnanswered(ask, "this is print mode")).toContain("No request follows: start another task.");
  });
});
