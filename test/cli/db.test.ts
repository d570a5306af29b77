import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { fileJournal } from "../../store/index.ts";
import { SCHEMA_VERSION } from "../../store/postgres/migrations.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { hasPostgres } from "../support/postgres.ts";
import { commit, contentOf, contentWith, header, lines } from "../testing/conformance.ts";
import { silentIo } from "./in-process.ts";

describe.skipIf(!hasPostgres)("signalbox db", () => {
  let rig: PostgresRig;
  let folder = "";
  let folders = 0;
  let dataDir = "";
  beforeAll(async () => {
    rig = await PostgresRig.start();
    folder = await mkdtemp(path.join(tmpdir(), "signalbox-db-"));
  });
  afterAll(async () => {
    await rig.remove();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    folders += 1;
    dataDir = path.join(folder, `data-${folders}`);
  });
  afterEach(() => rig.admin.query("DELETE FROM signalbox.record; DELETE FROM signalbox.task"));

  async function db(...args: readonly string[]) {
    const io = { ...silentIo(), env: { SIGNALBOX_DATABASE: rig.cluster.url() }, on: () => {}, off: () => {} };
    const code = await main(["db", ...args], io);
    return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
  }
  const move = (from: string, to: string) => db("move", "--from", from, "--to", to);
  const dirOf = (id: string, dir = dataDir): string => path.join(dir, "tasks", id);
  const bytesIn = (id: string, dir = dataDir): Promise<Buffer> =>
    readFile(path.join(dirOf(id, dir), "journal.jsonl"));
  async function put(id: string, content: Uint8Array, dir = dataDir): Promise<void> {
    await mkdir(dirOf(id, dir), { recursive: true });
    await writeFile(path.join(dirOf(id, dir), "journal.jsonl"), content);
  }
  const digest = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

  test("migrate prints the versions before and after", async () => {
    const first = await db("migrate", "--schema", "fresh");
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain(`was at version 0, is at version ${SCHEMA_VERSION}.`);
    expect((await db("migrate", "--schema", "fresh")).stdout).toContain(`is at version ${SCHEMA_VERSION}.`);
  });

  test("each command names what prevents it, without the password", async () => {
    const none = await main(["db", "check"], silentIo());
    expect(none).toBe(1);
    const wrong = await db("check", "--database", "postgres://me:secret-0123@127.0.0.1:1/app");
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("no server listens there");
    expect(wrong.stderr).not.toContain("secret-0123");
    expect((await db("check", "--schema", "missing")).stderr).toContain("Run `signalbox db migrate`");
    expect((await move(dataDir, folder)).stderr).toContain("expected one data folder and one URL");
  });

  test("check counts tasks, records and bytes", async () => {
    const driver = rig.journalOfNewWorker("counted");
    await driver.append(lines(header, commit(1)));
    const { code, stdout } = await db("check");
    expect(code).toBe(0);
    const { length } = contentWith(header, commit(1));
    expect(stdout).toMatch(
      new RegExp(`1 task \\(1 owned, \\d+ workers?\\), 2 records, ${length} bytes: no problems`),
    );
    await driver.close();
  });

  test.each([
    ["a missing row", "DELETE FROM signalbox.record WHERE n = 1", /row 2 is not contiguous/],
    [
      "a wrong offset",
      "UPDATE signalbox.record SET from_byte = from_byte + 1 WHERE n = 2",
      /row 2 is not contiguous/,
    ],
    [
      "two lines in a row",
      "UPDATE signalbox.record SET content = content || '\\x0a' WHERE n = 2",
      /row 2 is not contiguous/,
    ],
    [
      "a missing last row",
      "DELETE FROM signalbox.record WHERE n = 2",
      /expected rows up to 2, which its last owner left, found fewer/,
    ],
    [
      "a damaged record",
      "UPDATE signalbox.record SET content = overlay(content PLACING 'x' FROM 40) WHERE n = 1",
      /line 2: .*whole records follow/,
    ],
    ["records without a task", "DELETE FROM signalbox.task", /no row in the table task/],
  ])("check finds %s, and exits with 1", async (_, statement, problem) => {
    await rig.fill("broken", contentWith(header, commit(1), commit(2)));
    await rig.admin.query(statement);
    const { code, stdout } = await db("check");
    expect(stdout).toMatch(problem);
    expect(code).toBe(1);
    expect(JSON.parse((await db("check", "--format", "json")).stdout).problems).toHaveLength(1);
  });

  test("move copies journals byte for byte, with marks of deleted subtasks, and back", async () => {
    const large = contentWith(
      header,
      ...Array.from({ length: 60 }, (_, n) => commit(n + 1, "é😀 long".repeat(8_000))),
    );
    const torn = Buffer.concat([contentWith(header), Buffer.from([0x7b, 0xff, 0x0a, 0x00, 0x22])]);
    await put("large", large);
    await put("torn", torn);
    await writeFile(path.join(dirOf("large"), "deleted-large.1"), "");
    const there = await move(dataDir, rig.cluster.url());
    expect(there.code, there.stderr).toBe(0);
    expect(there.stdout).toContain(`large: moved ${large.length} bytes.`);
    expect(there.stdout).toContain("Nothing deletes them");
    expect((await db("check")).code).toBe(0);
    expect(digest(await bytesIn("large"))).toBe(digest(large));
    const driver = rig.journalOfNewWorker("large");
    expect(digest(await contentOf(driver))).toBe(digest(large));
    expect(await driver.hasDeleted?.("large.1")).toBe(true);
    expect(digest(await contentOf(rig.journalOfNewWorker("torn")))).toBe(digest(torn));
    const other = path.join(folder, "back");
    expect((await move(rig.cluster.url(), other)).code).toBe(0);
    expect(digest(await bytesIn("large", other))).toBe(digest(large));
    expect(digest(await bytesIn("torn", other))).toBe(digest(torn));
    expect(await fileJournal({ dir: dirOf("large", other) }).hasDeleted?.("large.1")).toBe(true);
  });

  test("a task that was moved is not opened where it was, and can be moved back with its new records", async () => {
    await put("moved", contentWith(header));
    await move(dataDir, rig.cluster.url());
    const file = fileJournal({ dir: dirOf("moved") });
    await expect(file.own()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await expect(file.append(lines(commit(1)))).rejects.toThrow("It was moved to postgres://");
    const again = await move(dataDir, rig.cluster.url());
    expect(again.stdout).toContain("moved before");
    const rows = rig.journalOfNewWorker("moved");
    await rows.append(lines(commit(1)));
    await rows.close();
    expect((await move(rig.cluster.url(), dataDir)).code).toBe(0);
    await expect(rig.journalOfNewWorker("moved").own()).rejects.toThrow("It was moved to /");
    const back = fileJournal({ dir: dirOf("moved") });
    await back.append(lines(commit(2)));
    await back.close();
    expect((await move(dataDir, rig.cluster.url())).code).toBe(0);
    expect(String(await contentOf(rows))).toBe(String(contentWith(header, commit(1), commit(2))));
  });

  test("move refuses a task that is open on either side, and moves the others", async () => {
    await put("free", contentWith(header));
    await put("open", contentWith(header));
    const file = fileJournal({ dir: dirOf("open") });
    await file.own();
    const refused = await move(dataDir, rig.cluster.url());
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("free: moved");
    expect(refused.stdout).toMatch(new RegExp(`open: refused\\. .*${process.pid}`));
    await file.close();
    const rows = rig.journalOfNewWorker("open");
    await rows.own();
    expect((await move(dataDir, rig.cluster.url())).stdout).toMatch(/open: refused/);
    await rows.close();
    expect((await move(dataDir, rig.cluster.url())).stdout).toContain("open: moved");
  });

  test("move refuses a task with commands in its inbox, and positions go on after those in its records", async () => {
    const { inbox } = await rig.store();
    const taken = { ...commit(1), inbox: { position: 7 } };
    await put("commands", contentWith(header, taken, commit(2, '"inbox":{"position":9}')));
    expect((await move(dataDir, rig.cluster.url())).code).toBe(0);
    expect(await inbox.put("commands", "a", { kind: "cancel" })).toBe(8);
    const refused = await move(rig.cluster.url(), dataDir);
    expect(refused.stdout).toContain("commands: refused. ");
    expect(refused.stdout).toContain("Run a worker until it has taken them");
    await inbox.remove("commands", 8);
    expect((await move(rig.cluster.url(), dataDir)).code).toBe(0);
  });

  test("move never replaces other records of a task", async () => {
    await put("same-id", contentWith(header, commit(1)));
    await rig.fill("same-id", contentWith(header, commit(1, "another")));
    const { code, stdout } = await move(dataDir, rig.cluster.url());
    expect(code).toBe(1);
    expect(stdout).toContain("same-id: refused. Expected no other records");
    expect(String(await contentOf(rig.journalOfNewWorker("same-id")))).toBe(
      String(contentWith(header, commit(1, "another"))),
    );
    const file = fileJournal({ dir: dirOf("same-id") });
    await file.own();
    await file.close();
  });
});
