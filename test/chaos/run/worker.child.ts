import { appendFileSync } from "node:fs";
import { anthropic, builtinTools, defineTool, type ReopenOptions } from "signalbox";
import { openPostgres } from "signalbox/postgres";
import { z } from "zod";
import { openWakes } from "../../../cluster/wakes/wakes.ts";
import { createWorker } from "../../../cluster/worker/worker.ts";
import { createServer } from "../../../server/index.ts";
import { WorkerInput } from "./worker-input.ts";

// A worker whose tool appends a line with the task and the call to a file. A subtask has the tool of its root.
const { url, mock, effects, leaseMs, folder } = WorkerInput.parse(JSON.parse(process.argv[2] ?? ""));
const effectOf = (taskId: string) =>
  defineTool({
    name: "effect",
    description: "Appends a line.",
    inputSchema: z.object({ line: z.string() }),
    effect: "writes",
    execute({ line }) {
      appendFileSync(effects, `${taskId} ${line}\n`);
      return "Appended.";
    },
  });
const NAMES: ReadonlySet<string> = new Set(["attempt_completion", "ask_followup_question", "new_task"]);
const talking = builtinTools().filter(({ name }) => NAMES.has(name));
const report = (error: unknown, taskId = "wakes"): void =>
  console.error(`${taskId}: ${error instanceof Error ? error.message : String(error)}`);
const store = await openPostgres({ url, leaseMs });
const wakes = await openWakes({ url, store, onError: (error) => report(error) });
const task = (taskId: string): ReopenOptions => ({
  model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock }),
  tools: [...talking, effectOf(taskId)],
  permissions: { level: "bypass" },
});
const worker = await createWorker({
  store,
  wakes,
  idleMs: 500,
  drainMs: 20_000,
  onError: report,
  task,
  async serve(host) {
    const { history, journal } = store;
    const server = await createServer({
      host,
      history,
      journal,
      task: task(""),
      workspace: folder,
      page: folder,
      onError: report,
    });
    return { address: { url: server.url, token: server.token }, close: () => server.close() };
  },
});
process.once("SIGTERM", async () => {
  await worker.drain();
  await wakes.close();
  process.exit(0);
});
console.log("ready");
