import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { fromCallback } from "xstate";
import {
  skippedAfterSubtask,
  subtaskCancelled,
  subtaskFailed,
  subtaskFinished,
} from "../../../machines/conversation/notices.ts";
import type { EdgeLogic } from "../../../machines/task/task.setup.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { type JournalDriver, JournalError } from "../../../store/index.ts";
import { failingJournal } from "../../../testing/index.ts";
import { allowSubtasks, firstOf, type Policy } from "../../../tools/index.ts";
import { messagesOf, resultsOf } from "../../support/host.ts";
import {
  askOf,
  atCommit,
  completes,
  memoryJournals,
  NOTE,
  Notes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const isCompletion = ({ commit }: TaskCommit) => commit.reports.some(({ type }) => type === "task.completed");

/** A parent that starts a subtask and then completes. */
const parent = [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
];
/** A subtask that asks first. */
const asking = [
  { mode: "one", to: "later", turn: completes("Later.") },
  { mode: "one", after: "ask_followup_question", turn: completes("One done.") },
  { mode: "one", turn: QUESTION },
];
/** Three nested tasks: the last one asks. */
const deep = [
  ...parent,
  { mode: "one", after: "new_task", turn: completes("One done.") },
  { mode: "one", turn: subtask("two") },
  { mode: "two", after: "new_task", turn: completes("Two done.") },
  { mode: "two", turn: subtask("three") },
  { mode: "three", after: "ask_followup_question", turn: completes("Three done.") },
  { mode: "three", turn: QUESTION },
];

describe("L16: a subtask", () => {
  test("that completes gives its parent the result once and is closed; its journal is kept", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", turn: completes("One done.") }),
    );
    const { host, task } = rig;
    const child = openedTask(host, `${task.id}.1`);

    expect(await task.run("Do it")).toMatchObject({ ask: "completion", result: "All done." });

    const { id, parent: of, rootId, instanceId, log } = await child;
    expect(of).toEqual({ taskId: task.id, rootId: task.id, callId: expect.any(String) });
    expect(rootId).toBe(task.id);
    expect(instanceId).not.toBe(task.instanceId);
    expect(log.at(0)?.text).toBe("Work in one.");
    expect(messagesOf(await child)).toEqual([
      "say:text",
      "say:api_req_started",
      "say:completion_result",
      "ask:completion_result (expired)",
    ]);
    expect(messagesOf(task)).toEqual([
      "say:text",
      "say:api_req_started",
      "ask:tool (answered)",
      "say:tool",
      "say:subtask_result",
      "say:api_req_started",
      "say:completion_result",
      "ask:completion_result",
    ]);
    expect(subtaskResults(task)).toEqual(["One done."]);
    expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([subtaskFinished(id, "One done.")]);
    expect([...host.tasks.keys()]).toEqual([task.id]);
    const again = await host.open(id, { model: { id: "m", stream: () => never() } });
    expect(again.parent?.taskId).toBe(task.id);
    expect(again.state.currentAsk).toBe("resume_completed_task");
  });

  test("with an open ask is answered by a person while its parent waits (field failure 5)", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking));
    const { host, task } = rig;
    const end = task.run("Do it");
    const ask = await askOf(host, `${task.id}.1`, "question");
    const [top, child] = host.stack(task.id);
    expect(top).toBe(task);
    expect(host.focus(task.id)).toBe(child);
    expect(host.stack(child?.id ?? "")).toEqual([task, child]);
    expect(task.state).toMatchObject({ state: "running" });
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    expect(task.asks).toEqual([]);
    ask.answer("left");
    expect((await end).result).toBe("All done.");
    expect(host.stack(task.id)).toEqual([task]);
    expect(host.stack("nobody")).toEqual([]);
  });

  test("whose completion no policy allows waits for a person, who can reply", async () => {
    const onlyStart: Policy = ({ tool }) =>
      tool.effect === "delegates" ? { kind: "allow", rule: "start" } : { kind: "ask" };
    await using rig = await openSubtaskRig(
      scriptByMode(
        ...parent,
        { mode: "one", after: "attempt_completion", turn: completes("More.") },
        { mode: "one", turn: completes("One done.") },
      ),
      { policy: onlyStart },
    );
    const { host, task } = rig;
    const end = task.run("Do it", { onAsk: () => {} });
    const first = await askOf(host, `${task.id}.1`, "completion");
    expect(task.snapshot.value).toEqual({ running: "delegated" });
    first.answer("more");
    const child = host.focus(task.id);
    await child?.settled();
    (await askOf(host, `${task.id}.1`, "completion")).approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual(["More."]);
  });

  test("completes by the policy; the root task's completion is always a person's", async () => {
    const judged: (boolean | undefined)[] = [];
    const policy: Policy = ({ tool }, { subtask: isSubtask }) => {
      if (tool.name === "attempt_completion") judged.push(isSubtask);
      return { kind: "ask" };
    };
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", turn: completes("One done.") }),
      {
        policy: firstOf(policy, allowSubtasks()),
      },
    );
    expect(await rig.task.run("Do it")).toMatchObject({ ask: "completion" });
    expect(rig.task.log.at(-1)?.closing).toBeUndefined();
    expect(judged).toEqual([true, undefined]);
  });

  test("cancelled by its own user gives one outcome; its later work does not affect the parent", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking));
    const { host, task } = rig;
    const end = task.run("Do it");
    await askOf(host, `${task.id}.1`, "question");
    const child = await openedTask(host, `${task.id}.1`);
    child.cancel();
    const completed = atCommit(host, child.id, isCompletion);
    const later = child.run("later");
    expect((await end).result).toBe("All done.");
    const messages = messagesOf(task);
    expect(subtaskResults(task)).toEqual([subtaskCancelled(child.id)]);
    expect(host.tasks.get(child.id)).toBe(child);
    const stacks = () => [task, child].map(({ id }) => host.stack(id).map((each) => each.id));
    expect(stacks()).toEqual([[task.id], [child.id]]);

    expect((await later).result).toBe("Later.");
    await completed;
    expect(child.log.at(-1)?.closing).toBe("expired");
    await task.flushed();
    expect(messagesOf(task)).toEqual(messages);

    // Nor does it belong to the parent again when it is opened.
    await host.close(child.id);
    await host.open(child.id, { model: { id: "m", stream: () => never() } });
    expect(stacks()).toEqual([[task.id], [child.id]]);
    expect(messagesOf(task)).toEqual(messages);

    await task.close();
    expect([...host.tasks.keys()]).toEqual([]);
  });

  test("is cancelled with its parent, synchronously and once, and closed (field failure 5)", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking));
    const { host, task } = rig;
    const end = task.run("Do it");
    const ask = await askOf(host, `${task.id}.1`, "question");
    const child = await openedTask(host, `${task.id}.1`);
    const causes: unknown[] = [];
    child.events$.subscribe(({ commit: { cause } }) =>
      causes.push(cause?.type === "task.cancel" ? `a cancel from the ${cause.origin}` : cause?.type),
    );
    const closed = new Promise<void>((resolve) => child.events$.subscribe({ complete: () => resolve() }));
    task.cancel();
    expect(ask.answer("left")).toMatchObject({ ok: false, code: "ASK_CLOSED" });
    expect(await end).toMatchObject({ state: "resumable" });
    await closed;
    expect(causes).toEqual(["a cancel from the parent"]);
    expect(messagesOf(child).at(-1)).toBe("ask:resume_task");
    expect(messagesOf(child)).toHaveLength(4);
    expect([...host.tasks.keys()]).toEqual([task.id]);
    expect(task.log.toArray().filter(({ say }) => say === "subtask_result")).toEqual([]);
    const resumed = task.run("go on");
    expect((await resumed).result).toBe("All done.");
    expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([subtaskCancelled(child.id)]);
  });

  test("is closed with its parent, also while it works, and none of its effects continues", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, {
        mode: "one",
        turn: '{ tool: execute_command, input: { command: "sleep 300" } }',
      }),
    );
    const { host, task } = rig;
    task.run("Do it").catch(() => undefined);
    await askOf(host, `${task.id}.1`, "command_output");
    await task.close();
    expect([...host.tasks.keys()]).toEqual([]);
  });

  test("closed by its own user counts as cancelled", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking));
    const { host, task } = rig;
    const end = task.run("Do it");
    await askOf(host, `${task.id}.1`, "question");
    await host.close(`${task.id}.1`);
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(task)).toEqual([subtaskCancelled(`${task.id}.1`)]);
  });

  test("that is rejected is never created", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent), { policy: () => ({ kind: "ask" }) });
    const { host, task } = rig;
    const opened: string[] = [];
    host.opened$.subscribe(({ id }) => opened.push(id));
    const end = task.run("Do it");
    const ask = await rig.ask("tool");
    expect(JSON.parse(ask.text)).toEqual({
      tool: "newTask",
      mode: "one",
      content: "Work in one.",
      todos: "",
    });
    ask.reject();
    expect((await end).result).toBe("All done.");
    expect(opened).toEqual([]);
  });

  test("skips the calls after it, and gets its todo list", async () => {
    const notes = new Notes();
    const plan = '{ tool: new_task, input: { mode: one, message: Work., todos: "[ ] first" } }';
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "code", after: "note", turn: completes("All done.") },
        { mode: "code", turn: `[${plan}, ${NOTE}]` },
        { mode: "one", turn: completes("One done.") },
      ),
      { tools: [notes.tool] },
    );
    const child = openedTask(rig.host, `${rig.task.id}.1`);
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    expect(notes.count).toBe(0);
    expect(resultsOf(rig.sent().at(-1) ?? [])).toEqual([
      subtaskFinished(`${rig.task.id}.1`, "One done."),
      skippedAfterSubtask("note"),
    ]);
    expect((await child).log.at(0)?.text).toBe("Work.\n\nTodo list:\n[ ] first");
  });

  test("beyond the nesting limit is rejected with the limit's name (L14, field failure 12)", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...deep), { host: { subtaskDepth: 1 } });
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    const refusal = rig
      .sent()
      .flatMap(resultsOf)
      .find((text) => text.includes("subtaskDepth"));
    expect(refusal).toContain("nested 1 deep (the limit `subtaskDepth`)");
    expect(subtaskResults(rig.task)).toEqual(["One done."]);
  });

  test("is included in the total usage of its parent", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...deep));
    const end = rig.task.run("Do it");
    (await askOf(rig.host, `${rig.task.id}.1.1.1`, "question")).answer("left");
    const { cost } = await end;
    const family = await rig.task.totalUsage();
    expect(rig.sent()).toHaveLength(8);
    expect(family.cost).toBeGreaterThan(cost ?? Number.NaN);
    await using second = await openSubtaskRig(scriptByMode(...parent), {});
    expect(await second.task.totalUsage()).toMatchObject({ cost: 0 });
    // The same from the journals, in a new host.
    await rig.host.close(rig.task.id);
    const again = await rig.host.open(rig.task.id, { model: { id: "m", stream: () => never() } });
    expect(await again.totalUsage()).toEqual(family);
  });
});

describe("L16: a subtask that fails gives its parent the reason", () => {
  test("when its workspace is missing", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking), {
      policy: () => ({ kind: "ask" }),
    });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("tool");
    await rm(rig.dir, { recursive: true });
    ask.approve();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(rig.task)).toEqual([expect.stringContaining(`Subtask ${rig.task.id}.1 failed: `)]);
    expect(subtaskResults(rig.task)[0]).toContain(rig.dir);
    expect(rig.host.tasks.size).toBe(1);
  });

  test.each([1, 2, 3])("when its journal can't be written from write %i on", async (at) => {
    const full = new JournalError("JOURNAL_FULL", "(disk)", "The disk is full.");
    const journals = memoryJournals();
    const journal = (taskId: string) => {
      const driver = journals(taskId);
      return taskId.includes(".")
        ? failingJournal(driver, (write) => (write >= at ? full : undefined))
        : driver;
    };
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking), { journal });
    const end = await rig.task.run("Do it");
    expect(end.result).toBe("All done.");
    expect(subtaskResults(rig.task)).toEqual([
      subtaskFailed(`${rig.task.id}.1`, "its journal could not be written"),
    ]);
    expect(rig.host.tasks.size).toBe(1);
  });

  test("when its journal can't record the completion ask, which then can't be accepted", async () => {
    const full = new JournalError("JOURNAL_FULL", "(disk)", "The disk is full.");
    const journals = memoryJournals();
    const journal = (taskId: string): JournalDriver => {
      const driver = journals(taskId);
      const isOffer = (line: string): boolean => line.includes('"after":"idle.completing"');
      return {
        ...driver,
        append: async (lines, options) => {
          if (taskId.includes(".") && lines.some(isOffer)) throw full;
          await driver.append(lines, options);
        },
      };
    };
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", turn: completes("One done.") }),
      { journal },
    );
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    expect(subtaskResults(rig.task)).toEqual([
      subtaskFailed(`${rig.task.id}.1`, "its journal could not be written"),
    ]);
  });

  test("when it breaks an invariant", async () => {
    const throwing: EdgeLogic<"context"> = fromCallback(() => {
      throw new Error("this can't be");
    });
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking), {
      mayReportErrors: true,
      actors: ({ context }) => ({
        context: {
          ...context,
          start: (state, scope) => (state.input?.mode === "one" ? throwing : context).start?.(state, scope),
        },
      }),
    });
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    expect(subtaskResults(rig.task)).toEqual([expect.stringContaining("this can't be")]);
    expect(rig.host.tasks.size).toBe(1);
    expect(rig.errors).toHaveLength(1);
  });

  test("when its id belongs to another task", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking));
    const id = `${rig.task.id}.1`;
    const other = await rig.host.create({
      id,
      model: { id: "m", stream: () => never() },
      workspace: rig.dir,
    });
    const end = other.run("Do something else");
    other.cancel();
    await end;
    await rig.host.close(id);
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    expect(subtaskResults(rig.task)).toEqual([
      expect.stringContaining("belongs to a task that another call started"),
    ]);
  });
});

describe("L16: three nested tasks", () => {
  test("pass each subtask's result to its parent", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...deep));
    const { host, task } = rig;
    const end = task.run("Do it");
    const ask = await askOf(host, `${task.id}.1.1.1`, "question");
    const stack = host.stack(task.id);
    expect(stack.map(({ id }) => id)).toEqual([
      task.id,
      `${task.id}.1`,
      `${task.id}.1.1`,
      `${task.id}.1.1.1`,
    ]);
    expect(stack.map(({ rootId }) => rootId)).toEqual(stack.map(() => task.id));
    ask.answer("left");
    expect((await end).result).toBe("All done.");
    expect(stack.map(subtaskResults)).toEqual([["One done."], ["Two done."], ["Three done."], []]);
    expect([...host.tasks.keys()]).toEqual([task.id]);
  });

  test("are all cancelled by a cancel of the root, once each, and its descendants are closed", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...deep));
    const { host, task } = rig;
    const end = task.run("Do it");
    await askOf(host, `${task.id}.1.1.1`, "question");
    const stack = host.stack(task.id);
    task.cancel();
    expect(await end).toMatchObject({ state: "resumable" });
    await task.close();
    for (const { log } of stack) {
      expect(log.at(-1)?.ask).toBe("resume_task");
      expect(log.toArray().filter(({ ask }) => ask === "resume_task")).toHaveLength(1);
    }
    expect([...host.tasks.keys()]).toEqual([]);
  });

  test("are cancelled below a cancelled parent, and the root continues", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...deep));
    const { host, task } = rig;
    const end = task.run("Do it");
    await askOf(host, `${task.id}.1.1.1`, "question");
    const [, , middle, last] = host.stack(task.id);
    middle?.cancel();
    expect((await end).result).toBe("All done.");
    expect(subtaskResults(await openedTask(host, task.id))).toEqual(["One done."]);
    expect(last?.log.at(-1)?.ask).toBe("resume_task");
    expect(host.stack(task.id)).toEqual([task]);
    expect(host.tasks.get(middle?.id ?? "")).toBe(middle);
  });
});

async function* never(): AsyncGenerator<never> {
  await new Promise(() => {});
}
