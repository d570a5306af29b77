import { expect, test } from "vitest";
import type { ExtensionClient } from "../../../client/index.ts";
import { EditorRig } from "./editor-rig.ts";

const DIFF = JSON.stringify("<<<<<<< SEARCH\nunsaved\n=======\nchanged\n>>>>>>> REPLACE");
const EDIT = `{ tool: apply_diff, input: { path: a.txt, diff: ${DIFF} } }`;
const WRITE = `{ tool: write_to_file, input: { path: lib/new.txt, content: "new\\n" } }`;

/** Resolves with the next ask that waits in the view. */
const asked = (client: ExtensionClient): Promise<string> =>
  new Promise((resolve) => client.once("waitingForInput", ({ ask }) => resolve(ask)));

const completed = (client: ExtensionClient): Promise<unknown> =>
  new Promise((resolve) => client.once("taskCompleted", resolve));

const said = (client: ExtensionClient): string | null | undefined =>
  client.getMessages().findLast(({ say }) => say === "text")?.text;

test("an extension runs a task of its view on the text that is not saved, and saves an approved edit through the editor", async () => {
  const script = `[{ tool: read_file, input: { path: a.txt } }, ${EDIT}, ${WRITE}, { text: Changed. }]`;
  await using rig = await EditorRig.open(script, { "a.txt": "unsaved\nmore\n" });
  const window = rig.openWindow();
  const { client } = window;
  client.launch();
  client.newTask("Change it");
  expect(await asked(client)).toBe("tool");
  expect(rig.requests()[0]).toContain("- a.txt (visible, unsaved)");
  expect(rig.requests()[0]).toContain("- warning a.txt:2: Seen.");
  expect(rig.requests()[1]).toContain("unsaved");
  expect(rig.read("a.txt")).toBe("saved\n");
  client.approve();
  expect(await asked(client)).toBe("tool");
  expect(rig.read("a.txt")).toBe("changed\nmore\n");
  client.approve();
  await completed(client);
  expect(rig.read("lib/new.txt")).toBe("new\n");
  expect(said(client)).toBe("Changed.");
  expect(window.outputs.slice(1)).toEqual([
    { type: "diff", title: "a.txt (proposed)", before: "unsaved\nmore\n", after: "changed\nmore\n" },
    { type: "saved", path: "a.txt" },
    { type: "diff", title: "lib/new.txt (proposed)", before: "", after: "new\n" },
    { type: "saved", path: "lib/new.txt" },
  ]);
  expect(await window.deactivate()).toBe(0);
});

test("a window that was killed shows its task again, and continues it", async () => {
  await using rig = await EditorRig.open(`[${WRITE}, { text: Continued. }]`);
  const killed = rig.openWindow();
  killed.client.launch();
  killed.client.newTask("Write it");
  expect(await asked(killed.client)).toBe("tool");
  const before = killed.client.getMessages().map(({ text }) => text);
  await killed.kill();

  const { client } = rig.openWindow();
  client.launch();
  expect(await asked(client)).toBe("resume_task");
  expect(client.getTaskId()).toBe(killed.client.getTaskId());
  expect(client.getMessages().map(({ text }) => text)).toEqual(expect.arrayContaining(before));
  client.approve();
  await completed(client);
  expect(said(client)).toBe("Continued.");
});

test("the commands cancel the task, and close it for another one", async () => {
  await using rig = await EditorRig.open(`[${WRITE}]`);
  const window = rig.openWindow();
  const { client } = window;
  client.launch();
  client.newTask("Write it");
  await asked(client);
  const first = client.getTaskId();
  window.send({ type: "command", name: "signalbox.cancelTask" });
  await expect.poll(() => client.getCurrentState()).toBe("resumable");
  window.send({ type: "command", name: "signalbox.newTask" });
  await expect.poll(() => client.getCurrentState()).toBe("no_task");
  client.newTask("Do another");
  await asked(client);
  expect(client.getTaskId()).not.toBe(first);
  expect(client.getMessages()[0]?.text).toBe("Do another");
  expect(window.outputs.filter(({ type }) => type === "problem")).toEqual([]);
});
