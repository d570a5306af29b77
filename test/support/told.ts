import * as told from "../../machines/conversation/index.ts";

const NAME = "a_tool";
const CHILD = "task.1";

/** Every sentence that the model is told beside the results of its tools, by the name of who says it. */
const SENTENCES: readonly (readonly [string, string])[] = [
  ["denied", told.denied()],
  ["deniedWithFeedback", told.deniedWithFeedback('not "that"')],
  ["approvedWithFeedback", told.approvedWithFeedback("but gently")],
  ["toolError", told.toolError("no such file")],
  ["guidance", told.guidance("look elsewhere")],
  ["userMessage", told.userMessage("Make the tests pass")],
  ["skippedAfterRejection", told.skippedAfterRejection(NAME)],
  ["skippedAfterSubtask", told.skippedAfterSubtask(NAME)],
  ["interrupted", told.interrupted()],
  ["uncertain", told.uncertain(NAME)],
  ["emptyResult", told.emptyResult()],
  ["noToolUsed", told.noToolUsed()],
  ["cutAtLimit: of words", told.cutAtLimit()],
  ["cutAtLimit: of a call", told.cutAtLimit(NAME)],
  ["malformedArguments", told.malformedArguments(NAME, "path is missing")],
  ["repetition", told.repetition(NAME)],
  ["callsLimit", told.callsLimit(64)],
  ["completionBlocked", told.completionBlocked()],
  ["resumed", told.resumed()],
  ["commandInBackground", told.commandInBackground("make")],
  ["backgroundEnded: by itself", told.backgroundEnded("make", "ok\n", 2)],
  ["backgroundEnded: from outside, silent", told.backgroundEnded("make", " ", undefined)],
  ["backgroundLost", told.backgroundLost("make")],
  ["subtaskFinished", told.subtaskFinished(CHILD, "All 12 tests pass.")],
  ["subtaskCancelled", told.subtaskCancelled(CHILD)],
  ["subtaskFailed", told.subtaskFailed(CHILD, "its journal could not be written")],
];

/** What the model is told, as one text: a change in it is a change of what the model reads. */
export const toldText = (): string =>
  SENTENCES.map(([name, sentence]) => `${name}\n${sentence.replace(/^/gm, "    ")}\n`).join("\n");
