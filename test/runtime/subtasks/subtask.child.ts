import { once } from "node:events";
import { anthropic } from "../../../adapters/index.ts";
import { createHost } from "../../../runtime/host.ts";
import { allowEverything, builtinTools } from "../../../tools/index.ts";
import { MODES, Notes } from "../../support/subtasks.ts";

/** A process that opens a subtask alone, and resumes it when its parent process sends a message. */
const [dataDir = "", taskId = "", workspace = "", baseURL = ""] = process.argv.slice(2);
const notes = new Notes();
const host = createHost({ dataDir });
const task = await host.open(taskId, {
  model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL }),
  permissions: { judge: allowEverything() },
  workspace,
  modes: MODES,
  tools: [...builtinTools(), notes.tool],
});
process.send?.({ type: "opened" });
await once(process, "message");
const end = task.settled();
const [resume] = task.asks;
if (resume?.kind === "resume") resume.approve();
await end;
await host.closeAll();
process.send?.({ type: "ended", notes: notes.count });
process.disconnect();
