import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { firstValueFrom } from "rxjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { anthropic } from "../../../adapters/index.ts";
import type { JournalDriver } from "../../../ports/journal.ts";
import { createHost } from "../../../runtime/host.ts";
import { fileJournal } from "../../../store/index.ts";
import { parseScript, startMock } from "../../../testing/index.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { contentOf, readAll } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

const SCRIPT = `
- { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: one, mode: null }, { text: two, mode: null }] } }
- { tool: attempt_completion, input: { result: Done. } }
`;

/** A task that is closed at a question, then opened over other drivers, resumed and completed. */
async function runTask(port: number, drivers: () => Promise<(taskId: string) => JournalDriver>) {
  const mock = await startMock(parseScript(SCRIPT), { port });
  const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url });
  const id = "the-task";
  try {
    const clock = { now: () => 0, after: systemClock.after };
    const options = { clock, newId: () => "an-id", random: () => 0.5 };
    const host = createHost({ ...options, journal: await drivers() });
    const task = await host.create({ id, model, workspace: false });
    const asked = firstValueFrom(task.asks$);
    void task.run("Go");
    await asked;
    await host.closeAll();
    const again = createHost({ ...options, journal: await drivers() });
    const reopened = await again.open(id, { model });
    const { state, result } = await reopened.run();
    await again.closeAll();
    return { state, result, port: Number(new URL(mock.url).port) };
  } finally {
    await mock.close();
  }
}

describe.skipIf(!hasPostgres)("a host with journals in PostgreSQL", () => {
  let rig: PostgresRig;
  let folder = "";
  beforeAll(async () => {
    rig = await PostgresRig.start();
    folder = await mkdtemp(path.join(tmpdir(), "postgres-host-"));
  });
  afterAll(async () => {
    await rig.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("runs a task, and another store resumes it; its journal equals the file of the same run", async () => {
    const ran = await runTask(0, async () => (await rig.store()).journal);
    const inFiles = await runTask(ran.port, async () => () => fileJournal({ dir: folder }));
    expect(inFiles).toEqual(ran);
    expect(ran).toMatchObject({ state: "idle", result: "Done." });
    const driver = (await rig.store()).journal("the-task");
    const { tails, seqs } = await readAll(driver);
    expect(tails).toEqual([]);
    expect(seqs.length).toBeGreaterThan(3);
    expect(String(await contentOf(driver))).toBe(await readFile(path.join(folder, "journal.jsonl"), "utf8"));
  });
});
