import { expect, test } from "vitest";
import { KnownVersions } from "../../../actors/calls/known-versions.ts";
import { ToolError, type ToolResult } from "../../../tools/index.ts";
import { deferred } from "../../support/model.ts";

const OK: ToolResult = { content: [] };

/** A workspace with one file. */
function workspaceOf(content: string, root = "/w") {
  const files = new Map([["a.txt", content]]);
  return {
    files,
    root,
    resolve: async (path: string) => ({ path, real: `${root}/${path}`, inside: true, ignored: false }),
    read: async (path: string) => {
      const found = files.get(path);
      if (found === undefined) throw new ToolError("NOT_FOUND", path);
      return Buffer.from(found);
    },
  };
}

test("tasks that share a workspace write its files one after the other, and the second finds the change of the first", async () => {
  const workspace = workspaceOf("old");
  const [one, other] = [new KnownVersions(workspace), new KnownVersions({ ...workspace })];
  for (const task of [one, other]) await task.whileReading(["a.txt"], async () => OK);
  const [begun, go] = [deferred(), deferred()];
  const first = one.whileWriting(["a.txt"], async () => {
    begun.resolve();
    await go.promise;
    workspace.files.set("a.txt", "one");
    return OK;
  });
  await begun.promise;
  const second = other.whileWriting(["a.txt"], async () => {
    workspace.files.set("a.txt", "other");
    return OK;
  });
  // A task of another workspace does not wait.
  await new KnownVersions(workspaceOf("", "/other")).whileWriting(["a.txt"], async () => OK);
  go.resolve();
  await first;
  await expect(second).rejects.toMatchObject({ code: "CHANGED" });
  expect(workspace.files.get("a.txt")).toBe("one");
  expect(await one.changedOf(["a.txt"])).toBeUndefined();
});

test("a write that throws or fails lets the next one run, and the task does not know the file", async () => {
  const workspace = workspaceOf("old");
  const task = new KnownVersions(workspace);
  const thrown = task.whileWriting(["a.txt"], async () => {
    throw new Error("the disk is full");
  });
  const failed = task.whileWriting(["a.txt"], async () => ({ ...OK, failed: true }));
  await expect(thrown).rejects.toThrow("the disk is full");
  await failed;
  workspace.files.set("a.txt", "theirs");
  expect(await task.whileWriting(["a.txt"], async () => OK)).toBe(OK);
  workspace.files.set("a.txt", "theirs again");
  await expect(task.whileWriting(["a.txt"], async () => OK)).rejects.toMatchObject({ code: "CHANGED" });
});
