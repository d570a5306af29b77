import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { allowEverything } from "../../../tools/index.ts";
import { openRig, type Rig } from "../../support/host.ts";
import {
  completes,
  MODES,
  openedTask,
  openSubtaskRig,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const READS = `turns:
  - { tool: read_file, input: { path: notes.md } }
  - { tool: attempt_completion, input: { result: Read. } }
`;

/** A subtask that calls a tool, and then completes. */
const TWO_STEPS = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
  { mode: "one", after: "update_todo_list", turn: completes("One done.") },
  { mode: "one", turn: `{ tool: update_todo_list, input: { todos: "[ ] one" } }` },
);

/** Pauses the task when its first tool or first subtask starts, or the first tool of its subtask. */
function pauseInCall(
  { task }: Pick<Rig, "task">,
  started: "tool" | "subtask" = "tool",
  watched = task,
): void {
  const subscription = watched.events$.subscribe(({ commit }) => {
    if (!commit.effects.some(({ type, effect }) => type === "effect.started" && effect === started)) return;
    subscription.unsubscribe();
    expect(task.pause()).toEqual({ ok: true });
  });
}

const POLICY = { permissions: { judge: allowEverything() }, modes: MODES };

const sentBy = ({ mock }: Rig) => mock?.requests ?? [];

describe("a paused task (PAUSE)", () => {
  test("rests after the running call has ended, and a run continues it without a message about the pause", async () => {
    await using rig = await openRig({ script: READS, files: { "notes.md": "A note." } });
    pauseInCall(rig);
    const end = await rig.task.run("Read the notes");
    expect(end.state).toBe("resumable");
    expect(rig.task.log.at(-1)).toMatchObject({ ask: "resume_task", reason: "paused" });
    expect(rig.task.asks).toMatchObject([{ kind: "resume", reason: "paused" }]);
    expect(sentBy(rig)).toHaveLength(1);
    expect(await rig.task.run()).toMatchObject({ result: "Read." });
    expect(sentBy(rig)).toHaveLength(2);
    expect(JSON.stringify(sentBy(rig)[1])).not.toContain("interrupted");
    const says = rig.task.log.toArray().filter(({ say }) => say === "error");
    expect(says).toEqual([]);
  });

  test("is at rest, so that it can't be paused again", async () => {
    await using rig = await openRig({ script: READS, files: { "notes.md": "A note." } });
    expect(rig.task.pause()).toMatchObject({ ok: false, code: "TASK_AT_REST" });
    await rig.task.run("Read the notes");
    expect(rig.task.pause()).toMatchObject({ ok: false, code: "TASK_AT_REST" });
  });

  test("is paused together with all other tasks of its host that work", async () => {
    await using rig = await openRig({ script: READS, files: { "notes.md": "A note." } });
    const { model, host, dir: workspace } = rig;
    const other = await host.create({ model, workspace });
    const idle = await host.create({ model, workspace });
    const ends = [rig.task.run("Read the notes"), other.run("Read the notes")];
    expect(host.pauseAll()).toEqual([rig.task, other]);
    for (const end of ends) expect((await end).state).toBe("resumable");
    expect(idle.state.state).toBe("no_task");
    expect(sentBy(rig)).toHaveLength(0);
    expect(host.pauseAll()).toEqual([]);
    expect(await other.run()).toMatchObject({ result: "Read." });
  });

  test("stays paused while its process is gone", async () => {
    await using rig = await openRig({ script: READS, files: { "notes.md": "A note." } });
    pauseInCall(rig);
    await rig.task.run("Read the notes");
    const { id } = rig.task;
    await rig.host.close(id);
    const reopened = await rig.host.open(id, { model: rig.model });
    expect(reopened.snapshot.context.pause).toBe("resting");
    expect(reopened.log.at(-1)).toMatchObject({ ask: "resume_task", reason: "paused" });
    expect(await reopened.run()).toMatchObject({ result: "Read." });
    expect(JSON.stringify(sentBy(rig)[1])).not.toContain("interrupted");
  });

  test("has a subtask that pauses with it, and that its resume continues", async () => {
    await using rig = await openSubtaskRig(TWO_STEPS);
    const opened = openedTask(rig.host, `${rig.task.id}.1`);
    const ended = rig.task.run("Do it");
    pauseInCall(rig, "tool", await opened);
    expect((await ended).state).toBe("resumable");
    expect(rig.task.asks).toMatchObject([{ kind: "resume", reason: "paused" }]);
    expect(sentBy(rig)).toHaveLength(2);
    expect(await rig.task.run()).toMatchObject({ result: "All done." });
    expect(JSON.stringify(sentBy(rig)[2])).not.toContain("interrupted");
  });

  test("rests when the subtask that it waits for was paused before it", async () => {
    await using rig = await openSubtaskRig(TWO_STEPS);
    const opened = openedTask(rig.host, `${rig.task.id}.1`);
    const ended = rig.task.run("Do it");
    const child = await opened;
    pauseInCall({ task: child }, "tool");
    await firstValueFrom(child.asks$.pipe(filter(({ kind }) => kind === "resume")));
    expect(rig.task.pause()).toEqual({ ok: true });
    expect((await ended).state).toBe("resumable");
    expect(await rig.task.run()).toMatchObject({ result: "All done." });
    expect(sentBy(rig)).toHaveLength(4);
  });

  test("has a subtask of a subtask that pauses with it, also while its process is gone", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        { mode: "one", after: "new_task", turn: completes("One done.") },
        { mode: "one", turn: subtask("two") },
        { mode: "two", after: "update_todo_list", turn: completes("Two done.") },
        { mode: "two", turn: `{ tool: update_todo_list, input: { todos: "[ ] two" } }` },
      ),
    );
    const { id } = rig.task;
    const opened = openedTask(rig.host, `${id}.1.1`);
    const ended = rig.task.run("Do it");
    pauseInCall(rig, "tool", await opened);
    expect((await ended).state).toBe("resumable");
    expect(rig.task.asks).toMatchObject([{ kind: "resume", reason: "paused" }]);
    await rig.host.close(id);
    const reopened = await rig.host.open(id, { model: rig.model, ...POLICY });
    expect(await reopened.run()).toMatchObject({ result: "All done." });
    expect(JSON.stringify(sentBy(rig))).not.toContain("interrupted");
    expect(sentBy(rig)).toHaveLength(6);
  });

  test("leaves its subtask as it is, if it is resumed and paused again before the subtask is", async () => {
    await using rig = await openSubtaskRig(TWO_STEPS);
    const opened = openedTask(rig.host, `${rig.task.id}.1`);
    const ended = rig.task.run("Do it");
    pauseInCall(rig, "tool", await opened);
    await ended;
    const reopened = openedTask(rig.host, `${rig.task.id}.1`);
    pauseInCall(rig, "subtask");
    const again = rig.task.run();
    const child = await reopened;
    expect((await again).state).toBe("resumable");
    const asks = child.log.toArray().filter(({ ask }) => ask === "resume_task");
    expect(asks).toMatchObject([{ reason: "paused" }]);
    expect(sentBy(rig)).toHaveLength(2);
    expect(await rig.task.run()).toMatchObject({ result: "All done." });
  });

  test("has a subtask that pauses with it, also if its failed request is retried later", async () => {
    const todo = `{ tool: update_todo_list, input: { todos: "[ ] one" } }`;
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        { mode: "one", after: "update_todo_list", turn: completes("One done.") },
        { mode: "one", turn: `{ status: 401 }, ${todo}` },
      ),
    );
    const opened = openedTask(rig.host, `${rig.task.id}.1`);
    const ended = rig.task.run("Do it");
    const child = await opened;
    const { id } = await firstValueFrom(child.asks$);
    expect(rig.task.pause()).toEqual({ ok: true });
    expect(child.answer(id, { kind: "yes" })).toEqual({ ok: true });
    expect((await ended).state).toBe("resumable");
    expect(child.log.at(-1)).toMatchObject({ ask: "resume_task", reason: "paused" });
    expect(sentBy(rig)).toHaveLength(3);
    expect(await rig.task.run()).toMatchObject({ result: "All done." });
  });

  test("L16: pauses a subtask that is being created, whose work is neither lost nor repeated", async () => {
    await using rig = await openSubtaskRig(TWO_STEPS);
    pauseInCall(rig, "subtask");
    expect((await rig.task.run("Do it")).state).toBe("resumable");
    expect(rig.task.log.at(-1)).toMatchObject({ reason: "paused" });
    expect(rig.task.pause()).toMatchObject({ ok: false, code: "TASK_AT_REST" });
    expect(await rig.task.run()).toMatchObject({ result: "All done." });
    const results = rig.task.log.toArray().filter(({ say }) => say === "subtask_result");
    expect(results).toMatchObject([{ text: "One done." }]);
    expect(sentBy(rig)).toHaveLength(4);
  });
});
