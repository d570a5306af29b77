import type { CallbackActorLogic } from "xstate";
import type { OutputRest, ToolEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs, ToolCommand } from "../../machines/task/task.setup.ts";
import { formatError } from "../../tools/error.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { Edge } from "../protocol/edge.ts";
import { type ReleasedScope, released, type Untimed } from "../protocol/released.ts";
import { taskRegistry } from "../toolset.ts";
import { batchOutput } from "./batch-output.ts";
import { Elicitations } from "./elicitations.ts";
import { joinProgress, type ProgressLimits } from "./progress.ts";
import { type ResultLimits, textOfResult } from "./result.ts";
import { type CallEnvironment, type CompletedCall, type RunContext, runCall } from "./run-call.ts";

export interface ToolLimits extends ResultLimits, ProgressLimits {
  /** Minimum time between two output events, in milliseconds. Default 30. */
  readonly frameMs?: number;
  /** Time in which a command that goes to the background may end in the foreground, in milliseconds. Default 500. */
  readonly backgroundAfterMs?: number;
}

type ToolInput = ActorInputs["tool"];

/**
 * Runs one tool call under its decision. Sends any number of `tool.output` and `tool.progress`, at most one of each per
 * frame, one `tool.elicitation.requested` at a time, and `tool.backgrounded` for a call that asks for it, then exactly one
 * `tool.finished` or `tool.failed`, even after `tool.abort`. A stop aborts the call too, but sends nothing: only the call tracker gets the result (L10, L12).
 */
export function toolActor(
  edge: Edge,
  environment: CallEnvironment,
  limits: ToolLimits = {},
): CallbackActorLogic<ToolCommand, ToolInput> {
  const context = { clock: edge.clock, registry: taskRegistry(environment), environment, limits };
  const logic = released<ToolCommand, ToolEvent, ToolInput>(
    edge,
    ({ type }) => type === "tool.finished" || type === "tool.failed",
    (scope) => start(edge, context, scope),
  );
  return {
    ...logic,
    start: (state, scope) => {
      environment.reports.callPlanned(state.input.callId);
      logic.start?.(state, scope);
    },
  };
}

function start(
  edge: Edge,
  context: RunContext & { readonly limits: ToolLimits },
  { input, receive, send }: ReleasedScope<ToolCommand, ToolEvent, ToolInput>,
): () => void {
  const { callId } = input;
  const { limits } = context;
  const { reports } = context.environment;
  const abort = new AbortController();
  const output = batchOutput({
    clock: edge.clock,
    frameMs: limits.frameMs ?? 30,
    maxBytes: limits.maxResultBytes ?? 200_000,
    send: (text) => send({ type: "tool.output", callId, text }),
  });
  const progress = joinProgress({
    ...limits,
    clock: edge.clock,
    send: (status) => send({ type: "tool.progress", callId, status }),
  });
  const elicitations = new Elicitations({
    signal: abort.signal,
    send: (elicitationId, request) =>
      send({ type: "tool.elicitation.requested", callId, elicitationId, request }),
  });
  try {
    reports.callStarted(callId);
  } catch (error) {
    // L12: a decision is for one start.
    send({ type: "tool.failed", callId, error: formatError(error) });
    return () => {};
  }
  let isRunning = true;
  let stayInForeground = (): void => {};
  receive((command) => {
    if (command.type === "tool.abort") abort.abort();
    // The call continues once the answer is durable (L11).
    else edge.release(() => elicitations.answered(command));
  });
  const finish = ({ result, writes }: CompletedCall): void => {
    isRunning = false;
    stayInForeground();
    output.flush();
    progress.flush();
    const written = writes.length === 0 ? {} : { writes };
    const { content, failed } = result;
    const rests = reports.callEnded({ callId, content, failed: failed === true, ...written });
    send({ ...terminalEvent(callId, result, rests), ...written });
  };
  // It never rejects. An error of the call tracker is a broken invariant, reported as an unhandled rejection.
  void runCall(context, input, {
    signal: abort.signal,
    output: (text) => {
      reports.callPrinted(callId, text);
      output.add(text);
    },
    progress: progress.report,
    elicit: elicitations.elicit,
    continueInBackground() {
      stayInForeground();
      stayInForeground = edge.clock.after(limits.backgroundAfterMs ?? 500, () =>
        send({ type: "tool.backgrounded", callId }),
      );
    },
  }).then(finish);
  return () => {
    stayInForeground();
    progress.end();
    if (!isRunning) return;
    reports.callStopped(callId);
    abort.abort();
  };
}

type TerminalEvent = Extract<ToolEvent, { type: "tool.finished" | "tool.failed" }>;

function terminalEvent(
  callId: string,
  result: ToolResult,
  rests: readonly OutputRest[],
): Untimed<TerminalEvent> {
  const command =
    result.command === undefined
      ? {}
      : { command: rests.length === 0 ? result.command : { ...result.command, rests } };
  if (result.failed === true) return { type: "tool.failed", callId, error: textOfResult(result), ...command };
  const found = result.found === undefined ? {} : { found: result.found };
  return { type: "tool.finished", callId, content: result.content, ...command, ...found };
}
