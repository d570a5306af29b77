import { describe, expect, test } from "vitest";
import { type JournalDriver, JournalError, memoryJournal } from "../../store/index.ts";
import { failingJournal } from "../../testing/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { DONE, messagesOf, openRig } from "../support/host.ts";
import { deferred } from "../support/model.ts";

const write = "{ tool: write_to_file, input: { path: a, content: x } }";

/** A memory journal that delays matching writes until the test releases them. */
function lateJournal(holds: (lines: readonly string[]) => boolean) {
  const memory = memoryJournal();
  const held = deferred();
  const free = deferred();
  const driver: JournalDriver = {
    ...memory,
    async append(lines, options) {
      if (holds(lines)) {
        held.resolve();
        await free.promise;
      }
      await memory.append(lines, options);
    },
  };
  return { driver, held: held.promise, letGo: free.resolve };
}

describe("L11: a commit is durable before it is shown and before its effects start:", () => {
  test("nothing is shown, asked or sent during the first write", async () => {
    const late = lateJournal(() => true);
    await using rig = await openRig({ script: `[${DONE}]`, journal: () => late.driver });
    const end = rig.task.run("Do it");
    await late.held;
    expect(rig.shown).toEqual([]);
    expect(rig.task.log.length).toBe(0);
    expect(rig.task.state.state).toBe("no_task");
    expect(rig.sent()).toEqual([]);
    late.letGo();
    expect((await end).result).toBe("Done.");
  });

  test("a call does not run, and its message is not shown, before its decision is written (L7)", async () => {
    const late = lateJournal((lines) => lines.some((line) => line.includes('"decisions"')));
    await using rig = await openRig({
      script: `[${write}, ${DONE}]`,
      journal: () => late.driver,
      policy: allowEverything(),
    });
    const end = rig.task.run("Do it");
    await late.held;
    expect(messagesOf(rig.task)).not.toContain("say:tool");
    await expect(rig.file("a")).rejects.toThrow("ENOENT");
    late.letGo();
    expect((await end).result).toBe("Done.");
    expect(await rig.file("a")).toBe("x");
  });

  test("an ask can be answered only after its message is written", async () => {
    const late = lateJournal((lines) => lines.some((line) => line.includes('"effect":"ask"')));
    await using rig = await openRig({ script: `[${write}, ${DONE}]`, journal: () => late.driver });
    const end = rig.task.run("Do it");
    await late.held;
    expect(rig.task.asks).toEqual([]);
    expect(rig.task.state.state).toBe("streaming");
    late.letGo();
    (await rig.ask("tool")).approve();
    expect((await end).result).toBe("Done.");
  });
});

describe("a journal that fails", () => {
  const full = () =>
    new JournalError("JOURNAL_FULL", "(memory)", "The disk is full. Free some space, then go on.");

  test.each([1, 2, 3, 4])(
    "at write %i settles the task with one commit that is not durable; it resumes when the journal works again",
    async (at) => {
      let isFull = true;
      const driver = failingJournal(memoryJournal(), (write) => (write >= at && isFull ? full() : undefined));
      await using rig = await openRig({
        script: `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [${write}, ${DONE}] }]`,
        journal: () => driver,
        policy: allowEverything(),
      });

      await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
      expect(rig.task.state).toMatchObject({ state: "resumable", currentAsk: "resume_task" });
      expect(rig.shown.filter(({ durable }) => !durable)).toHaveLength(1);
      expect(rig.shown.at(-1)?.durable).toBe(false);
      expect(rig.task.asks).toEqual([]);
      expect(rig.task.log.toArray().find(({ say }) => say === "error")?.text).toContain("disk is full");
      await expect(rig.task.run("go on")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
      await expect(rig.task.flushed()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
      expect(rig.shown.filter(({ durable }) => !durable)).toHaveLength(1);

      isFull = false;
      await rig.task.flushed();
      expect(rig.task.asks.map(({ kind }) => kind)).toEqual(["resume"]);
      expect((await rig.task.run("go on")).result).toBe("Done.");
    },
  );

  test("permanently rejects the task's close()", async () => {
    const driver = failingJournal(memoryJournal(), (write) => (write > 2 ? full() : undefined));
    const rig = await openRig({ script: `[${DONE}]`, journal: () => driver });
    await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    await expect(rig.host.closeAll()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    expect(rig.host.tasks.size).toBe(0);
    await rig[Symbol.asyncDispose]();
  });
});
