import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { formatOwnFiles } from "../../../present/own-files.ts";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { openProject } from "../../adapters/isolation/project.ts";

test("the history has whether the files of tasks are merged, declined or neither, by whom and when", async () => {
  await using project = await openProject({ "a.txt": "1\n" });
  const { isolation, dataDir } = project;
  const open = async (number: number) => {
    const { record, files } = await project.open(`t.${number}`, { parentId: "t" });
    files.write(`${number}.txt`, "new\n");
    return record;
  };
  const [byPerson, byParent, declined, damaged] = [
    await open(1),
    await open(2),
    await open(3),
    await open(4),
  ];
  await open(5);
  await project.merge(byPerson);
  const workspace = await openWorkspace(project.files.dir);
  await isolation.merge(byParent, { workspace, conflicts: "stop", by: "t" });
  await isolation.remove(declined, { end: "declined", by: null });
  writeFileSync(path.join(dataDir, "worktrees", damaged.id, "record.json"), "{");
  const ids = ["t", ...[1, 2, 3, 4, 5].map((number) => `t.${number}`)];
  const found = await openHistory({ dataDir }).ownFiles(ids);
  expect([...found].map(([id, files]) => `${id} ${formatOwnFiles(files, "t")}`)).toEqual([
    "t.1 merged by a person",
    "t.2 merged by its parent",
    "t.3 declined by a person",
    "t.4 files can't be read",
    "t.5 not merged yet",
  ]);
  expect(found.get("t.1")?.at).toBeGreaterThan(1_000);
});
