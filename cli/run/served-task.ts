import type { ModelSelector } from "../../runtime/options.ts";
import { HostError } from "../../runtime/task/errors.ts";
import type { ServedTask } from "../../server/tasks/task-commands.ts";
import { messageLaws } from "../../verify/monitor/live.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { openMcp, warnOn } from "./mcp.ts";
import { openProvider } from "./provider.ts";
import type { RunModels, RunSettings } from "./settings.ts";

/** The options of the tasks that a process serves or works on, with the connections that they share. */
export interface OpenServedTask {
  readonly task: ServedTask;
  close(): Promise<void>;
}

/** @throws CliError for a model or an MCP server that can't be used */
export async function openServedTask(settings: RunSettings, io: Io): Promise<OpenServedTask> {
  const provider = openProvider(settings.model);
  const mcp = await openMcp(settings.mcp, settings.task.configDir, warnOn(io));
  return {
    task: {
      ...settings.task,
      ...servedModels(provider.models),
      ...mcp.options,
      debugging: { laws: messageLaws },
    },
    async close() {
      await mcp.close();
      await provider.close();
    },
  };
}

/** The models, which reject a task that they can't be used for: without a key, for one. */
function servedModels({ models, ...others }: RunModels): RunModels {
  const served =
    (select: ModelSelector): ModelSelector =>
    (recorded) => {
      try {
        return select(recorded);
      } catch (error) {
        throw error instanceof CliError ? new HostError("OPTION_INVALID", error.message, error) : error;
      }
    };
  const named = Object.entries(models.named).map(
    ([name, model]) => [name, typeof model === "function" ? served(model) : model] as const,
  );
  return {
    ...others,
    models: { ...models, default: served(models.default), named: Object.fromEntries(named) },
  };
}
