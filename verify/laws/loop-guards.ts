import type { Counters, TaskEvent } from "../../machines/task/task.events.ts";
import type { Notice, ValidReview } from "../../machines/tool-call/call.ts";
import { appendedMessages } from "./changes.ts";
import { intentObjection } from "./intent.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

/** A call that the step's event is about, before it. */
const callBefore = ({ before }: Step, callId: string) =>
  before.context.turn.calls.find((call) => call.callId === callId);

const callAfter = ({ after }: Step, callId: string) =>
  after.context.turn.calls.find((call) => call.callId === callId);

function noticeOf(step: Step, callId: string): Notice | undefined {
  const call = callAfter(step, callId);
  return call?.phase === "settled" ? call.notice : undefined;
}

/** The first current review of a call that is neither a question nor denied. */
function countedReview(step: Step): ValidReview | undefined {
  const { event } = step;
  if (event.type !== "call.reviewed") return undefined;
  const call = callBefore(step, event.callId);
  if (call?.phase !== "deciding" || call.digest !== undefined) return undefined;
  const { review } = event;
  const { mode, revision } = step.before.context.permissions;
  if (!review.valid || review.revision !== revision || review.verdict.kind === "deny") return undefined;
  if (intentObjection(step.before.context, review) !== undefined) return undefined;
  const isPlanned = review.effect === "reads" || review.effect === "none";
  return review.effect === "asks" || (mode === "plan" && !isPlanned) ? undefined : review;
}

/** The newest three calls, and how many are in a row of cycles of one, two and three. */
function rowsOf({ repeated, cycles }: Counters) {
  const none = { digest: "", times: 0 };
  return [repeated, cycles?.[0] ?? none, cycles?.[1] ?? none];
}

/** A call is counted in the rows that it continues, or refused with a notice if a row exceeds the limit. */
function repetitionsAreCounted(step: Step): string | undefined {
  const review = countedReview(step);
  if (review === undefined || !("callId" in step.event)) return undefined;
  const { callId } = step.event;
  const { counters, limits } = step.before.context;
  const before = rowsOf(counters);
  const rows = before.map(({ digest, times }, index) => (digest === review.digest ? times + 1 : index + 1));
  const cycle = rows.findIndex((row, index) => row > (index + 1) * limits.repetitions + index);
  if (limits.repetitions > 0 && cycle >= 0)
    return noticeOf(step, callId)?.say === "error"
      ? undefined
      : `repetitions: a cycle of ${cycle + 1} calls was repeated more than ${limits.repetitions} times`;
  const digests = [review.digest, ...before.map(({ digest }) => digest)];
  const expected = rows.map((times, index) => ({ digest: digests[index], times }));
  return isSame(rowsOf(step.after.context.counters), expected)
    ? undefined
    : `repetitions: ${callId} was not counted`;
}

interface DiffEnd {
  readonly callId: string;
  readonly file: string;
  readonly isApplied: boolean;
}

/** The end of a call that changes a file by a diff. */
function diffEnd(step: Step, event: TaskEvent): DiffEnd | undefined {
  if (event.type === "call.reviewed") {
    const { callId, review } = event;
    if (review.valid || review.patches === undefined) return undefined;
    const isOpen = callBefore(step, callId)?.phase === "deciding";
    return isOpen ? { callId, file: review.patches, isApplied: false } : undefined;
  }
  if (event.type !== "tool.finished" && event.type !== "tool.failed") return undefined;
  const { callId } = event;
  const call = callBefore(step, callId);
  if (call?.phase !== "running" || call.review.patches === undefined) return undefined;
  return { callId, file: call.review.patches, isApplied: event.type === "tool.finished" };
}

const failuresOf = ({ context }: Step["before"], file: string): number =>
  context.failedDiffs.find((one) => one.file === file)?.times ?? 0;

/** A failed diff is reported and counted; at the limit the report has the advice. */
function failedDiffsAreReported(step: Step): string | undefined {
  const diff = diffEnd(step, step.event);
  if (diff === undefined) return undefined;
  const { callId, file, isApplied } = diff;
  const counted = failuresOf(step.after, file);
  if (isApplied) return counted === 0 ? undefined : "diffFailures: they are counted after a success";
  const { limits } = step.before.context;
  const times = failuresOf(step.before, file) + 1;
  const notice = noticeOf(step, callId);
  if (notice?.say !== "diff_error") return "diffFailures: a failed diff has no notice";
  const isShown = appendedMessages(step).some((message) => message.say === "diff_error");
  if (step.event.type === "tool.failed" && !isShown) return "diffFailures: a failed diff has no message";
  if (limits.diffFailures === 0) return undefined;
  if (times < limits.diffFailures)
    return counted === times || limits.diffFiles === 0
      ? undefined
      : `diffFailures: ${counted} failures are counted after ${times}`;
  if (counted > 0) return `diffFailures: ${counted} failures are counted at the limit`;
  return notice.text.includes("write_to_file")
    ? undefined
    : `diffFailures: the limit of ${limits.diffFailures} was reached without the advice`;
}

function diffFilesAreBounded({ after }: Step): string | undefined {
  const { failedDiffs, limits } = after.context;
  return failedDiffs.length > limits.diffFiles
    ? `diffFiles: ${failedDiffs.length} of ${limits.diffFiles}`
    : undefined;
}

/** L14: repeated calls are refused, and failed diffs are reported. */
export const loopGuards: Law = {
  id: "L14",
  title: "repeated cycles of calls are refused, and failed diffs are reported",
  violation: firstViolation(repetitionsAreCounted, failedDiffsAreReported, diffFilesAreBounded),
};
