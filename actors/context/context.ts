import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { ActorInputs, ContextEvent, EffectResult } from "../../machines/task/index.ts";
import type { Workspace } from "../../tools/index.ts";
import { type Clock, type Edge, fromEvents, type Untimed } from "../protocol/index.ts";
import { environmentDetails, type Files, toldFiles } from "./environment.ts";
import { todoChecklist } from "./todos.ts";

export interface ContextOptions {
  readonly workspace: Pick<Workspace, "root" | "list">;
  /** What stopped calls came to; waits for those that still run, within a bound of its own. */
  readonly ends: (callIds: readonly string[]) => Promise<readonly EffectResult[]>;
  /** The most names of files that a request carries. Default 200. */
  readonly fileNames?: number;
  /** How long the files may take to list, in milliseconds. Default 5,000. */
  readonly listTimeoutMs?: number;
  /** The most items of the todo list that a request carries. Default 100. */
  readonly todoItems?: number;
  /** The longest item, in characters. Default 500. */
  readonly todoItemChars?: number;
}

type Input = ActorInputs["context"];

/**
 * The actor that collects what a request is built from: the environment's details, and how the calls ended that
 * were stopped (L10, L12). Then `context.ready`. Files that can't be listed fail no request: the details say so.
 * A call whose end nobody tells is `uncertain`.
 */
export function contextActor(edge: Edge, options: ContextOptions): CallbackActorLogic<AnyEventObject, Input> {
  return fromEvents<AnyEventObject, ContextEvent, Input>(edge, {
    source: async function* ({ input }) {
      yield await ready(edge.clock, options, input);
    },
    isTerminal: () => true,
    failed: ({ requestId }, error) => ({
      type: "context.failed",
      requestId,
      message: `The context of the request could not be collected: ${messageOf(error)}`,
    }),
  });
}

async function ready(
  clock: Clock,
  options: ContextOptions,
  { requestId, spoken, conversation, stopped, mode }: Input,
): Promise<Untimed<ContextEvent>> {
  const { workspace, todoItems = 100, todoItemChars = 500 } = options;
  const [files, ends] = await Promise.all([
    spoken ? listFiles(clock, options) : undefined,
    endsOf(options, stopped),
  ]);
  const todos = todoChecklist(conversation, { todoItems, todoItemChars });
  const environment = environmentDetails({
    now: clock.now(),
    root: workspace.root,
    mode,
    files,
    todos,
    told: toldFiles(conversation),
  });
  return { type: "context.ready", requestId, environment, ends };
}

async function listFiles(clock: Clock, options: ContextOptions): Promise<Files> {
  const { workspace, fileNames = 200, listTimeoutMs = 5_000 } = options;
  let cancel = (): void => {};
  const late = new Promise<Files>((resolve) => {
    cancel = clock.after(listTimeoutMs, () => resolve({ problem: `no answer within ${listTimeoutMs} ms` }));
  });
  try {
    return await Promise.race([workspace.list(".", { recursive: true, limit: fileNames }), late]);
  } catch (error) {
    return { problem: messageOf(error) };
  } finally {
    cancel();
  }
}

async function endsOf(options: ContextOptions, stopped: readonly string[]): Promise<readonly EffectResult[]> {
  if (stopped.length === 0) return [];
  const known = new Map<string, EffectResult>();
  try {
    for (const end of await options.ends(stopped)) known.set(end.callId, end);
  } catch {
    // What nobody can tell is uncertain, and is told so below.
    known.clear();
  }
  return stopped.map((callId) => known.get(callId) ?? { callId, content: "uncertain" });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
