import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { toolError } from "../conversation/notices.ts";
import type { CallIn, Notice, Outcome } from "../tool-call/call.ts";
import { toolActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { endCommand } from "./command.ts";
import { countMistake, resetMistakes } from "./counters.ts";
import { countDiffFailure, resetDiffFailures } from "./diffs.ts";
import { endCall } from "./hooks.ts";
import type { TaskEvent } from "./task.events.ts";
import { callIn, isPassed, setTurn } from "./turn.ts";

/** Shows the newest status of a running call at its message. */
export function showProgress(change: Change): void {
  const { event } = change;
  assertEvent(event, "tool.progress");
  const call = callIn(change.context, event.callId, "running");
  if (call !== undefined) change.amend(call.row, { progressStatus: event.status });
}

/** The notice of a call at whose position it is shown. The notice of a passed read waits for the end of the response. */
function keepNotice(
  change: Change,
  { callId }: CallIn<"running">,
  notice: Notice | undefined,
): Notice | undefined {
  if (notice === undefined || !isPassed(change.context, callId)) return notice;
  setTurn(change, { notices: [...(change.context.turn.notices ?? []), { callId, notice }] });
  return undefined;
}

/** Settles a finished call. Its result waits for the next request. */
export function settleCall(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const call = callIn(change.context, event.callId, "running");
  if (call === undefined) return;
  change.stop("tool", toolActorId(call.callId));
  const { patches } = call.review;
  const writes = event.writes === undefined ? {} : { writes: event.writes };
  const settle = (kind: Outcome["kind"], content: Outcome["content"], notice?: Notice): void =>
    endCall(change, call, { kind, content, ...writes }, keepNotice(change, call, notice));
  if (event.type === "tool.finished") {
    settle("done", event.content, noticeOf(call, event));
    resetMistakes(change);
    resetDiffFailures(change, patches);
  } else if (patches !== undefined) {
    const error = countDiffFailure(change, patches, event.error);
    settle("failed", [textBlock(toolError(error))], { say: "diff_error", text: error });
    countMistake(change);
  } else {
    settle("failed", [textBlock(toolError(event.error))], { say: "error", text: event.error });
    countMistake(change);
  }
  endCommand(change, call.callId);
}

/** The notice of a finished call: the results that it found, or the response of an MCP server. */
function noticeOf(
  { ask }: CallIn<"running">,
  { content, found }: Pick<Extract<TaskEvent, { type: "tool.finished" }>, "content" | "found">,
): Notice | undefined {
  if (found !== undefined) return { say: "codebase_search_result", text: found };
  if (ask !== "use_mcp_server") return undefined;
  const images = content.flatMap((block) =>
    block.type === "image" ? `data:${block.source.media_type};base64,${block.source.data}` : [],
  );
  const text = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  return { say: "mcp_server_response", text, ...(images.length > 0 && { images }) };
}
