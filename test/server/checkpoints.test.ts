import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { allowEverything } from "../../tools/index.ts";
import {
  checkpointDiffSchema,
  checkpointsSchema,
  problemSchema,
  restoredSchema,
} from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const QUESTION = "{ tool: ask_followup_question, input: { question: Go on?, follow_up: [{ text: yes }] } }";
const SLEEP = "{ tool: execute_command, input: { command: sleep 1000 } }";

const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${problemSchema.parse(await response.json()).code}`;

/** A task with checkpoints, in a state. */
async function open(script: string, state: string) {
  const served = await Served.open({
    script,
    files: { "a.txt": "one\n" },
    task: { checkpoints: true, permissions: { judge: allowEverything() } },
  });
  const { id } = await served.create("Change it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters(state));
  stream.close();
  const of = `/api/tasks/${id}/checkpoints`;
  const list = async () => checkpointsSchema.parse(await (await served.fetch(of)).json()).checkpoints;
  const diff = (hash: string) => served.fetch(`${of}/${hash}/diff`);
  const restore = (hash: string, present: string) => served.post(`${of}/${hash}/restore`, { present });
  return { served, list, diff, restore, file: path.join(served.workspace, "a.txt") };
}

describe("the checkpoints of a task over HTTP", () => {
  it("are listed, compared and restored, and a restore is undone by its own checkpoint", async () => {
    const { served, list, diff, restore, file } = await open(`[${WRITE}, ${QUESTION}]`, "waiting_for_input");
    await using _ = served;
    const [checkpoint, ...others] = await list();
    expect(others).toEqual([]);
    const { hash = "" } = checkpoint ?? {};
    const shown = checkpointDiffSchema.parse(await (await diff(hash)).json());
    expect(shown.files).toEqual({ added: [], changed: ["a.txt"], removed: [] });
    expect(shown.text).toContain("-two\n+one");
    const restored = restoredSchema.parse(await (await restore(hash, shown.present)).json());
    expect(await readFile(file, "utf8")).toBe("one\n");
    const undo = restored.undo ?? "";
    const back = checkpointDiffSchema.parse(await (await diff(undo)).json());
    expect((await restore(undo, back.present)).status).toBe(200);
    expect(await readFile(file, "utf8")).toBe("two\n");
  });

  it("are not restored over files that have changed since the diff, and an unknown one has a code", async () => {
    const { served, list, diff, restore, file } = await open(`[${WRITE}, ${QUESTION}]`, "waiting_for_input");
    await using _ = served;
    const hash = (await list())[0]?.hash ?? "";
    const { present } = checkpointDiffSchema.parse(await (await diff(hash)).json());
    await writeFile(file, "three\n");
    expect(await codeOf(await restore(hash, present))).toBe("409 changed");
    expect(await readFile(file, "utf8")).toBe("three\n");
    expect(await codeOf(await diff("0123456789ab"))).toBe("409 unknown");
    expect(await codeOf(await diff("--all"))).toBe("400 PARAMETER_INVALID");
  });

  it("are not restored while the task works", async () => {
    const { served, list, diff, restore } = await open(`[${WRITE}, ${SLEEP}]`, "running.calling");
    await using _ = served;
    await expect.poll(async () => (await list()).length).toBeGreaterThan(0);
    const hash = (await list())[0]?.hash ?? "";
    const { present } = checkpointDiffSchema.parse(await (await diff(hash)).json());
    expect(await codeOf(await restore(hash, present))).toBe("409 TASK_BUSY");
  });
});
