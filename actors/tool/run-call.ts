import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import type { Clock } from "../../ports/clock.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { finalCall } from "../../tools/final-call.ts";
import type { RunPorts } from "../../tools/ports.ts";
import { recordWrites } from "../../tools/recorded-writes.ts";
import type { Registry } from "../../tools/registry.ts";
import type { AmendedCall, Tool, ToolResult } from "../../tools/tool.ts";
import type { FileAccess } from "../calls/roles.ts";
import { NOT_STARTED } from "../calls/started-calls.ts";
import type { Requires } from "../environment.ts";
import { digestOf } from "../review/digest.ts";
import type { ToolSources } from "../toolset.ts";
import { boundResult, type ResultLimits } from "./result.ts";
import { timedIndex } from "./timed-index.ts";

export type CallEnvironment = Requires<
  | ToolSources
  | "workspace"
  | "shell"
  | "skills"
  | "artifacts"
  | "codebaseIndex"
  | "browser"
  | "subtaskFiles"
  | "backgroundSubtasks"
  | "recording"
  | "traceContext"
  | "reports"
  | "stopped"
  | "fileAccess"
>;

/** The context of all calls that one actor logic runs. */
export interface RunContext {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly environment: CallEnvironment;
  readonly limits: ResultLimits;
}

/** The ports of a call that differ from call to call. */
type CallPorts = Pick<RunPorts, "signal" | "output" | "progress" | "continueInBackground" | "elicit">;

/** A call that was run, also one that failed. */
export interface CompletedCall {
  readonly result: ToolResult;
  /** The files that it changed. */
  readonly writes: readonly FileWrite[];
}

/** Run one tool call under its decision. Never rejects: an error is a failed result. */
export async function runCall(
  context: RunContext,
  input: ActorInputs["tool"],
  ports: CallPorts,
): Promise<CompletedCall> {
  const { recording, workspace, shell } = context.environment;
  const given = { workspace, shell };
  const { writes, ...recorded } =
    recording === undefined ? { writes: [], ...given } : recordWrites(given, recording);
  const result = await resultOf(context, recorded, input, ports);
  return { result, writes };
}

async function resultOf(
  { clock, registry, environment, limits }: RunContext,
  { workspace, shell }: Requires<"workspace" | "shell">,
  input: ActorInputs["tool"],
  { elicit, ...ports }: CallPorts,
): Promise<ToolResult> {
  const { signal } = ports;
  try {
    const { tool, call } = prepare(registry, input);
    // Only an effect waits for the calls that were stopped (L12).
    if (!tool.replayable) await untilAborted(environment.stopped.quiesce(), signal);
    if (signal.aborted) return failed(NOT_STARTED);
    const { skills, artifacts, browser, traceContext } = environment;
    const { subtaskFiles, backgroundSubtasks } = environment;
    const codebaseIndex = environment.codebaseIndex && timedIndex(clock, environment.codebaseIndex);
    const commands = environment.reports.commandsOf(input.callId, shell);
    const subtasks = { subtaskFiles, backgroundSubtasks };
    const held = { workspace, ...commands, ...subtasks, skills, artifacts, codebaseIndex, browser };
    const traced = traceContext && { traceContext: () => traceContext(input.callId) };
    const elicits = tool.elicits === true ? { elicit } : {};
    const runPorts = { ...ports, ...held, ...traced, ...elicits, base: input.base };
    const result = await withVersions(environment.fileAccess, tool, call, async () =>
      signal.aborted ? failed(NOT_STARTED) : call.execute(runPorts),
    );
    return boundResult(tool.name, result, limits);
  } catch (error) {
    const message = formatError(error);
    return failed(
      signal.aborted
        ? `The call was terminated before its end; what it had done by then stays. ${message}`
        : message,
    );
  }
}

/** Run a call whose files the task knows. @throws ToolError `CHANGED` */
function withVersions(
  access: FileAccess | undefined,
  { effect }: Tool,
  { files }: AmendedCall,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (access === undefined || files === undefined) return run();
  return effect === "writes" ? access.whileWriting(files, run) : access.whileReading(files, run);
}

/** Assert that the decision is for this call, with this name and these arguments (L7). */
function prepare(
  registry: Registry,
  { callId, name, decision, ...given }: ActorInputs["tool"],
): { readonly tool: Tool; readonly call: AmendedCall } {
  const tool = registry.find(name);
  if (tool === undefined) {
    throw new ToolError("NOT_FOUND", `Unknown tool '${name}': it was removed after the call was reviewed.`);
  }
  const prepared = finalCall(tool, given);
  const { input, definition } = prepared.ok ? prepared.call : { input: given.input, definition: undefined };
  if (decision.callId !== callId || decision.digest !== digestOf(tool.name, input, definition)) {
    throw new ToolError(
      "NOT_RUN",
      `The call of ${name} was not run: expected a decision for this call and these arguments, received one for another.`,
    );
  }
  if (!prepared.ok) throw new ToolError("ARGUMENTS_INVALID", prepared.error);
  return { tool, call: prepared.call };
}

function failed(text: string): ToolResult {
  return { content: [{ type: "text", text: text.toWellFormed() }], failed: true };
}

/** Resolves with `done`, or when `signal` aborts. */
function untilAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
    done.then(resolve, reject);
  });
}
