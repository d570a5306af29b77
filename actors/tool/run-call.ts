import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Browser } from "../../ports/browser.ts";
import type { CodebaseIndex } from "../../ports/codebase-index.ts";
import type { Shell } from "../../ports/shell.ts";
import type { Skills } from "../../ports/skills.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { finalCall } from "../../tools/final-call.ts";
import type { RunPorts, TraceContext } from "../../tools/ports.ts";
import { recordWrites } from "../../tools/recorded-writes.ts";
import type { Registry } from "../../tools/registry.ts";
import type { AmendedCall, Tool, ToolResult } from "../../tools/tool.ts";
import type { WriteRecording } from "../../tools/write-recording.ts";
import type { CallReports, FileAccess, StoppedEffects } from "../calls/roles.ts";
import { NOT_STARTED } from "../calls/started-calls.ts";
import { digestOf } from "../review/digest.ts";
import { boundResult, type ResultLimits } from "./result.ts";

export interface RunCallOptions extends ResultLimits {
  readonly registry: Registry;
  readonly workspace: Workspace;
  readonly shell: Shell;
  /** Default: none. */
  readonly skills?: Skills | undefined;
  /** Default: none. */
  readonly artifacts?: Artifacts | undefined;
  /** Default: none. */
  readonly codebaseIndex?: CodebaseIndex | undefined;
  /** Default: none. */
  readonly browser?: Browser | undefined;
  /** Records the files that a call changes. Default: they are not recorded. */
  readonly recording?: WriteRecording | undefined;
  /** The trace context of a running call. Default: none. */
  readonly traceContext?: ((callId: string) => TraceContext | undefined) | undefined;
  readonly reports: CallReports;
  readonly stopped: StoppedEffects;
  /** The files as the task knows them: a write of one that has changed since fails. Default: nothing is compared. */
  readonly fileAccess?: FileAccess | undefined;
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
  { recording, ...options }: RunCallOptions,
  input: ActorInputs["tool"],
  ports: CallPorts,
): Promise<CompletedCall> {
  const { writes, ...recorded } = recording === undefined ? { writes: [] } : recordWrites(options, recording);
  const result = await resultOf({ ...options, ...recorded }, input, ports);
  return { result, writes };
}

async function resultOf(
  options: RunCallOptions,
  input: ActorInputs["tool"],
  { elicit, ...ports }: CallPorts,
): Promise<ToolResult> {
  const { signal } = ports;
  try {
    const { tool, call } = prepare(options.registry, input);
    // Only an effect waits for the calls that were stopped (L12).
    if (!tool.replayable) await untilAborted(options.stopped.quiesce(), signal);
    if (signal.aborted) return failed(NOT_STARTED);
    const { workspace, skills, artifacts, codebaseIndex, browser, traceContext } = options;
    const commands = options.reports.commandsOf(input.callId, options.shell);
    const held = { workspace, ...commands, skills, artifacts, codebaseIndex, browser };
    const traced = traceContext && { traceContext: () => traceContext(input.callId) };
    const elicits = tool.elicits === true ? { elicit } : {};
    const runPorts = { ...ports, ...held, ...traced, ...elicits, base: input.base };
    const result = await withVersions(options.fileAccess, tool, call, async () =>
      signal.aborted ? failed(NOT_STARTED) : call.run(runPorts),
    );
    return boundResult(tool.name, result, options);
  } catch (error) {
    const message = formatError(error);
    return failed(
      signal.aborted
        ? `The call was terminated before its end; what it had done by then stays. ${message}`
        : message,
    );
  }
}

/** Run a call whose files the task knows. @throws ToolError `changed` */
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
    throw new ToolError("not_found", `Unknown tool '${name}': it was removed after the call was reviewed.`);
  }
  const prepared = finalCall(tool, given);
  const { input, definition } = prepared.ok ? prepared.call : { input: given.input, definition: undefined };
  if (decision.callId !== callId || decision.digest !== digestOf(tool.name, input, definition)) {
    throw new ToolError(
      "not_run",
      `The call of ${name} was not run: expected a decision for this call and these arguments, received one for another.`,
    );
  }
  if (!prepared.ok) throw new ToolError("bad_arguments", prepared.error);
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
