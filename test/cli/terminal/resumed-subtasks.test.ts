import { describe, expect, onTestFinished, test } from "vitest";
import { Terminal } from "../../../cli/terminal/terminal.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { merge, openRepository, writer } from "../../support/isolated-subtasks.ts";
import { scripted } from "../../support/model.ts";
import {
  askOf,
  Crash,
  completes,
  openSubtaskRig,
  scriptByMode,
  scriptOfRoot,
} from "../../support/subtasks.ts";
import { FakeTerminal, NO_MODELS, NO_RULES } from "./fake-terminal.ts";

/** The terminal of a run of this task. Without a prompt the task is resumed. */
function show(task: Task, host: Host, dataDir: string, prompt: string | undefined): FakeTerminal {
  const terminal = new FakeTerminal({ rows: 80, columns: 120 });
  const ui = new Terminal(
    task,
    host,
    {
      ...{ prompt, isPlain: false, oneshot: false, exitOnError: false, isEphemeral: false },
      ...{ dataDir, secrets: [], rules: NO_RULES, model: NO_MODELS },
      task: { configDir: dataDir, modes: [] },
    },
    terminal.io,
    () => undefined,
  );
  onTestFinished(() => ui.close());
  ui.start();
  return terminal;
}

const named = (more = ""): string =>
  `{ tool: new_task, input: { mode: one, message: Work., name: The docs${more} } }`;

describe("a subtask on a terminal", () => {
  test("is named by its number and title where its files are merged", async () => {
    const script = scriptOfRoot([named(), merge("root.1")], ...writer("one", "a.txt", "ours\\n"));
    await using rig = await openRepository(script);
    const terminal = show(rig.task, rig.host, rig.dataDir, "Do it");
    await terminal.shows("* Merge the files of subtask 1 (The docs)");
    await terminal.shows("Type what is missing");
    expect(await rig.file("a.txt")).toBe("ours\n");
  });

  test("has its model in the line of its start, if it is another one", async () => {
    const script = scriptOfRoot([named(", profile: fast"), named()], {
      mode: "one",
      turn: completes("One done."),
    });
    const fast = { ...scripted([]), id: "fast-1" };
    await using rig = await openSubtaskRig(script, { models: { named: { fast } } });
    const terminal = show(rig.task, rig.host, rig.dataDir, "Do it");
    await terminal.shows("== Subtask 1 (The docs) started, mode one, model fast-1");
  });

  test("says after a crash that its command may still run", async () => {
    const script = scriptByMode(
      { mode: "code", turn: named() },
      { mode: "one", turn: '{ tool: execute_command, input: { command: "mkfifo wait && cat wait" } }' },
    );
    await using rig = await openSubtaskRig(script);
    rig.task.run("Do it").catch(() => undefined);
    await askOf(rig.host, `${rig.task.id}.1`, "command_output");
    await using copy = await new Crash(rig).open();
    const terminal = show(copy.task, copy.host, rig.dataDir, undefined);
    await terminal.shows("Enter to resume");
    await terminal.enter("", "== Subtask 1 (The docs) resumed, mode one");
    await terminal.shows("The outcome of execute_command is uncertain");
    expect(terminal.text.join("\n")).toContain("Its command may still run.");
  });
});
