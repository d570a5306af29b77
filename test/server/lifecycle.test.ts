import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { TraceLog } from "../../visualize/trace/index.ts";
import { taskListSchema } from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

test("a task runs over HTTP: it is created, asks, is approved by the ask's id, completes, and accepts feedback", async () => {
  await using served = await Served.open({
    script: `[[{ text: I write. }, ${WRITE}], ${DONE}, ${DONE}]`,
    files: { "a.txt": "one\n" },
  });
  const created = await served.create("Change it");
  expect(created).toMatchObject({ title: "Change it", isOpen: true });
  const stream = await SseReader.open(served, `/api/tasks/${created.id}/events`);
  await stream.until(enters("waiting_for_input"));
  const waiting = await served.info(created.id);
  expect(waiting).toMatchObject({
    state: "waiting_for_input",
    asks: [
      {
        kind: "tool",
        accepts: ["yes", "no", "text"],
        tool: { name: "write_to_file", effect: "writes", input: { path: "a.txt", content: "two\n" } },
        paths: [{ path: "a.txt", inside: true }],
        diff: "@@ -1,1 +1,1 @@\n-one\n+two",
      },
    ],
  });
  const askId = waiting.asks[0]?.askId;
  const response = await served.post(`/api/tasks/${created.id}/asks/${askId}/answer`, { kind: "yes" });
  expect(response.status).toBe(204);
  await stream.until(enters("idle"));
  expect(await readFile(path.join(served.workspace, "a.txt"), "utf8")).toBe("two\n");
  const again = await served.post(`/api/tasks/${created.id}/words`, { text: "And more" });
  expect(again.status).toBe(200);
  await stream.until(enters("idle"));
  stream.close();
  const trace = new TraceLog(created.id, await served.trace(created.id));
  const { memory, derived } = trace.moment(trace.length - 1);
  expect(memory.log.toArray()).toEqual(served.host.tasks.get(created.id)?.log.toArray());
  expect(derived.state).toBe("idle");
  const list = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  const asks = [{ kind: "completion_result", result: "All done." }];
  expect(list.tasks).toMatchObject([{ id: created.id, state: "idle", isOpen: true, asks }]);
});
