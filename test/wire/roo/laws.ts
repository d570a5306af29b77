import {
  type Entry,
  interrupted,
  pairResults,
  validateHistory,
} from "../../../machines/conversation/index.ts";
import type { ClineMessage } from "../../../machines/message/index.ts";

/** What is wrong with the log of a task at rest, by law: predicates of their own, which import nothing. */
export function faultsOfRows(rows: readonly ClineMessage[]): string[] {
  const faults: string[] = [];
  let before: number | undefined;
  rows.forEach((row, at) => {
    if (row.partial === true) faults.push(`L3: row ${at} is partial`);
    if (row.say === "api_req_started" && isOpen(row.text)) faults.push(`L4: the request ${at} is open`);
    if (before !== undefined && !(row.ts > before))
      faults.push(`L5: row ${at} has the ts ${row.ts} after ${before}`);
    if (row.type === "ask" && row.closing === undefined) faults.push(`L8: the ask ${at} is open`);
    before = row.ts;
  });
  return faults;
}

function isOpen(text: string | null | undefined): boolean {
  if (!text) return true;
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && (typeof value !== "object" || !("cost" in value));
  } catch {
    return false;
  }
}

/** What is wrong with the conversation once the calls of its last answer have their results (L6). */
export function faultsOfConversation(conversation: readonly Entry[]): string[] {
  if (conversation.length === 0) return [];
  const last = conversation.at(-1);
  const results = last?.role === "assistant" ? pairResults(last.content, new Map(), interrupted()) : [];
  const said: Entry[] = [
    ...conversation,
    ...(results.length > 0 ? [{ role: "user" as const, content: results }] : []),
  ];
  return validateHistory(said, { mayEndWithAssistant: true }).map(
    ({ fault, entry }) => `L6: ${fault} at ${entry}`,
  );
}
