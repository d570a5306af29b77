import { condensed, truncated } from "../../machines/conversation/condense.ts";
import {
  applyConversationEvent,
  type EntriesReplaced,
  emptyConversation,
} from "../../machines/conversation/conversation.ts";
import type { ImageBlock } from "../../machines/conversation/entry.ts";
import { withoutImages } from "../../machines/conversation/images.ts";
import * as notices from "../../machines/conversation/notices.ts";
import { wrapLines } from "./summary.ts";

const NAME = "a_tool";
const CHILD = "task.1";
const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "" },
};

const withImage = applyConversationEvent(emptyConversation, {
  type: "entry.appended",
  entry: { role: "user", content: [image] },
});

/** The text that replaces entries. */
const textOf = ({ by }: EntriesReplaced): string =>
  by.flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : ""))).join("\n");

/** Every text for the model except tool output, by the name of its function. */
const NOTICES: readonly (readonly [string, string])[] = [
  ["denied", notices.denied()],
  ["deniedWithFeedback", notices.deniedWithFeedback('not "that"')],
  ["approvedWithFeedback", notices.approvedWithFeedback("but gently")],
  ["toolError", notices.toolError("no such file")],
  ["guidance", notices.guidance("look elsewhere")],
  ["userMessage", notices.userMessage("Make the tests pass")],
  ["skippedAfterRejection", notices.skippedAfterRejection(NAME)],
  ["skippedAfterSubtask", notices.skippedAfterSubtask(NAME)],
  ["interrupted", notices.interrupted()],
  ["uncertain", notices.uncertain(NAME)],
  ["uncertain: a command", notices.uncertain(NAME, true)],
  ["emptyResult", notices.emptyResult()],
  ["noToolUsed: completed by the tool", notices.noToolUsed("tool")],
  ["noToolUsed: completed by the end of a turn", notices.noToolUsed("end_turn")],
  ["cutAtLimit: text", notices.cutAtLimit()],
  ["cutAtLimit: call", notices.cutAtLimit(NAME)],
  ["contextExceeded", notices.contextExceeded()],
  ["repetition", notices.repetition(NAME)],
  ["cycle", notices.cycle(NAME, 2)],
  ["writeWholeFile", notices.writeWholeFile("src/a.ts", 3)],
  ["callsLimit", notices.callsLimit(64)],
  ["budgetTooSmall", notices.budgetTooSmall("requests")],
  ["completionBlocked", notices.completionBlocked()],
  ["resumed", notices.resumed()],
  ["commandInBackground", notices.commandInBackground("make", "120/tu1")],
  ["backgroundEnded: exited", notices.backgroundEnded("make", "ok\n", 2)],
  ["backgroundEnded: terminated, without output", notices.backgroundEnded("make", " ", undefined)],
  ["backgroundEnded: some output was sent", notices.backgroundEnded("make", "ok\n", 0, "Further output")],
  ["backgroundLost", notices.backgroundLost("make")],
  ["backgroundLost: its process is known", notices.backgroundLost("make", "pid 4711")],
  ["subtaskFinished", notices.subtaskFinished(CHILD, "All 12 tests pass.")],
  ["subtaskCancelled", notices.subtaskCancelled(CHILD)],
  ["subtaskCancelled: in a worktree", notices.subtaskCancelled(CHILD, "worktree")],
  ["subtaskCancelled: in a copy", notices.subtaskCancelled(CHILD, "copy")],
  ["subtaskFailed", notices.subtaskFailed(CHILD, "its journal could not be written")],
  ["wakeUpNotice", notices.wakeUpNotice("1", 0, "Look at the build.")],
  ["wakeUpNotice: late", notices.wakeUpNotice("1", 7_200_000, "Look at the build.")],
  ["wakeUpScheduled: once", notices.wakeUpScheduled("1", 60_000)],
  ["wakeUpScheduled: at each interval", notices.wakeUpScheduled("1", 600_000, 3_600_000)],
  ["wakeUpsCancelled", notices.wakeUpsCancelled(["1", "2"])],
  ["wakeUpsCancelled: none", notices.wakeUpsCancelled([])],
  ["summarized", textOf(condensed(emptyConversation, 3, "The tests pass."))],
  ["imageLeftOut", textOf(withoutImages(withImage, "400 An image has more than 8000 pixels a side."))],
  ["removedEntries", textOf(truncated(emptyConversation, 3))],
];

/** Format all texts for the model. */
export const noticesText = (): string =>
  wrapLines(NOTICES.map(([name, notice]) => `${name}\n${notice.replace(/^/gm, "    ")}\n`).join("\n"));
