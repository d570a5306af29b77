import type { AnyEventObject, CallbackActorLogic } from "xstate";
import { type EnvironmentSection, newestEnvironment } from "../../machines/conversation/environment.ts";
import type { ContextEvent, ContextReady, EffectResult } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EditorSource } from "../../ports/editor.ts";
import type { ProblemsPort } from "../../ports/repository.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { messageOf } from "../../tools/error.ts";
import type { Registry } from "../../tools/registry.ts";
import type { CallOutcomes } from "../calls/roles.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents, type Scope } from "../protocol/from-events.ts";
import type { Untimed } from "../protocol/released.ts";
import { within } from "../protocol/within.ts";
import { attachmentsOf, type MentionSources } from "./attachments.ts";
import { commandList, outputSection } from "./background.ts";
import { changedFiles, changesUnknown } from "./changed-files.ts";
import { editorProblems } from "./editor/diagnostics.ts";
import type { EditorReader } from "./editor/read-editor.ts";
import { editorStates } from "./editor/sections.ts";
import { environmentDetails, type Files } from "./environment.ts";
import { todoChecklist } from "./todos.ts";

export interface ContextOptions {
  readonly workspace: Pick<Workspace, "root" | "resolve" | "list" | "read" | "changeTimes">;
  /** Whether the task has a workspace. Without one, a request has no environment details. Default true. */
  readonly hasWorkspace?: boolean;
  /** The editor that the task runs in: each request reads it. Default: none. */
  readonly editor?: EditorSource | undefined;
  /** The tools of the task: they know which files their calls access. */
  readonly registry: Registry;
  readonly outcomes: CallOutcomes;
  /** Where the mentions in texts of the user are looked up, besides the workspace, and their limits. */
  readonly mentions?: Omit<MentionSources, "workspace">;
  /** Whether the task prompt is text of a model, whose mentions attach nothing. Default false. */
  readonly isSubtask?: boolean;
  /** Maximum number of file names in a request. Default 200. */
  readonly fileNames?: number;
  /** Maximum number of files that are checked for changes. Default 100. */
  readonly trackedFiles?: number;
  /** Maximum number of changed files in a request. Default 20. */
  readonly changedFiles?: number;
  /** Timeout of the file listing, and of the check for changed files, in milliseconds. Default 5,000. */
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
  const { requestId, spoken, conversation, stopped, background, mode, cost } = scope.input;
  const { contextTokens, contextWindow } = scope.input;
  const { workspace, outcomes, todoItems = 100, todoItemChars = 500, hasWorkspace = true } = options;
  if (!hasWorkspace)
    return { type: "context.ready", requestId, environment: "", ends: await resultsOf(options, stopped) };
  // Before the files are looked at: what changes from now on is for the next request.
  const now = clock.now();
  const editor = readerOf(clock, options);
  const [files, changes, ends, attached, editorSections] = await Promise.all([
    spoken ? listFiles(clock, options) : undefined,
    findChanges(clock, now, options, scope.input),
    resultsOf(options, stopped),
    attachmentsTo(clock, options, scope, editor),
    editorStates(editor),
  ]);
  const todos = todoChecklist(conversation, { todoItems, todoItemChars });
  const newest = newestEnvironment(conversation);
  const output = outputSection(
    background.map((command) => ({ command, text: outcomes.unsentOutput(command.callId, newest) })),
  );
  const environment = environmentDetails(conversation, {
    now,
    root: workspace.root,
    mode,
    cost,
    contextTokens,
    contextWindow,
    files,
    todos,
    commands: commandList(background, outcomes.leftCommands()),
    editor: editorSections,
    news: [changes, output].filter((section) => section !== undefined),
  });
  for (const { callId } of background) outcomes.outputOffered(callId, environment);
  return { type: "context.ready", requestId, environment, ends, ...(attached.length > 0 && { attached }) };
}

async function attachmentsTo(
  clock: Clock,
  { workspace, mentions, isSubtask = false }: ContextOptions,
  scope: Scope<AnyEventObject, Input>,
  editor: EditorReader | undefined,
): Promise<NonNullable<ContextReady["attached"]>> {
  const said = isSubtask ? scope.input.said.filter(({ origin }) => origin !== "prompt") : scope.input.said;
  if (said.length === 0) return [];
  const texts = said.map(({ text }) => text);
  const problems = mentions?.problems ?? problemsOf(editor);
  return attachmentsOf(texts, { ...mentions, workspace, problems }, { clock, signal: scope.signal });
}

const readerOf = (clock: Clock, { editor, workspace }: ContextOptions): EditorReader | undefined =>
  editor && { ...editor, workspace, clock };

const problemsOf = (editor: EditorReader | undefined): ProblemsPort | undefined =>
  editor?.editor.diagnostics && editorProblems(editor);

async function listFiles(clock: Clock, options: ContextOptions): Promise<Files> {
  const { workspace, fileNames = 200, listTimeoutMs = 5_000 } = options;
  try {
    const listing = workspace.list(".", { recursive: true, limit: fileNames });
    return await within(clock, listTimeoutMs, listing);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

async function findChanges(
  clock: Clock,
  now: number,
  options: ContextOptions,
  { conversation, done }: Input,
): Promise<EnvironmentSection | undefined> {
  const { listTimeoutMs = 5_000, workspace, registry } = options;
  const limits = { trackedFiles: options.trackedFiles ?? 100, changedFiles: options.changedFiles ?? 20 };
  try {
    const changes = changedFiles(conversation, { workspace, registry, ...limits, now, done });
    return await within(clock, listTimeoutMs, changes);
  } catch (error) {
    return changesUnknown(messageOf(error));
  }
}

async function resultsOf(
  options: ContextOptions,
  stopped: readonly string[],
): Promise<readonly EffectResult[]> {
  if (stopped.length === 0) return [];
  const known = new Map<string, EffectResult>();
  try {
    for (const result of await options.outcomes.resultsOf(stopped)) known.set(result.callId, result);
  } catch {
    // A call without a known result is uncertain.
    known.clear();
  }
  return stopped.map((callId) => known.get(callId) ?? { callId, content: "uncertain" });
}
