import type { ActorInputs } from "../../machines/task/index.ts";
import {
  type PreparedCall,
  type Registry,
  type Shell,
  sayError,
  type Tool,
  ToolError,
  type ToolResult,
  type Workspace,
} from "../../tools/index.ts";
import { digestOf } from "../review/index.ts";
import type { EffectLedger } from "./ledger.ts";
import { boundResult, type ResultLimits } from "./result.ts";

export interface RunCallOptions extends ResultLimits {
  readonly registry: Registry;
  readonly workspace: Workspace;
  readonly shell: Shell;
  readonly ends: EffectLedger;
}

/** Runs one call under its decision. What goes wrong is a failed result: it never rejects. */
export async function runCall(
  options: RunCallOptions,
  input: ActorInputs["tool"],
  signal: AbortSignal,
  output: (text: string) => void,
): Promise<ToolResult> {
  try {
    const { tool, call } = permitted(options.registry, input);
    // What changes nothing may run beside the last deeds of what was stopped; an effect waits for them (L12).
    if (!tool.replayable) await either(options.ends.quiet(), signal);
    if (signal.aborted) return failed("The call was stopped before it began: nothing was done.");
    const result = await call.run({ workspace: options.workspace, shell: options.shell, signal, output });
    return boundResult(tool.name, result, options);
  } catch (error) {
    const said = sayError(error);
    return failed(
      signal.aborted
        ? `The call was terminated before its end; what it had done by then stays. ${said}`
        : said,
    );
  }
}

/** L7 where it is relied on: the decision is for this call, with this name and these arguments. */
function permitted(
  registry: Registry,
  { callId, name, input, decision }: ActorInputs["tool"],
): { readonly tool: Tool; readonly call: PreparedCall } {
  const tool = registry.find(name);
  if (tool === undefined) {
    throw new ToolError("not_found", `Unknown tool '${name}'. The tools are: ${registry.names.join(", ")}.`);
  }
  if (decision.callId !== callId || decision.digest !== digestOf(tool.name, input)) {
    throw new ToolError(
      "not_run",
      `The call of ${name} was not run: expected a decision for this call and these arguments, received one for another.`,
    );
  }
  const prepared = tool.prepare(input);
  if (!prepared.ok) throw new ToolError("bad_arguments", prepared.error);
  return { tool, call: prepared.call };
}

function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], failed: true };
}

/** Resolves with `done`, or as soon as `signal` aborts. */
function either(done: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
    done.then(resolve, reject);
  });
}
