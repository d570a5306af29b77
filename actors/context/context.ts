import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { ActorInputs, ContextEvent, EffectResult } from "../../machines/task/index.ts";
import type { Workspace } from "../../tools/index.ts";
import { type Clock, type Edge, fromEvents, type Untimed } from "../protocol/index.ts";
import { environmentDetails, type Files, lastFileList } from "./environment.ts";
import { todoChecklist } from "./todos.ts";

export interface ContextOptions {
  readonly workspace: Pick<Workspace, "root" | "list">;
  /** Results of stopped tool calls. Waits for those that still run, for a limited time. */
  readonly results: (callIds: readonly string[]) => Promise<readonly EffectResult[]>;
  /** Maximum number of file names in a request. Default 200. */
  readonly fileNames?: number;
  /** Timeout of the file listing, in milliseconds. Default 5,000. */
  readonly listTimeoutMs?: number;
  /** Maximum number of todo items in a request. Default 100. */
  readonly todoItems?: number;
  /** Maximum length of a todo item, in characters. Default 500. */
  readonly todoItemChars?: number;
}

type Input = ActorInputs["context"];

/**
 * Collects the context of a request: the environment details and the results of stopped tool calls (L10, L12). Then
 * sends `context.ready`. If the files can't be listed, the details give the reason. A call without a known result is
 * `uncertain`.
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
    resultsOf(options, stopped),
  ]);
  const todos = todoChecklist(conversation, { todoItems, todoItemChars });
  const environment = environmentDetails({
    now: clock.now(),
    root: workspace.root,
    mode,
    files,
    todos,
    lastFiles: lastFileList(conversation),
  });
  return { type: "context.ready", requestId, environment, ends };
}

async function listFiles(clock: Clock, options: ContextOptions): Promise<Files> {
  const { workspace, fileNames = 200, listTimeoutMs = 5_000 } = options;
  let cancel = (): void => {};
  const timeout = new Promise<Files>((resolve) => {
    cancel = clock.after(listTimeoutMs, () => resolve({ problem: `no answer within ${listTimeoutMs} ms` }));
  });
  try {
    return await Promise.race([workspace.list(".", { recursive: true, limit: fileNames }), timeout]);
  } catch (error) {
    return { problem: messageOf(error) };
  } finally {
    cancel();
  }
}

async function resultsOf(
  options: ContextOptions,
  stopped: readonly string[],
): Promise<readonly EffectResult[]> {
  if (stopped.length === 0) return [];
  const known = new Map<string, EffectResult>();
  try {
    for (const result of await options.results(stopped)) known.set(result.callId, result);
  } catch {
    // A call without a known result is uncertain.
    known.clear();
  }
  return stopped.map((callId) => known.get(callId) ?? { callId, content: "uncertain" });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
