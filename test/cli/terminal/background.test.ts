import path from "node:path";
import { describe, expect, test } from "vitest";
import { endedCalls, readSubtaskNames, type SubtaskNames } from "../../../cli/show/subtask-names.ts";
import { Terminal } from "../../../cli/terminal/terminal.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { fileJournal } from "../../../store/index.ts";
import { scriptedToolCall } from "../../../testing/scripted-model.ts";
import { inBackground, openBackgroundRig, question } from "../../support/background-script.ts";
import type { Rig } from "../../support/host.ts";
import { scripted } from "../../support/model.ts";
import { askOf, Crash, completes, type Step } from "../../support/subtasks.ts";
import { FakeTerminal, NO_MODELS, NO_RULES } from "./fake-terminal.ts";

/** A task that starts a subtask in its background, then asks a question. */
const STEPS: readonly Step[] = [
  { mode: "code", after: "ask_followup_question", turn: completes("All done.") },
  { mode: "code", after: "new_task", turn: question("Mine?") },
  { mode: "code", turn: inBackground("one", ", name: Moons") },
  { mode: "one", turn: completes("Mars has two.") },
];

interface Opened {
  readonly host: Host;
  readonly task: Task;
}

/** The names of the subtasks that a resumed task has started. */
function namesOf({ log, snapshot }: Task, dir: string): Promise<SubtaskNames> {
  const { backgroundSubtasks } = snapshot.context;
  const calls = [...endedCalls(log.toArray()), ...backgroundSubtasks.map(({ callId }) => callId)];
  return readSubtaskNames(fileJournal({ dir }), calls);
}

/** The terminal of a task, as a run opens it. */
async function openTerminal({ host, task }: Opened, dataDir: string) {
  const terminal = new FakeTerminal({ rows: 60, columns: 120 });
  const isNew = task.log.length === 0;
  const names = isNew ? new Map<string, string>() : await namesOf(task, path.join(dataDir, "tasks", task.id));
  const ui = new Terminal(
    task,
    host,
    {
      ...{ isPlain: false, oneshot: false, exitOnError: false, isEphemeral: false },
      ...{ prompt: isNew ? "Do it" : undefined, dataDir, secrets: [], rules: NO_RULES, model: NO_MODELS },
      task: { configDir: dataDir, modes: [] },
    },
    terminal.io,
    () => {},
    { names },
  );
  ui.start();
  return { terminal, [Symbol.dispose]: () => ui.close() };
}

const ENDED = "== Subtask 1 (Moons) ended";
const endsIn = ({ text }: FakeTerminal): number => text.filter((row) => row.includes("ended")).length;
const open = (rig: Rig) => openTerminal(rig, rig.dataDir);

describe("the end of a subtask in the background", () => {
  test("is shown when it ends, with its number and name, and not again at the next request", async () => {
    await using rig = await openBackgroundRig(STEPS);
    using ui = await open(rig);
    const { terminal } = ui;
    await Promise.all([askOf(rig.host, rig.task.id, "question"), terminal.shows(ENDED)]);
    expect(rig.task.log.toArray().some(({ say }) => say === "subtask_result")).toBe(false);
    await terminal.enter("1", "Type what is missing");
    expect(rig.task.log.toArray().some(({ say }) => say === "subtask_result")).toBe(true);
    expect(endsIn(terminal)).toBe(1);
    expect(terminal.text.filter((row) => row.includes("Mars has two."))).toHaveLength(1);
  });

  test("that no request had is shown once in a resumed terminal, with its result", async () => {
    await using rig = await openBackgroundRig(STEPS);
    const running = rig.task.run("Do it");
    const ask = await askOf(rig.host, rig.task.id, "question");
    await expect.poll(() => rig.task.snapshot.context.backgroundSubtasks[0]?.end?.kind).toBe("finished");
    const crash = new Crash(rig);
    const { base } = crash;
    await using copy = await crash.open({ backgroundSubtasks: "wait", completion: "tool" });
    using ui = await openTerminal(copy, path.join(base, "data"));
    const { terminal } = ui;
    await terminal.shows(ENDED);
    await terminal.shows("Enter to resume");
    expect(endsIn(terminal)).toBe(1);
    await terminal.enter("", "Type what is missing");
    expect(endsIn(terminal)).toBe(1);
    expect(terminal.text.filter((row) => row.includes("Mars has two."))).toHaveLength(1);
    ask.answer("left");
    await running;
  });

  test("has its number and name in the messages of a resumed terminal", async () => {
    await using rig = await openBackgroundRig(STEPS);
    const running = rig.task.run("Do it");
    (await askOf(rig.host, rig.task.id, "question")).answer("left");
    await running;
    using ui = await open(rig);
    await ui.terminal.shows("Type what is missing");
    expect(ui.terminal.text.filter((row) => row.includes("ended"))).toEqual([ENDED]);
  });
});

describe("/tasks", () => {
  test("names a chosen subtask as the model named it", async () => {
    await using rig = await openBackgroundRig([
      { mode: "code", after: "new_task", turn: question("Mine?") },
      { mode: "code", turn: inBackground("one", ", name: Moons of Mars") },
      { mode: "one", turn: question("Which?") },
    ]);
    using ui = await open(rig);
    const { terminal } = ui;
    await Promise.all(["", ".1"].map((end) => askOf(rig.host, `${rig.task.id}${end}`, "question")));
    await terminal.shows("(q quits)");
    await terminal.enter(
      "/tasks 1",
      "Messages and commands are for subtask 1 (Moons of Mars) until it ends.",
    );
  });

  test("aligns names of any length, and shows the model of each task and which work in the background", async () => {
    const fast = scripted([
      scriptedToolCall("ask_followup_question", { question: "First?", follow_up: [{ text: "left" }] }),
    ]);
    const name = "The moons of Mars and of all other planets";
    await using rig = await openBackgroundRig(
      [
        { mode: "code", after: "new_task", turn: question("Mine?") },
        {
          mode: "code",
          turn: `[${inBackground("one", `, name: ${name}, profile: fast`)}, ${inBackground("two")}]`,
        },
        { mode: "two", turn: question("Second?") },
      ],
      { models: { named: { fast } } },
    );
    using ui = await open(rig);
    const { terminal } = ui;
    const ids = ["", ".1", ".2"].map((end) => `${rig.task.id}${end}`);
    await Promise.all(ids.map((id) => askOf(rig.host, id, "question")));
    await terminal.shows("(q quits)");
    await terminal.enter("/tasks", "asks: Second?");
    const rows = terminal.text.filter((row) => row.includes("asks: "));
    const [own, one, two] = rows;
    expect(own).toMatch(/^Task {36} code claude-sonnet-4-5 +asks: Mine\? · /);
    expect(one).toMatch(
      /^ {2}Subtask 1 \(The moons of Mars and of a… one {2}fast \S+ +background · asks: First\? · /,
    );
    expect(two).toMatch(/^ {2}Subtask 2 {29} two {2}claude-sonnet-4-5 +background · asks: Second\? · /);
    expect(new Set([own, one, two].map((row = "") => row.search(/(background · )?asks: /))).size).toBe(1);
  });
});
