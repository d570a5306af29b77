import { appendFileSync } from "node:fs";
import { anthropic, builtinTools, defineTool } from "signalbox";
import { openPostgres } from "signalbox/postgres";
import { z } from "zod";
import { openWakes } from "../../cluster/wakes/wakes.ts";
import { createWorker } from "../../cluster/worker/worker.ts";
import { WorkerInput } from "./worker-input.ts";

// A worker that takes prompts from the inbox, and whose tool appends a line to a file.
const input = WorkerInput.parse(JSON.parse(process.argv[2] ?? ""));
const { url, mock, effects, leaseMs, idleMs, drainMs, pools } = input;
const effect = defineTool({
  name: "effect",
  description: "Appends a line.",
  inputSchema: z.object({ line: z.string() }),
  effect: "writes",
  execute({ line }) {
    appendFileSync(effects, `${line}\n`);
    return "Appended.";
  },
});
const talking = builtinTools().filter(
  ({ name }) => name === "attempt_completion" || name === "ask_followup_question",
);
const report = (error: unknown): void => console.error(error instanceof Error ? error.message : error);
const store = await openPostgres({ url, leaseMs });
const wakes = await openWakes({ url, store, onError: report });
const worker = await createWorker({
  store,
  wakes,
  idleMs,
  drainMs,
  ...(pools !== undefined && { pools }),
  onError: report,
  task: (taskId) => {
    process.send?.({ type: "opening", taskId });
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock });
    return { model, tools: [...talking, effect], permissions: { level: "bypass" } };
  },
});
process.once("SIGTERM", async () => {
  await worker.drain();
  await wakes.close();
  process.disconnect();
});
process.send?.({ type: "ready" });
