import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { filter, firstValueFrom } from "rxjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deferred } from "../../../cluster/deferred.ts";
import type { JournalDriver } from "../../../ports/journal.ts";
import type { HeldLease, Leases } from "../../../ports/ownership.ts";
import { createHost } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { TemporaryFile } from "../../../store/files/temporary-file.ts";
import { openPostgres } from "../../../store/postgres/store.ts";
import { scriptedModel, scriptedToolCall } from "../../../testing/index.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { commit, contentOf, header, lines, readAll } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

/** The leases of a process. The test loses the current one. */
class LosableLeases implements Leases {
  readonly #register: () => Promise<string>;
  #current: { readonly lease: HeldLease; readonly lost: AbortController } | undefined;

  constructor(register: () => Promise<string>) {
    this.#register = register;
  }

  async held(): Promise<HeldLease> {
    if (this.#current === undefined || this.#current.lost.signal.aborted) {
      const lost = new AbortController();
      const lease = { worker: await this.#register(), lost: lost.signal, holds: () => !lost.signal.aborted };
      this.#current = { lease, lost };
    }
    return this.#current.lease;
  }

  async end(): Promise<void> {}

  lose(): void {
    this.#current?.lost.abort();
  }
}

/** A file on a disk without space. */
class FullFile extends TemporaryFile {
  override async write(): Promise<never> {
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  }
}

/** A file whose writes wait for the test. */
class HeldFile extends TemporaryFile {
  readonly #released = deferred();

  override async write(content: Uint8Array) {
    await this.#released.promise;
    return super.write(content);
  }

  release(): void {
    this.#released.resolve();
  }
}

/** Asks a question, then completes. */
const model = () =>
  scriptedModel((turn) =>
    turn === 0
      ? scriptedToolCall("ask_followup_question", {
          question: "Which?",
          follow_up: [
            { text: "one", mode: null },
            { text: "two", mode: null },
          ],
        })
      : scriptedToolCall("attempt_completion", { result: `Done ${turn}.` }),
  );

/** Answer the open ask. */
function answer(task: Task, text: string): void {
  expect(task.answer(task.asks.at(-1)?.id ?? 0, { kind: "text", text, images: [] })).toEqual({ ok: true });
}

const atRest = (task: Task) =>
  firstValueFrom(task.state$.pipe(filter(({ state }) => state === "idle" || state === "resumable")));

describe.skipIf(!hasPostgres)("a passive task in PostgreSQL", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  /** A task that waits for an answer. */
  async function waiting(copies?: TemporaryFile) {
    const leases = new LosableLeases(() => rig.register());
    const journal = (taskId: string): JournalDriver => rig.journalOf(taskId, leases, copies);
    const errors: unknown[] = [];
    const host = createHost({ journal, onError: (error) => errors.push(error) });
    const id = rig.newTask();
    const task = await host.create({ id, model: model(), workspace: false, completion: "tool" });
    const asked = firstValueFrom(task.asks$);
    task.run("Go").catch(() => undefined);
    await asked;
    await task.flushed();
    return { host, task, errors, lose: () => leases.lose(), bytes: async () => contentOf(journal(id)) };
  }

  /** Another process, which opens the task once the lease of its owner has ended. */
  async function takenOver(id: string) {
    await rig.expire(id);
    const { journal } = await rig.store();
    const host = createHost({ journal });
    return { host, task: await host.open(id, { model: model() }) };
  }

  test("PASSIVE: has the same journal, is the same when it is read, and continues with an answer", async () => {
    const { host, task, errors, bytes } = await waiting();
    const before = { bytes: await bytes(), log: [...task.log], asks: task.asks.map(({ id }) => id) };
    expect(await task.passivate()).toBe(true);
    expect(await bytes()).toEqual(before.bytes);
    expect([...task.log]).toEqual(before.log);
    expect(task.asks.map(({ id }) => id)).toEqual(before.asks);
    expect(await bytes()).toEqual(before.bytes);
    expect(await task.passivate()).toBe(true);
    const rests = task.settled();
    answer(task, "one");
    expect(await rests).toMatchObject({ state: "idle" });
    await host.closeAll();
    expect(task.log.toArray().map(({ text }) => text)).toContain("Done 1.");
    const { tails, seqs } = await readAll(rig.journalOf(task.id, new LosableLeases(() => rig.register())));
    expect(tails).toEqual([]);
    expect(seqs).toEqual([...seqs.keys()]);
    expect((await bytes()).subarray(0, before.bytes.length)).toEqual(before.bytes);
    expect(errors).toEqual([]);
  });

  test("comes to rest when its lease is lost, and writes nothing once another process owns it", async () => {
    const { host, task, lose, bytes } = await waiting();
    expect(await task.passivate()).toBe(true);
    const failed = firstValueFrom(task.events$);
    lose();
    expect(await failed).toMatchObject({ durable: false, failure: { code: "JOURNAL_LOCKED" } });
    expect(task.state.state).toBe("resumable");
    const other = await takenOver(task.id);
    expect(await other.task.run("Go on")).toMatchObject({ result: "Done 1." });
    await other.task.flushed();
    const written = await bytes();
    await expect(task.run("Go on")).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await expect(host.closeAll()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(await bytes()).toEqual(written);
    await other.host.closeAll();
  });

  test("is fenced as a resident one if an answer comes before its process learns that it lost the lease", async () => {
    const { host, task, bytes } = await waiting();
    expect(await task.passivate()).toBe(true);
    const other = await takenOver(task.id);
    await other.task.flushed();
    const written = await bytes();
    answer(task, "one");
    await expect(task.flushed()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(await atRest(task)).toMatchObject({ state: "resumable" });
    await expect(host.closeAll()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(await bytes()).toEqual(written);
    await other.host.closeAll();
  });

  test("continues at rest after a lost lease if no other process owned it", async () => {
    const { host, task, lose, bytes } = await waiting();
    task.cancel();
    await atRest(task);
    await task.flushed();
    expect(await task.passivate()).toBe(true);
    const before = await bytes();
    lose();
    await rig.expire(task.id);
    expect(task.state.state).toBe("resumable");
    expect(await task.run("Go on")).toMatchObject({ state: "idle", result: "Done 1." });
    await host.closeAll();
    expect((await bytes()).subarray(0, before.length)).toEqual(before);
  });

  test("stays resident where its disk is full, and no append fails for it", async () => {
    const { host, task, errors } = await waiting(new FullFile(tmpdir()));
    const rests = task.settled();
    const passive = task.passivate();
    answer(task, "one");
    expect(await passive).toBe(false);
    expect(await rests).toMatchObject({ state: "idle" });
    await task.flushed();
    expect(await task.passivate()).toBe(false);
    await host.closeAll();
    expect(errors).toEqual([]);
  });

  test("whose copy can't be read is closed, and opened from its journal", async () => {
    const copies = new TemporaryFile(tmpdir());
    const { host, task } = await waiting(copies);
    const before = [...task.log];
    expect(await task.passivate()).toBe(true);
    await copies.close();
    expect(() => task.snapshot).toThrow(expect.objectContaining({ code: "JOURNAL_IO" }));
    await expect(host.close(task.id)).rejects.toMatchObject({ code: "JOURNAL_IO" });
    const again = await host.open(task.id, { model: model() });
    expect([...again.log].slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    await host.closeAll();
  });

  test("has no copy of a journal that has changed since, also if it was saved late", async () => {
    const copies = new HeldFile(tmpdir());
    const leases = new LosableLeases(() => rig.register());
    const driver = rig.journalOf(rig.newTask(), leases, copies);
    const { passive } = driver;
    if (passive === undefined) throw new Error("Expected storage for passive tasks.");
    await driver.append(lines(header));
    const late = passive.save(Buffer.from("late"));
    await driver.append(lines(commit(1)));
    copies.release();
    await late;
    expect(passive.load()).toBeUndefined();
    await passive.save(Buffer.from("one"));
    await driver.truncate(0);
    expect(passive.load()).toBeUndefined();
    await passive.save(Buffer.from("closed"));
    await driver.close();
    expect(passive.load()).toBeUndefined();
    await copies.close();
  });

  test("has its copy in the folder that is given, without a file that others can open", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "copies-"));
    const store = await openPostgres({ url: rig.cluster.url(), temporaryDir: folder });
    const driver = store.journal(rig.newTask());
    await driver.append(lines(header));
    await driver.passive?.save(Buffer.from("one"));
    expect(Buffer.from(driver.passive?.load() ?? []).toString()).toBe("one");
    expect(await readdir(folder)).toEqual([]);
    await store.close();
    expect(() => driver.passive?.load()).toThrow(expect.objectContaining({ code: "JOURNAL_IO" }));
    await rm(folder, { recursive: true });
    await expect(openPostgres({ url: rig.cluster.url(), temporaryDir: folder })).rejects.toMatchObject({
      code: "DATABASE_OPTION",
      message: expect.stringContaining(folder),
    });
  });
});
