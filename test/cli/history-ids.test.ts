import fc from "fast-check";
import { expect, test } from "vitest";
import { shortenIds } from "../../cli/show/format.ts";
import { fileHistory } from "../../store/task-history/file-history.ts";
import { findTask } from "../../store/task-history/lookup.ts";
import { Archive, started } from "../store/task-history/data-folder.ts";

const word = fc.stringMatching(/^[ab]{1,3}-?[ab]{0,10}$/);
const id = fc.oneof(
  word,
  fc.tuple(word, fc.integer({ min: 1, max: 12 })).map(([root, number]) => `${root}.${number}`),
);

test("the id in a list identifies its task, and no other, in every command", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(id, { minLength: 1, maxLength: 12 }), async (ids) => {
      using archive = new Archive();
      for (const each of ids) archive.write(each, [started("go")]);
      const short = shortenIds(ids);
      for (const each of ids) expect(await findTask(fileHistory(archive.dataDir), short(each))).toBe(each);
    }),
    { numRuns: 200, seed: 3 },
  );
});

test("the numbers of a subtask match no other subtask, and the id of a task matches none", async () => {
  using archive = new Archive();
  for (const each of ["3f2a", "3f2a.1.1", "3f2a.12"]) archive.write(each, [started("go")]);
  expect(await findTask(fileHistory(archive.dataDir), "3f")).toBe("3f2a");
  expect(await findTask(fileHistory(archive.dataDir), "3f.12")).toBe("3f2a.12");
  await expect(findTask(fileHistory(archive.dataDir), "3f2a.1")).rejects.toThrow("There is no task 3f2a.1");
});

test("eight characters of a UUID are shown where they are enough", () => {
  const ids = ["6f1d2c3a-1111-4222-8333-944455556666", "6f1d2c3a-2111-4222-8333-944455556666", "7f1d2c3a-1"];
  expect(ids.map(shortenIds(ids))).toEqual(["6f1d2c3a-1", "6f1d2c3a-2", "7f1d2c3a"]);
});
