import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JournalDriver } from "../../../ports/journal.ts";
import { createHost } from "../../../runtime/host.ts";
import { deliverInbox } from "../../../runtime/inbox/inbox-delivery.ts";
import { readJournal } from "../../../store/journal/reader.ts";
import { scripted } from "../../support/model.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { program } from "../../support/program.ts";
import { PostgresRig } from "./rig.ts";

interface Report {
  readonly cause?: string;
  readonly removes?: number;
  readonly error?: string;
}

/** The taken commands, with what they caused. */
async function takenIn(driver: JournalDriver): Promise<readonly (readonly [number, string])[]> {
  const taken: (readonly [number, string])[] = [];
  for await (const record of readJournal(driver, { onTail: () => {} }))
    if (record.kind === "commit" && record.inbox !== undefined)
      taken.push([record.inbox.position, record.cause?.type ?? record.inbox.refused ?? "nothing"]);
  return taken;
}

describe.skipIf(!hasPostgres)("processes that own a task one after the other", () => {
  let rig: PostgresRig;
  let folder = "";
  let owner = "";
  beforeAll(async () => {
    rig = await PostgresRig.start();
    folder = await mkdtemp(path.join(tmpdir(), "inbox-owners-"));
    owner = await program(new URL("./owner.child.ts", import.meta.url));
  });
  afterAll(async () => {
    await rig.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Start a process that owns a new task. */
  function start(task: string, ...more: readonly string[]) {
    const child = fork(owner, [rig.cluster.url(), task, ...more]);
    const reports: Report[] = [];
    child.on("message", (report: Report) => reports.push(report));
    const until = async (fits: (report: Report) => boolean): Promise<void> => {
      while (!reports.some(fits)) await once(child, "message");
    };
    return { child, reports, until };
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** Own the task in this process, and take what its inbox has. */
  async function takeOver(id: string) {
    const store = await rig.store();
    const host = createHost({ dataDir: folder, journal: store.journal });
    const task = await host.open(id, { model: scripted([]) });
    const errors: unknown[] = [];
    const delivery = deliverInbox({ task, inbox: store.inbox, onError: (error) => errors.push(error) });
    await delivery.taken();
    const queued = task.snapshot.context.queue.map(({ text }) => text);
    const shown = task.log.toArray().flatMap(({ say, text }) => (say === "user_feedback" ? [text] : []));
    await host.closeAll();
    expect(errors).toEqual([]);
    return { texts: [...shown, ...queued].toSorted(), taken: await takenIn(store.journal(id)) };
  }

  test("take a row once that is delivered again, because its owner was killed before it was removed, and in order", async () => {
    const { inbox } = await rig.store();
    const id = rig.newTask();
    await inbox.put(id, "start", { kind: "start", prompt: "Go" });
    await inbox.put(id, "first", { kind: "message", text: "first" });
    const { child, until } = start(id, "keeps");
    await until(({ removes }) => removes === 2);
    await kill(child);
    expect((await inbox.after(id, 0)).map(({ position }) => position)).toEqual([1, 2]);
    // Nobody owns the task.
    await inbox.put(id, "second", { kind: "message", text: "second" });
    await inbox.put(id, "third", { kind: "pause" });
    await rig.expire(id);
    const { texts, taken } = await takeOver(id);
    expect(taken).toEqual([
      [1, "task.start"],
      [2, "queue.added"],
      [3, "ask.answered"],
      [4, "task.pause"],
    ]);
    expect(texts).toEqual(["first", "second"]);
    expect(await inbox.after(id, 0)).toEqual([]);
  });

  test.each([0, 1, 3, 6])(
    "take each row once, whenever the owner is killed (after %i commits)",
    async (commits) => {
      const { inbox } = await rig.store();
      const id = rig.newTask();
      const texts = Array.from({ length: 8 }, (_, n) => `message ${n}`);
      await inbox.put(id, "start", { kind: "start", prompt: "Go" });
      const { child, until, reports } = start(id);
      await until(({ cause }) => cause === "task.start");
      const puts = texts.map((text) => inbox.put(id, text, { kind: "message", text }));
      const added = () => reports.filter(({ cause }) => cause === "queue.added").length;
      if (commits > 0) await until(() => added() >= commits);
      await kill(child);
      await Promise.all(puts);
      await rig.expire(id);
      const { texts: found, taken } = await takeOver(id);
      expect(taken.map(([position]) => position)).toEqual(Array.from({ length: 9 }, (_, n) => n + 1));
      expect(found).toEqual(texts);
      expect(await inbox.after(id, 0)).toEqual([]);
    },
  );

  test("receive a cancel from another process while a request streams", async () => {
    const { inbox } = await rig.store();
    const id = rig.newTask();
    await inbox.put(id, "start", { kind: "start", prompt: "Go" });
    const { child, until, reports } = start(id);
    await until(({ removes }) => removes === 1);
    await inbox.put(id, "cancel", { kind: "cancel" });
    await until(({ cause }) => cause === "task.cancel");
    await until(({ removes }) => removes === 2);
    await kill(child);
    expect(reports.flatMap(({ error }) => error ?? [])).toEqual([]);
  });
});
