import type { AnyEventObject, CallbackActorLogic } from "xstate";
import { type EnvironmentSection, newestEnvironment } from "../../machines/conversation/environment.ts";
import type { ContextEvent, ContextReady, EffectResult } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProblemsPort } from "../../ports/repository.ts";
import { messageOf } from "../../tools/error.ts";
import type { Registry } from "../../tools/registry.ts";
import type { CallOutcomes } from "../calls/roles.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents, type Scope } from "../protocol/from-events.ts";
import type { Untimed } from "../protocol/released.ts";
import { within } from "../protocol/within.ts";
import { type ToolSources, taskRegistry } from "../toolset.ts";
import { attachmentsOf } from "./attachments.ts";
import { commandList, outputSection } from "./background.ts";
import { changedFiles, changesUnknown } from "./changed-files.ts";
import { editorProblems } from "./editor/diagnostics.ts";
import type { EditorReader } from "./editor/read-editor.ts";
import { editorStates } from "./editor/sections.ts";
import { environmentDetails, type Files } from "./environment.ts";
import { ENVIRONMENT_LIMITS, type EnvironmentLimits } from "./environment-limits.ts";
import { todoChecklist } from "./todos.ts";

type ContextEnvironment = Requires<
  | ToolSources
  | "workspace"
  | "hasWorkspace"
  | "environmentLimits"
  | "editor"
  | "outcomes"
  | "mentions"
  | "isSubtask"
  | "control"
>;

/** The sources of one request's context. */
interface Sources {
  readonly clock: Clock;
  readonly environment: ContextEnvironment;
  /** The tools of the task: they know which files their calls access. */
  readonly registry: Registry;
  readonly limits: EnvironmentLimits;
}

type Input = ActorInputs["context"];

/**
 * Collects the context of a request: the environment details, the results of stopped tool calls (L10, L12) and what the
 * user mentions. Then sends `context.ready`. If the files can't be listed, the details give the reason; if a mention can't
 * be attached, a note does. A call without a known result is `uncertain`.
 */
export function contextActor(
  edge: Edge,
  environment: ContextEnvironment,
): CallbackActorLogic<AnyEventObject, Input> {
  const registry = taskRegistry(environment);
  const limits = { ...ENVIRONMENT_LIMITS, ...environment.environmentLimits };
  const sources = { clock: edge.clock, environment, registry, limits };
  return fromEvents<AnyEventObject, ContextEvent, Input>(edge, {
    source: async function* (scope) {
      yield await ready(sources, scope);
    },
    isTerminal: () => true,
    failed: ({ requestId }, error) => ({
      type: "context.failed",
      requestId,
      message: `The context of the request could not be collected: ${messageOf(error)}`,
    }),
  });
}

async function ready(sources: Sources, scope: Scope<AnyEventObject, Input>): Promise<Untimed<ContextEvent>> {
  const { requestId, spoken, conversation, stopped, background, mode, cost } = scope.input;
  const { contextTokens, contextWindow } = scope.input;
  const { clock, limits } = sources;
  const { workspace, outcomes, hasWorkspace = true } = sources.environment;
  if (!hasWorkspace)
    return { type: "context.ready", requestId, environment: "", ends: await resultsOf(outcomes, stopped) };
  // Before the files are looked at: what changes from now on is for the next request.
  const now = clock.now();
  const editor = readerOf(sources);
  const [files, changes, ends, attached, editorSections] = await Promise.all([
    spoken && limits.fileNames > 0 ? listFiles(sources) : undefined,
    findChanges(sources, now, scope.input),
    resultsOf(outcomes, stopped),
    attachmentsTo(sources, scope, editor),
    editorStates(editor),
  ]);
  const todos = todoChecklist(conversation, limits);
  const newest = newestEnvironment(conversation);
  // Where a protocol judges results, the model reads the output by a call.
  const shown = judgesResults(sources.environment) ? [] : background;
  const output = outputSection(
    shown.map((command) => ({ command, text: outcomes.unsentOutput(command.callId, newest) })),
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
  for (const { callId } of shown) outcomes.outputOffered(callId, environment);
  return { type: "context.ready", requestId, environment, ends, ...(attached.length > 0 && { attached }) };
}

const judgesResults = ({ control }: ContextEnvironment): boolean =>
  control?.controller.protocol.judgeResult !== undefined;

async function attachmentsTo(
  { clock, environment: { workspace, mentions, isSubtask = false } }: Sources,
  scope: Scope<AnyEventObject, Input>,
  editor: EditorReader | undefined,
): Promise<NonNullable<ContextReady["attached"]>> {
  const said = isSubtask ? scope.input.said.filter(({ origin }) => origin !== "prompt") : scope.input.said;
  if (said.length === 0) return [];
  const texts = said.map(({ text }) => text);
  const problems = mentions?.problems ?? problemsOf(editor);
  return attachmentsOf(texts, { ...mentions, workspace, problems }, { clock, signal: scope.signal });
}

const readerOf = ({ clock, environment: { editor, workspace } }: Sources): EditorReader | undefined =>
  editor && { ...editor, workspace, clock };

const problemsOf = (editor: EditorReader | undefined): ProblemsPort | undefined =>
  editor?.editor.diagnostics && editorProblems(editor);

async function listFiles({ clock, environment, limits }: Sources): Promise<Files> {
  try {
    const listing = environment.workspace.list(".", { recursive: true, limit: limits.fileNames });
    return await within(clock, limits.listTimeoutMs, listing);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

async function findChanges(
  { clock, environment: { workspace }, registry, limits }: Sources,
  now: number,
  { conversation, done }: Input,
): Promise<EnvironmentSection | undefined> {
  const { trackedFiles, changedFiles: shown, listTimeoutMs } = limits;
  try {
    const options = { workspace, registry, trackedFiles, changedFiles: shown, now, done };
    return await within(clock, listTimeoutMs, changedFiles(conversation, options));
  } catch (error) {
    return changesUnknown(messageOf(error));
  }
}

async function resultsOf(
  outcomes: CallOutcomes,
  stopped: readonly string[],
): Promise<readonly EffectResult[]> {
  if (stopped.length === 0) return [];
  const known = new Map<string, EffectResult>();
  try {
    for (const result of await outcomes.resultsOf(stopped)) known.set(result.callId, result);
  } catch {
    // A call without a known result is uncertain.
    known.clear();
  }
  return stopped.map((callId) => known.get(callId) ?? { callId, content: "uncertain" });
}
