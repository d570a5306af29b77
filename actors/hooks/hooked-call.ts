import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Input } from "../../machines/tool-call/call.ts";
import type { SubtaskFiles } from "../../ports/subtask-files.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { finalCall } from "../../tools/final-call.ts";
import type { NamedCall } from "../../tools/hook-list.ts";
import type { Registry } from "../../tools/registry.ts";
import type { AmendedCall, Tool } from "../../tools/tool.ts";
import { digestOf } from "../review/digest.ts";
import { noDecision } from "./failure.ts";

type CallInput = Exclude<ActorInputs["hook"], { point: "beforeRequest" }>;

/** The call that hooks see. */
export interface HookedCall extends NamedCall {
  /** Canonical name of its tool. */
  readonly tool: string;
  readonly arguments: Input;
  readonly paths: readonly string[];
}

/** The task that hooks belong to. */
export interface HookedTask {
  readonly id: string;
  readonly registry: Registry;
  readonly workspace: Workspace;
  readonly subtaskFiles?: SubtaskFiles | undefined;
}

/** The call with its final arguments. @throws ToolError `HOOK_INVALID` before a call, for arguments other than the reviewed ones */
export async function hookedCall(task: HookedTask, input: CallInput): Promise<HookedCall> {
  const { registry } = task;
  const tool = registry.find(input.name);
  const prepared = tool && finalCall(tool, input);
  if (input.point === "beforeTool") assertReviewed(tool, prepared, input.digest);
  // A call that has ended is seen also where its tool is gone.
  if (tool === undefined || prepared?.ok !== true)
    return { tool: input.name, names: [input.name], arguments: input.input, paths: [] };
  const { call } = prepared;
  const { mcp, paths } = await described(call, tool, task);
  return {
    tool: tool.name,
    names: [tool.name, ...tool.aliases],
    mcp,
    arguments: call.input,
    paths: call.files ?? paths,
  };
}

/** Assert that the hooks decide about the arguments that were reviewed (L7). */
function assertReviewed(
  tool: Tool | undefined,
  prepared: ReturnType<typeof finalCall> | undefined,
  digest: string,
): void {
  if (tool !== undefined && prepared?.ok === true) {
    const { input, definition } = prepared.call;
    if (digestOf(tool.name, input, definition) === digest) return;
  }
  throw noDecision("expected the call that was reviewed, received another: its tool was changed since.");
}

/** The tool of an MCP server that a call uses, and the paths that it names: none if the call can't be described any more. */
async function described(
  call: AmendedCall,
  { group, effect }: Tool,
  { workspace, subtaskFiles }: HookedTask,
): Promise<Pick<HookedCall, "mcp" | "paths">> {
  if (group !== "mcp" && (effect !== "writes" || call.files !== undefined)) return { paths: [] };
  try {
    const { mcp, paths } = await call.describe({ workspace, subtaskFiles });
    return { mcp, paths: paths.map(({ path }) => path) };
  } catch {
    return { paths: [] };
  }
}
