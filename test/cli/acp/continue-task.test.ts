import { expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { continueTask } from "../../../cli/acp/continue-task.ts";
import { createHost } from "../../../runtime/host.ts";
import { memoryJournal } from "../../../store/index.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { startMock } from "../../../testing/mock/server/server.ts";

const never = new AbortController().signal;

test("a prompt that a full queue does not take is an error with its code, and the task stays at its limit (LIFE-GAP-003)", async () => {
  const turns = "[{ tool: list_files, input: { path: ., recursive: false } }, { text: Done. }]";
  const mock = await startMock(parseScript(turns));
  const host = createHost({ journal: () => memoryJournal() });
  const task = await host.create({
    model: anthropic({ model: "claude-sonnet-4-5", apiKey: "any", baseURL: mock.url }),
    workspace: ".",
    limits: { requests: 1, queued: 1 },
  });
  expect((await task.run("Go")).ask).toBe("limit");
  const queued = task.queue("first");
  expect(queued.ok).toBe(true);
  const log = task.log.toArray();
  const prompt = (text: string) => continueTask(task, { text, images: [] }, never);
  await expect(prompt("Lost?")).rejects.toMatchObject({ name: "RefusalError", code: "QUEUE_FULL" });
  expect(task.log.toArray()).toEqual(log);
  expect(task.snapshot.context.queue.map(({ text }) => text)).toEqual(["first"]);
  if (queued.ok) task.unqueue(queued.id);
  await prompt("Now");
  expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("Now");
  await host.closeAll();
  await mock.close();
});
