import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChatModel } from "../../../ports/model.ts";
import { createHost } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { scriptedModel, scriptedToolCall } from "../../../testing/index.ts";
import { treeOf } from "../../adapters/checkpoints/tree.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { PostgresRig } from "./rig.ts";

const LAST_LINE = "40000";

/** Runs a command with a long output, writes a file, asks; then reads the output, writes again, and completes. */
function modelOf(artifact: () => string, ...reads: readonly Record<string, unknown>[]): ChatModel {
  return scriptedModel((turn) => {
    const write = { path: "a.txt", content: `${turn}\n` };
    const turns = [
      scriptedToolCall("execute_command", { command: `seq 1 ${LAST_LINE}` }, "toolu_0"),
      scriptedToolCall("write_to_file", write, "toolu_1"),
      scriptedToolCall(
        "ask_followup_question",
        {
          question: "Go on?",
          follow_up: [
            { text: "Yes", mode: null },
            { text: "No", mode: null },
          ],
        },
        "toolu_2",
      ),
      ...reads.map((read, n) =>
        scriptedToolCall("read_artifact", { id: artifact(), ...read }, `toolu_read_${n}`),
      ),
      scriptedToolCall("write_to_file", write, "toolu_3"),
      scriptedToolCall("attempt_completion", { result: "Done." }, "toolu_4"),
    ];
    return turns[turn] ?? [];
  });
}

const textIn = (task: Task): string => JSON.stringify(task.snapshot.context.conversation);
function resultOf(task: Task, id: string): unknown {
  for (const { content } of task.snapshot.context.conversation.toArray())
    for (const block of content) if (block.type === "tool_result" && block.tool_use_id === id) return block;
  return undefined;
}

describe.skipIf(!hasPostgres)("a task in PostgreSQL that another machine takes over", () => {
  let rig: PostgresRig;
  let folder = "";
  beforeAll(async () => {
    rig = await PostgresRig.start();
    folder = await realpath(await mkdtemp(path.join(tmpdir(), "takeover-")));
  });
  afterAll(async () => {
    await rig.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Another machine: a store and a data folder of its own. */
  async function machine(name: string) {
    const { journal, objects } = await rig.store();
    const dataDir = path.join(folder, name);
    return { dataDir, host: createHost({ journal, objects, dataDir }) };
  }
  /** Approve each call. Resolves at a question. */
  const approveCalls = (task: Task): Promise<void> =>
    new Promise((resolve) => {
      task.asks$.subscribe((ask) => {
        if (ask.kind === "tool" || ask.kind === "command") ask.approve();
        else if (ask.kind === "question") resolve();
      });
    });

  test("reads the full output of a command, and restores the files of its checkpoints", async () => {
    const workspace = await mkdtemp(path.join(folder, "workspace-"));
    await writeFile(path.join(workspace, "a.txt"), "before\n");
    const before = treeOf(workspace);
    let id = "";
    const model = modelOf(() => id, {}, { offset: 200_000, limit: 12 }, { id: "output/other.log" });

    const first = await machine("first");
    const task = await first.host.create({ id: "taken-over", model, workspace, checkpoints: true });
    const asked = approveCalls(task);
    void task.run("Go");
    await asked;
    id = /"(output\/[^"\\]+)\\/.exec(textIn(task))?.[1] ?? "";
    expect(id).toMatch(/^output\/[0-9a-f-]+\.log$/);
    expect(textIn(task)).toContain("To read the full output, call read_artifact with the id");
    expect(await readdir(path.join(first.dataDir, "tasks", "taken-over", "output"))).toEqual([]);
    const saved = task.log.toArray().find(({ say }) => say === "checkpoint_saved")?.text ?? "";
    expect(saved).toMatch(/^[0-9a-f]{40}$/);
    await first.host.closeAll();
    await rm(first.dataDir, { recursive: true });

    const second = await machine("second");
    const reopened = await second.host.open("taken-over", { model, checkpoints: true });
    void approveCalls(reopened);
    expect(await reopened.run()).toMatchObject({ result: "Done." });
    expect(resultOf(reopened, "toolu_read_0")).toMatchObject({
      content: [
        { text: expect.stringMatching(/^1\n2\n3\n/) },
        { text: expect.stringContaining("Bytes 0 to 50000 of") },
      ],
    });
    const whole = Array.from({ length: Number(LAST_LINE) }, (_, n) => `${n + 1}\n`).join("");
    expect(resultOf(reopened, "toolu_read_1")).toMatchObject({
      content: [
        { text: whole.slice(200_000, 200_012) },
        { text: expect.stringContaining(`of ${whole.length}`) },
      ],
    });
    expect(JSON.stringify(resultOf(reopened, "toolu_read_2"))).toContain("There is no artifact");

    expect(await readFile(path.join(workspace, "a.txt"), "utf8")).not.toBe("before\n");
    const checkpoints = await reopened.openCheckpoints();
    if ("off" in checkpoints) throw new Error(checkpoints.off);
    expect(await checkpoints.restore(saved)).toMatchObject({ ok: true });
    expect(treeOf(workspace)).toEqual(before);
    await second.host.closeAll();
  });
});
