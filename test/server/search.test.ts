import { appendFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { type SearchHit, searchHitSchema } from "../../wire/http/search.ts";
import { Served } from "./support.ts";

const script = `
turns:
  - - text: 'It says "no such file" (ENOENT) in C:\\tmp.'
    - { tool: read_file, input: { path: a.txt } }
  - { tool: attempt_completion, input: { result: "Grüße: all [done]." } }
`;

async function search(
  served: Served,
  fields: Readonly<Record<string, string>>,
): Promise<readonly SearchHit[]> {
  const response = await served.fetch(`/api/search?${new URLSearchParams(fields)}`);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => searchHitSchema.parse(JSON.parse(line)));
}

async function completed(served: Served): Promise<string> {
  const { id } = await served.create("Read a.txt");
  await expect.poll(async () => (await served.info(id)).state, { timeout: 10_000 }).toBe("idle");
  await served.host.tasks.get(id)?.flushed();
  return id;
}

test("a search finds the record that has a text, whatever its case and its signs, with its surroundings", async () => {
  await using served = await Served.open({ script, files: { "a.txt": "one\n" } });
  const id = await completed(served);
  for (const text of ['says "NO SUCH FILE" (enoent)', "in C:\\tmp", "Grüße: all [done]."]) {
    const [hit] = await search(served, { text });
    expect(hit?.taskId, text).toBe(id);
    expect(hit?.excerpt.toLowerCase()).toContain(text.toLowerCase());
    const record = (await served.trace(id)).find((event) => event.record.seq === hit?.record)?.record;
    expect(JSON.stringify(record).toLowerCase()).toContain(JSON.stringify(text).slice(1, -1).toLowerCase());
  }
  expect(await search(served, { text: "no.such.file" })).toEqual([]);
});

test("a search finds the tasks that called a tool", async () => {
  await using served = await Served.open({ script, files: { "a.txt": "one\n" } });
  const id = await completed(served);
  const hits = await search(served, { tool: "read_file" });
  expect(new Set(hits.map(({ taskId }) => taskId))).toEqual(new Set([id]));
  expect(hits.length).toBeLessThanOrEqual(5);
  expect(await search(served, { tool: "web_fetch" })).toEqual([]);
});

test("a search passes over what is no record, and finds nothing without tasks", async () => {
  await using served = await Served.open({ script, files: { "a.txt": "one\n" } });
  expect(await search(served, { text: "anything" })).toEqual([]);
  const id = await completed(served);
  await appendFile(path.join(taskFolder(served.dataDir, id), "journal.jsonl"), "a torn line with zebra");
  expect(await search(served, { text: "zebra" })).toEqual([]);
  for (const fields of ["", "?text=", "?text=a&tool=b"])
    expect((await served.fetch(`/api/search${fields}`)).status, fields).toBe(400);
});
