import type { CallbackActorLogic } from "xstate";
import type { ActorInputs, ToolCommand, ToolEvent } from "../../machines/task/index.ts";
import { sayError, type ToolResult } from "../../tools/index.ts";
import { type Edge, type Released, released, type Untimed } from "../protocol/index.ts";
import { inFrames } from "./frames.ts";
import { textOfResult } from "./result.ts";
import { type RunCallOptions, runCall } from "./run-call.ts";

export interface ToolActorOptions extends RunCallOptions {
  /** How long output is gathered for one event. Default 30 ms. */
  readonly frameMs?: number;
}

type ToolInput = ActorInputs["tool"];

/**
 * The actor that runs one call under its decision. It sends any number of `tool.output`, at most one a frame,
 * then exactly one `tool.finished` or `tool.failed`. `tool.abort` ends the work, and its end is still sent. A
 * stop ends the work too and silences the actor; the end is then known to the ledger alone (L10, L12).
 */
export function toolActor(edge: Edge, options: ToolActorOptions): CallbackActorLogic<ToolCommand, ToolInput> {
  const logic = released<ToolCommand, ToolEvent, ToolInput>(
    edge,
    (event) => event.type !== "tool.output",
    (scope) => begin(edge, options, scope),
  );
  return {
    ...logic,
    start: (state, scope) => {
      options.ends.planned(state.input.callId);
      logic.start?.(state, scope);
    },
  };
}

function begin(
  edge: Edge,
  options: ToolActorOptions,
  { input, receive, send }: Released<ToolCommand, ToolEvent, ToolInput>,
): () => void {
  const { callId } = input;
  const { ends } = options;
  const abort = new AbortController();
  const frames = inFrames({
    clock: edge.clock,
    frameMs: options.frameMs ?? 30,
    maxBytes: options.maxResultBytes ?? 200_000,
    show: (text) => send({ type: "tool.output", callId, text }),
  });
  try {
    ends.started(callId);
  } catch (error) {
    // L12: a decision is used up by the first start, whatever asked for a second.
    send({ type: "tool.failed", callId, error: sayError(error) });
    return () => {};
  }
  let runs = true;
  receive(() => abort.abort());
  const finish = (result: ToolResult): void => {
    runs = false;
    frames.end();
    ends.ended({ callId, content: result.content, failed: result.failed === true });
    send(endOf(callId, result));
  };
  // It never rejects; a ledger that can't take the end is a broken invariant, and the process hears of it.
  void runCall(options, input, abort.signal, frames.add).then(finish);
  return () => {
    if (!runs) return;
    ends.stopped(callId);
    abort.abort();
  };
}

function endOf(callId: string, result: ToolResult): Untimed<ToolEvent> {
  const command = result.command === undefined ? {} : { command: result.command };
  return result.failed === true
    ? { type: "tool.failed", callId, error: textOfResult(result), ...command }
    : { type: "tool.finished", callId, content: result.content, ...command };
}
