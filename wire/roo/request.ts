import { type ClineMessage, closedRequestText, isRequestMessage } from "../../machines/message/index.ts";
import { isJson, type Placed } from "./indexed.ts";

const CUT_SHORT: ReadonlySet<string | undefined> = new Set([
  "resume_task",
  "resume_completed_task",
  "api_req_failed",
  "api_req_retried",
  "api_req_retry_delayed",
]);

/**
 * The text that closes the open request at `position` (L4). What it tells is kept and a cost of 0 is added. An
 * answer that seems to have come whole gets no reason; any other is said to have failed.
 */
export function closedText(rows: readonly Placed<ClineMessage>[], position: number): string {
  const row = rows[position]?.value;
  const said = row?.text ? told(row.text) : undefined;
  const reason = cameWhole(rows, position) ? undefined : ("streaming_failed" as const);
  if (said === undefined)
    return closedRequestText({
      tokensIn: 0,
      tokensOut: 0,
      cacheWrites: 0,
      cacheReads: 0,
      cost: 0,
      cancelReason: reason,
    });
  return JSON.stringify({ ...said, cost: 0, cancelReason: said.cancelReason ?? reason });
}

function told(text: string) {
  // The row is an open request, so its text is JSON (R3).
  const value: unknown = JSON.parse(text);
  return isJson(value) ? value : undefined;
}

/** The next request followed, or an ask that only a whole answer brings, before anything that tells of a failure. */
function cameWhole(rows: readonly Placed<ClineMessage>[], position: number): boolean {
  for (let next = position + 1; next < rows.length; next += 1) {
    const row = rows[next]?.value;
    if (row === undefined || CUT_SHORT.has(row.ask ?? row.say)) return false;
    if (isRequestMessage(row)) return true;
    if (row.type === "ask" && row.partial !== true && row.ask !== "command_output") return true;
  }
  return false;
}
