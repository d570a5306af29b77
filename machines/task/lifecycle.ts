import { assertEvent } from "xstate";
import { withStubs } from "../conversation/artifacts.ts";
import { textBlock } from "../conversation/blocks.ts";
import { emptyConversation } from "../conversation/conversation.ts";
import { resumed } from "../conversation/notices.ts";
import { estimateEntries } from "../conversation/tokens.ts";
import { frozen } from "../list/frozen.ts";
import { emptyLog } from "../message/log.ts";
import {
  addFeedback,
  closeAnsweredAsk,
  closeAsk,
  feedbackBlocks,
  postAsk,
  receivedFeedback,
} from "./asks.ts";
import { continueBackgroundSubtasks, stopBackgroundSubtasks } from "./background-subtasks.ts";
import { recordBudget } from "./budget.ts";
import { stopCalls } from "./calls.ts";
import type { Change } from "./change.ts";
import { stopBackgroundCommands } from "./command.ts";
import { controlFact, controlledPoints } from "./control.ts";
import { NO_HOOKS } from "./hook-points.ts";
import { intentFact, intentOf } from "./intent.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { recordMentions } from "./mentions.ts";
import { DEFAULT_MODE, modeFact } from "./mode.ts";
import { recordModel } from "./model.ts";
import { dropPause, endPause } from "./pause.ts";
import { permissionsFact, permissionsOf, STANDARD_PERMISSIONS } from "./permissions.ts";
import { endFallback, firstSelection, NO_PROFILES, profileFact } from "./profile.ts";
import { restoreCalls } from "./recovery.ts";
import { NO_USAGE } from "./request.ts";
import { settleEndedSubtasks } from "./subtask.ts";
import type { ReopenedTask, TaskContext, TaskInput } from "./task.context.ts";
import type { Budget, DurableFacts } from "./task.events.ts";
import { emptyTurn } from "./turn.ts";
import { standingWakeUp } from "./wake.ts";

/** Context of a new task, or of a task that is opened from its journal. All values in it are frozen. */
export function initialContext({ input }: { input: TaskInput }): TaskContext {
  const context = contextOf(input);
  for (const value of Object.values(context)) frozen(value);
  return context;
}

const contextOf = (input: TaskInput): TaskContext => ({
  taskId: input.taskId,
  limits: input.limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...input.limits },
  autoRetry: input.autoRetry ?? true,
  completion: input.completion ?? "end_turn",
  queueDelivery: input.queueDelivery ?? "all",
  checkpoints: input.checkpoints ?? false,
  subtasksAtCompletion: input.subtasksAtCompletion ?? "wait",
  standing: input.wakeUp,
  policies: input.policies ?? false,
  hooks: hooksOf(input),
  controlled: input.control?.points ?? NO_POINTS,
  standardModel: input.model,
  profiles: input.profiles ?? NO_PROFILES,
  fallback: 0,
  log: input.reopened?.log ?? emptyLog,
  conversation: input.reopened?.conversation ?? emptyConversation,
  request: undefined,
  requestModel: undefined,
  requestMode: undefined,
  usage: NO_USAGE,
  condenseUsage: NO_USAGE,
  ask: undefined,
  turn:
    input.reopened === undefined
      ? emptyTurn
      : { ...emptyTurn, calls: restoreCalls(input.reopened, hooksOf(input)) },
  queue: input.reopened?.queue ?? [],
  prepared: undefined,
  reopening: reopeningOf(input.reopened),
  cause: undefined,
  reportTo: input.reportTo,
  ...INITIAL_FACTS,
  mode: input.mode ?? DEFAULT_MODE,
  budget: budgetOf(input),
  permissions: permissionsOf(input),
  profile: isBegun(input) ? null : firstSelection(input, input.mode ?? DEFAULT_MODE),
  intent: intentOf(input),
  control: controlOf(input),
  ...input.reopened?.facts,
  // A journal of an earlier version does not have it.
  contextTokens: input.reopened?.facts.contextTokens ?? estimatedTokens(input),
});

const NO_POINTS: TaskContext["controlled"] = [];

/** The points with hooks or a protocol, each once. */
function hooksOf(input: TaskInput): TaskContext["hooks"] {
  const { hooks = NO_HOOKS } = input;
  const more = controlledPoints(input).filter((point) => !hooks.includes(point));
  return more.length === 0 ? hooks : [...hooks, ...more];
}

function controlOf({ control }: TaskInput): TaskContext["control"] {
  if (control === undefined) return null;
  const { points: _, ...state } = control;
  return state;
}

/** Whether the journal has messages: then it has the selected profile as well. */
const isBegun = ({ reopened }: TaskInput): boolean => reopened !== undefined && reopened.log.length > 0;

function estimatedTokens({ reopened, limits }: TaskInput): number {
  const conversation = reopened?.conversation ?? emptyConversation;
  return estimateEntries(withStubs(conversation, { ...DEFAULT_LIMITS, ...limits }), 0);
}

const INITIAL_FACTS: DurableFacts = frozen({
  pending: [],
  mentions: [],
  background: [],
  backgroundSubtasks: [],
  counters: {
    mistakes: 0,
    noToolUses: 0,
    retries: 0,
    pauses: 0,
    requests: 0,
    cost: 0,
    repeated: { digest: "", times: 0 },
  },
  retryAt: 0,
  requestedAt: 0,
  failedDiffs: [],
  total: NO_USAGE,
  result: undefined,
  mode: DEFAULT_MODE,
  children: 0,
  model: undefined,
  contextTokens: 0,
  compaction: null,
  pause: null,
  wakeUps: [],
  budget: null,
  permissions: STANDARD_PERMISSIONS,
  profile: null,
  intent: null,
  control: null,
});

function budgetOf({ budget }: TaskInput): Budget | null {
  if (budget === undefined) return null;
  const { from, grant } = budget;
  return { state: from === "user" ? "own" : "lent", granted: grant, left: grant };
}

function reopeningOf(reopened: ReopenedTask | undefined): TaskContext["reopening"] {
  if (reopened === undefined || reopened.log.length === 0) return undefined;
  const last = reopened.log.at(-1)?.ask;
  const wasCompleted = last === "completion_result" || last === "resume_completed_task";
  const { openedAt: at, childEnds } = reopened;
  return { at, wasCompleted, ...(childEnds !== undefined && { childEnds }) };
}

/** Appends the task prompt as the first message and creates the journal. */
export function postTask(change: Change): void {
  const { event } = change;
  assertEvent(event, "task.start");
  const { text, images } = event;
  const ts = change.append({ type: "say", say: "text", text, ...(images.length > 0 && { images }) });
  recordMentions(change, ts, text);
  change.set({
    pending: feedbackBlocks({ text, images }),
    ...modeFact(change.context),
    ...permissionsFact(change.context),
    ...profileFact(change.context),
    ...intentFact(change.context),
    ...controlFact(change.context),
    ...standingWakeUp(change),
  });
  recordModel(change);
  recordBudget(change);
  change.start("opening", "opening", { taskId: change.context.taskId });
}

/** Stops all work of the turn. Existing results stay. */
export function interruptTurn(change: Change): void {
  closeAsk(change, "withdrawn");
  if (change.context.retryAt > 0) change.set({ retryAt: 0 });
  stopCalls(change);
  stopBackground(change);
}

/** Stops what works in the background: commands and subtasks. */
export function stopBackground(change: Change): void {
  stopBackgroundCommands(change);
  stopBackgroundSubtasks(change);
}

export function askToResume(change: Change): void {
  if (change.event.type === "journal.failed") {
    change.append({ type: "say", say: "error", text: change.event.message });
  }
  postAsk(change, "resume_task", "");
}

/** Continues the task after an interruption or a pause. */
export function resume(change: Change): void {
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  settleEndedSubtasks(change);
  continueBackgroundSubtasks(change);
  const wasPaused = endPause(change);
  if (feedback !== undefined) addFeedback(change, feedback);
  else if (!wasPaused) change.set({ pending: [...change.context.pending, textBlock(resumed())] });
}

/** Reports that the task is at rest. What continues it begins with the selected profile. */
export function reportRest(change: Change): void {
  endFallback(change);
  dropPause(change);
  const { taskId, ask } = change.context;
  if (ask !== undefined) change.emit({ type: "task.rested", taskId, ask: ask.ask });
}
