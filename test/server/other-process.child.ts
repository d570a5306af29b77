import { createHost } from "../../runtime/host.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/index.ts";

const [dataDir = "", workspace = ""] = process.argv.slice(2);
const host = createHost({ dataDir });
const model = scriptedModel([
  scriptedToolCall("execute_command", { command: "make" }),
  scriptedToolCall("attempt_completion", { result: "Built." }),
]);
const task = await host.create({ id: "elsewhere", model, workspace, completion: "tool" });
const end = task.run("Build it");
task.asks$.subscribe((ask) => {
  // The parent has seen the ask when it writes a line.
  if (ask.kind === "command") process.stdin.once("data", () => ask.reject());
});
await end;
await host.closeAll();
process.stdin.destroy();
