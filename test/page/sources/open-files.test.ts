import { expect, test } from "vitest";
import type { PageSource } from "../../../visualize/page/source.ts";
import { openFiles } from "../../../visualize/page/sources/open-files.ts";
import { parseEvents } from "../../../visualize/page/sources/read-file.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";

/** The tasks that a source has now. */
function tasksOf(source: PageSource): readonly TaskInfo[] {
  const infos: TaskInfo[] = [];
  source.watchTasks((tasks) => infos.push(...tasks))();
  return infos;
}

test.each([
  ["a trace without sessions", '{"resourceSpans":[]}', /expected at least one session, found none/],
  ["a file of another kind", "hello", /expected a session of a known agent/],
])("%s is refused in words, and is ignored beside a trace of this package", async (_, content, what) => {
  const file = { name: "x.json", content };
  await expect(openFiles([file])).rejects.toMatchObject({
    code: "SOURCE_FILE",
    message: expect.stringMatching(what),
  });
  const record = { seq: 0, kind: "header", version: 1, taskId: "t", createdAt: 0 };
  const source = await openFiles([file, { name: "t.jsonl", content: JSON.stringify(record) }]);
  expect(tasksOf(source)).toMatchObject([{ id: "t" }]);
});

test("a journal with a damaged line is opened up to that line, and its task says where it breaks off", async () => {
  const header = { seq: 0, kind: "header", version: 1, taskId: "t", createdAt: 0 };
  const commit = (seq: number) => ({
    seq,
    kind: "commit",
    at: seq,
    before: "no_task",
    after: "running.starting",
  });
  const lines = [header, commit(1), { seq: 2, kind: "com" }, commit(3)].map((line) => JSON.stringify(line));
  const infoOf = async (content: readonly string[]) => {
    const [info] = tasksOf(await openFiles([{ name: "t.jsonl", content: content.join("\n") }]));
    return info;
  };
  expect((await infoOf(lines))?.problem).toMatchObject({
    kind: "damaged",
    reason: expect.stringMatching(/^line 3: /),
  });
  expect((await infoOf(lines.toSpliced(2, 1)))?.problem?.reason).toBe(
    "line 3: expected record 2, found record 3",
  );
  expect(await infoOf(lines.slice(0, 2))).not.toHaveProperty("problem");
  expect(() => parseEvents(lines.join("\n"))).toThrow(/line 3/);
});
