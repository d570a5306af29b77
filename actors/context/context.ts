import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { ActorInputs, ContextEvent, ContextReady, EffectResult } from "../../machines/task/index.ts";
import type { Workspace } from "../../tools/index.ts";
import { type Clock, type Edge, fromEvents, type Scope, type Untimed } from "../protocol/index.ts";
import { attachmentsOf, type MentionSources } from "./attachments.ts";
import { environmentDetails, type Files } from "./environment.ts";
import { todoChecklist } from "./todos.ts";

export interface ContextOptions {
  readonly workspace: Pick<Workspace, "root" | "list" | "read">;
  /** Where the mentions in texts of the user are looked up, besides the workspace, and their limits. */
  readonly mentions?: Omit<MentionSources, "workspace">;
  /** Whether the task prompt is text of a model, whose mentions attach nothing. Default false. */
  readonly isSubtask?: boolean;
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
 * Collects the context of a request: the environment details, the results of stopped tool calls (L10, L12) and what the
 * user mentions. Then sends `context.ready`. If the files can't be listed, the details give the reason; if a mention can't
 * be attached, a note does. A call without a known result is `uncertain`.
 */
export function contextActor(edge: Edge, options: ContextOptions): CallbackActorLogic<AnyEventObject, Input> {
  return fromEvents<AnyEventObject, ContextEvent, Input>(edge, {
    source: async function* (scope) {
      yield await ready(edge.clock, options, scope);
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
  scope: Scope<AnyEventObject, Input>,
): Promise<Untimed<ContextEvent>> {
  const { requestId, spoken, conversation, stopped, mode, cost, contextTokens, contextWindow } = scope.input;
  const { workspace, todoItems = 100, todoItemChars = 500 } = options;
  // Before the files are looked at: what changes from now on is for the next request.
  const now = clock.now();
  const [files, ends, attached] = await Promise.all([
    spoken ? listFiles(clock, options) : undefined,
    resultsOf(options, stopped),
    attachmentsTo(clock, options, scope),
  ]);
  const todos = todoChecklist(conversation, { todoItems, todoItemChars });
  const environment = environmentDetails(conversation, {
    now,
    root: workspace.root,
    mode,
    cost,
    contextTokens,
    contextWindow,
    files,
    todos,
  });
  return { type: "context.ready", requestId, environment, ends, ...(attached.length > 0 && { attached }) };
}

async function attachmentsTo(
  clock: Clock,
  { workspace, mentions, isSubtask = false }: ContextOptions,
  scope: Scope<AnyEventObject, Input>,
): Promise<NonNullable<ContextReady["attached"]>> {
  const said = isSubtask ? scope.input.said.filter(({ origin }) => origin !== "prompt") : scope.input.said;
  if (said.length === 0) return [];
  const texts = said.map(({ text }) => text);
  return attachmentsOf(texts, { ...mentions, workspace }, { clock, signal: scope.signal });
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
