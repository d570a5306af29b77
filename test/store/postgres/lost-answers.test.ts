import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PostgresStore } from "../../../store/postgres/store.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { commit, contentOf, contentWith, header, lines } from "../../testing/conformance.ts";
import { LosingProxy } from "./losing-proxy.ts";
import { PostgresRig } from "./rig.ts";

/** The beginning of a statement that appends. */
const APPEND = 'INSERT INTO "signalbox"."record"';

/** Time of a lease that is renewed while a test runs, and does not end if the machine is busy, in ms. */
const RENEWED_LEASE_MS = 9_000;

describe.skipIf(!hasPostgres)("a journal in PostgreSQL whose connection breaks", () => {
  let rig: PostgresRig;
  let proxy: LosingProxy;
  let store: PostgresStore;
  beforeAll(async () => {
    rig = await PostgresRig.start();
    proxy = await LosingProxy.start(rig.cluster);
    store = await rig.store(undefined, proxy.url);
  });
  afterAll(async () => {
    await rig.remove();
    await proxy.close();
  });

  const opened = async () => {
    const driver = store.journal(rig.newTask());
    await driver.append(lines(header), { first: true });
    return driver;
  };
  /** The end of the lease of a task's owner. */
  const leaseOf = async (task: string): Promise<unknown> => {
    const { rows } = await rig.admin.query(
      "SELECT lease_until FROM signalbox.worker WHERE id = (SELECT owner FROM signalbox.task WHERE id = $1)",
      [task],
    );
    return rows;
  };
  const io = { code: "JOURNAL_IO" };

  test("keeps lines that were written after all: a reader goes on after them", async () => {
    const driver = await opened();
    proxy.lose({ lose: "answer", tag: "INSERT 0 1" });
    await expect(driver.append(lines(commit(1)))).rejects.toMatchObject(io);
    const nowhere = { storage: "", bytes: 0 };
    const { storage } = (await driver.readAfter?.(nowhere))?.from ?? nowhere;
    await driver.append(lines(commit(1), commit(2)));
    const { length } = contentWith(header, commit(1));
    const growth = await driver.readAfter?.({ storage, bytes: length });
    expect(growth?.from).toEqual({ storage, bytes: length });
    const rest: Uint8Array[] = [];
    for await (const chunk of growth?.chunks ?? []) rest.push(chunk);
    expect(String(Buffer.concat(rest))).toBe(String(contentWith(commit(2))));
  });

  test("neither repeats nor loses lines whose append was committed and never answered", async () => {
    const driver = await opened();
    proxy.lose({ lose: "answer", tag: "INSERT 0 2" });
    await expect(driver.append(lines(commit(1), commit(2)))).rejects.toMatchObject(io);
    await driver.append(lines(commit(1), commit(2), commit(3)));
    await driver.append(lines(commit(4)));
    expect(String(await contentOf(driver))).toBe(
      String(contentWith(header, commit(1), commit(2), commit(3), commit(4))),
    );
  });

  test("has the lines once if exactly the same are appended again", async () => {
    const driver = await opened();
    proxy.lose({ lose: "answer", tag: "INSERT 0 1" });
    await expect(driver.append(lines(commit(1)))).rejects.toMatchObject(io);
    await driver.own();
    await driver.append(lines(commit(1)));
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1))));
  });

  test("accepts the first lines of a task again after their answer was lost", async () => {
    const driver = store.journal(rig.newTask());
    proxy.lose({ lose: "answer", tag: "INSERT 0 2" });
    const first = lines(header, commit(1));
    await expect(driver.append(first, { first: true })).rejects.toMatchObject(io);
    await driver.append([...first, ...lines(commit(2))], { first: true });
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1), commit(2))));
  });

  test("removes lines whose append failed before it appends others", async () => {
    const driver = await opened();
    proxy.lose({ lose: "answer", tag: "INSERT 0 1" });
    await expect(driver.append(lines(commit(1)))).rejects.toMatchObject(io);
    await driver.append(lines(commit(1, "another")));
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1, "another"))));
  });

  test("has lines once whose append never reached the server", async () => {
    const driver = await opened();
    proxy.lose({ lose: "request", text: APPEND });
    await expect(driver.append(lines(commit(1)))).rejects.toMatchObject(io);
    expect(String(await contentOf(driver))).toBe(String(contentWith(header)));
    await driver.append(lines(commit(1)));
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1))));
  });

  test("FENCE: a statement that reaches the server after its append was repeated changes nothing", async () => {
    const driver = await opened();
    proxy.lose({ lose: "connection", text: APPEND });
    await expect(driver.append(lines(commit(1, "late")))).rejects.toMatchObject(io);
    await driver.append(lines(commit(1, "next")));
    // The length that the late statement expects.
    await driver.truncate(contentWith(header).length);
    await proxy.deliver();
    expect(String(await contentOf(driver))).toBe(String(contentWith(header)));
    await driver.append(lines(commit(1)));
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1))));
  });

  test("FENCE: a statement that reaches the server after its task was deleted changes nothing", async () => {
    const { journal: ofAnother } = await rig.store(undefined, proxy.url);
    const driver = ofAnother(rig.newTask());
    await driver.append(lines(header), { first: true });
    proxy.lose({ lose: "connection", text: APPEND });
    await expect(driver.append(lines(commit(1, "late")))).rejects.toMatchObject(io);
    await rig.expire(rig.taskOf(driver));
    const { history, journal } = await rig.store();
    await history.delete(rig.taskOf(driver));
    await proxy.deliver();
    const next = journal(rig.taskOf(driver));
    expect(await contentOf(next)).toHaveLength(0);
    await next.append(lines(header), { first: true });
    expect(String(await contentOf(next))).toBe(String(contentWith(header)));
  });

  test("is owned again by the driver whose claim was committed and never answered", async () => {
    const driver = store.journal(rig.newTask());
    proxy.lose({ lose: "answer", tag: "COMMIT" });
    await expect(driver.own()).rejects.toMatchObject(io);
    await expect(rig.journalOfNewWorker(rig.taskOf(driver)).own()).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
    });
    await driver.own();
    await driver.append(lines(header));
    await driver.close();
    await rig.journalOfNewWorker(rig.taskOf(driver)).own();
  });

  test.each([
    ["its append was answered", false],
    ["its append had no answer", true],
  ])(
    "a task whose release was lost is free after the next renewals of its worker: %s",
    async (_, isUnanswered) => {
      const { journal } = await rig.store(undefined, proxy.url, RENEWED_LEASE_MS);
      const driver = journal(rig.newTask());
      await driver.append(lines(header), { first: true });
      if (isUnanswered) {
        proxy.lose({ lose: "request", text: APPEND });
        await expect(driver.append(lines(commit(1)))).rejects.toMatchObject(io);
      }
      proxy.lose({ lose: "request", text: "SET owner = NULL" });
      await expect(driver.close()).rejects.toMatchObject(io);
      const other = rig.journalOfNewWorker(rig.taskOf(driver));
      await expect.poll(() => other.own().then(() => "owned", String)).toBe("owned");
      await other.close();
    },
  );

  test("a task that is claimed again after its release was lost stays owned", async () => {
    const { journal } = await rig.store(undefined, proxy.url, RENEWED_LEASE_MS);
    const driver = journal(rig.newTask());
    await driver.append(lines(header), { first: true });
    proxy.lose({ lose: "request", text: "SET owner = NULL" });
    await expect(driver.close()).rejects.toMatchObject(io);
    const again = journal(rig.taskOf(driver));
    await again.own();
    const renewed = await leaseOf(rig.taskOf(driver));
    await expect.poll(() => leaseOf(rig.taskOf(driver))).not.toEqual(renewed);
    await expect(rig.journalOfNewWorker(rig.taskOf(driver)).own()).rejects.toMatchObject({
      code: "JOURNAL_LOCKED",
    });
    await again.close();
  });

  test("continues after a truncation that was committed and never answered", async () => {
    const driver = await opened();
    await driver.append(lines(commit(1), commit(2)));
    proxy.lose({ lose: "answer", tag: "COMMIT" });
    const { length } = contentWith(header, commit(1));
    await expect(driver.truncate(length)).rejects.toMatchObject(io);
    await driver.append(lines(commit(2, "another")));
    expect(String(await contentOf(driver))).toBe(
      String(contentWith(header, commit(1), commit(2, "another"))),
    );
  });

  test("does not end the process when idle connections break, and connects again", async () => {
    const driver = await opened();
    proxy.cut();
    // The break may be noticed only by the statement.
    const [append] = await Promise.allSettled([driver.append(lines(commit(1)))]);
    if (append.status === "rejected") await driver.append(lines(commit(1)));
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1))));
  });
});
