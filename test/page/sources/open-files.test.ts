import { expect, test } from "vitest";
import { openFiles } from "../../../visualize/page/sources/open-files.ts";

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
  await expect(
    openFiles([file, { name: "t.jsonl", content: JSON.stringify(record) }]),
  ).resolves.toBeDefined();
});
