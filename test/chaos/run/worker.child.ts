import { appendFileSync } from "node:fs";
import { anthropic, builtinTools, defineTool } from "signalbox";
import { openPostgres } from "signalbox/postgres";
import { z } from "zod";
import { openWakes } from "../../../cluster/wakes/wakes.ts";
import { createWorker } from "../../../cluster/worker/worker.ts";
import { WorkerInput } from "./worker-input.ts";

// A worker whose tool appends a line with the task and the call to a file.
const { url, mock, effects, leaseMs } = WorkerInput.parse(JSON.parse(process.argv[2] ?? ""));
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
const talking = builtinTools().filter(
  ({ name }) => name === "attempt_completion" || name === "ask_followup_question",
);
const report = (error: unknown, taskId = "wakes"): void =>
  console.error(`${taskId}: ${error instanceof Error ? error.message : String(error)}`);
const store = await openPostgres({ url, leaseMs });
const wakes = await openWakes({ url, store, onError: (error) => report(error) });
const worker = await createWorker({
  store,
  wakes,
  idleMs: 500,
  drainMs: 20_000,
  onError: report,
  task: (taskId) => ({
    model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock }),
    tools: [...talking, effectOf(taskId)],
    permissions: { level: "bypass" },
  }),
});
process.once("SIGTERM", async () => {
  await worker.drain();
  await wakes.close();
  process.exit(0);
});
console.log("ready");
