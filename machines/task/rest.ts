import { assertEvent } from "xstate";
import { guidance, resumed, textBlock } from "../conversation/index.ts";
import { closeAsk, postAsk } from "./asks.ts";
import { FIRST_MODE } from "./begin.ts";
import { forgetMistakes, interruptCalls } from "./calls.ts";
import type { Change } from "./change.ts";
import { endBackgroundCommands } from "./command.ts";
import { closeAnswered, wordsOr } from "./decide.ts";
import { forgetRetries } from "./retry.ts";
import { settleEndedSubtasks } from "./subtask.ts";
import { callsIn, setCall, toSettled } from "./turn.ts";
import { blocksOf, feedbackOf, hear, NO_WORDS, postFeedback } from "./words.ts";

/** The first row: what the user wants. */
export function postTask(change: Change): void {
  const { event } = change;
  assertEvent(event, "task.start");
  const { text, images } = event;
  change.append({ type: "say", say: "text", text, ...(images.length > 0 && { images }) });
  const { mode } = change.context;
  // A task that is opened again begins in the default mode, unless its journal knows better.
  change.set({ pending: blocksOf(text, images), ...(mode !== FIRST_MODE && { mode }) });
  change.start("opening", "opening", { taskId: change.context.taskId });
}

/** Stops all that is under way in this turn. Results that there are stay. */
export function interrupt(change: Change): void {
  closeAsk(change, "withdrawn");
  if (change.context.retryAt > 0) change.set({ retryAt: 0 });
  interruptCalls(change);
  endBackgroundCommands(change);
}

export function askToResume(change: Change): void {
  if (change.event.type === "journal.failed") {
    change.append({ type: "say", say: "error", text: change.event.message });
  }
  postAsk(change, "resume_task", "");
}

/** The task goes on after an interruption. */
export function resume(change: Change): void {
  const feedback = answeredFeedback(change);
  closeAnswered(change);
  settleEndedSubtasks(change);
  if (feedback !== undefined) hear(change, feedback);
  else change.set({ pending: [...change.context.pending, textBlock(resumed())] });
}

/** What the user says to a completed task that was opened again: the completion's result, where its call is known. */
export function takeReopenedFeedback(change: Change): void {
  const feedback = answeredFeedback(change) ?? NO_WORDS;
  closeAnswered(change);
  const completion = callsIn(change.context, "stopped").find(({ ask }) => ask === "completion_result");
  if (completion === undefined) {
    hear(change, feedback);
    return;
  }
  postFeedback(change, feedback);
  const content = blocksOf(feedback.text, feedback.images);
  setCall(change, toSettled(completion, { kind: "done", content: wordsOr(content) }));
}

/** The user works in another mode from now on. */
export function switchMode(change: Change): void {
  const { event } = change;
  assertEvent(event, "mode.switched");
  change.set({ mode: event.mode });
}

export function askAboutFailure(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.failed", "context.failed"]);
  postAsk(change, "api_req_failed", event.type === "llm.failed" ? event.failure.message : event.message);
  forgetRetries(change);
}

export function retryByHand(change: Change): void {
  const feedback = answeredFeedback(change);
  closeAnswered(change);
  change.append({ type: "say", say: "api_req_retried" });
  if (feedback !== undefined) hear(change, feedback);
}

export function askAboutMistakes(change: Change): void {
  const { mistakes } = change.context.counters;
  postAsk(
    change,
    "mistake_limit_reached",
    `The model made ${mistakes} mistakes in a row. Tell it what to do differently, or let it go on.`,
  );
}

/** The user lets the model go on after its mistakes, with or without a word. */
export function guide(change: Change): void {
  const feedback = answeredFeedback(change);
  closeAnswered(change);
  forgetMistakes(change);
  if (feedback === undefined) return;
  postFeedback(change, feedback);
  const pictures = blocksOf("", feedback.images);
  change.set({ pending: [...change.context.pending, textBlock(guidance(feedback.text)), ...pictures] });
}

export function askAboutLimit(change: Change): void {
  const { counters, limits } = change.context;
  const isCost = counters.cost >= limits.cost;
  const text = JSON.stringify({
    count: isCost ? limits.cost : limits.requests,
    type: isCost ? "cost" : "requests",
  });
  postAsk(change, "auto_approval_max_req_reached", text);
}

/** The user allows as much again. */
export function allowMore(change: Change): void {
  const feedback = answeredFeedback(change);
  closeAnswered(change);
  const { counters } = change.context;
  change.set({ counters: { ...counters, requests: 0, cost: 0 } });
  if (feedback !== undefined) hear(change, feedback);
}

/** A no that brings words: they wait in the queue, or, where that is full, are said now. Nothing is lost. */
export function declineRest(change: Change): void {
  const feedback = answeredFeedback(change);
  closeAnswered(change);
  if (feedback === undefined) return;
  if (change.context.queue.length >= change.context.limits.queued) {
    hear(change, feedback);
    return;
  }
  const queue = [...change.context.queue, { id: `declined-${change.event.at}`, ...feedback }];
  change.set({ queue });
  change.emit({ type: "queue.changed", queue });
}

function answeredFeedback({ event }: Change) {
  assertEvent(event, ["ask.answered", "ask.expired"]);
  return feedbackOf(event.answer);
}

export function reportRest(change: Change): void {
  const { taskId, ask } = change.context;
  if (ask !== undefined) change.emit({ type: "task.rested", taskId, ask: ask.ask });
}

export function reportCompletion(change: Change): void {
  const { taskId, result, total } = change.context;
  change.emit({ type: "task.completed", taskId, result: result ?? "", usage: total });
}
