import type { Usage } from "../../machines/task/task.events.ts";
import { lineStats } from "../../machines/tool-call/file-write.ts";
import type { LedgerEntry } from "../../store/ledger/entry.ts";
import { splitId } from "../../store/task-history/lookup.ts";
import type { TaskSummary } from "../../store/task-history/summary.ts";

/**
 * Format tokens and their price: `1.2k in, 340 out, $0.0042`. Tokens from the cache count as input. A cost of 0 is left
 * out, and an unknown one is `cost unknown`.
 */
export function formatUsage(usage: Usage): string {
  const cost = formatCost(usage);
  return cost === undefined ? formatTokens(usage) : `${formatTokens(usage)}, ${cost}`;
}

/** Format tokens: `1.2k in, 340 out`. */
export function formatTokens({ tokensIn, tokensOut, cacheReads, cacheWrites }: Usage): string {
  return `${formatCount(tokensIn + cacheReads + cacheWrites)} in, ${formatCount(tokensOut)} out`;
}

/** Format a cost: `$0.0042`, `cost unknown`. Undefined for 0: a request that was cut off may have a cost that nobody knows. */
export function formatCost({ cost }: Pick<Usage, "cost">): string | undefined {
  if (cost === null) return "cost unknown";
  return cost > 0 ? dollars(cost) : undefined;
}

/** Format the tokens of the prompt cache, which are input too: `1.2k written, 340 read`. Undefined if there are none. */
export function formatCache({ cacheWrites, cacheReads }: Usage): string | undefined {
  if (cacheWrites === 0 && cacheReads === 0) return undefined;
  return `${formatCount(cacheWrites)} written, ${formatCount(cacheReads)} read`;
}

/** Format a number of tokens: `340`, `1.2k`. */
export function formatCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(2)}M`;
}

function dollars(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

/** Format a time in the local time zone: `2026-11-22 14:05`. */
export function formatTime(ms: number): string {
  const time = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Format the change of a file in numbers of lines, or what happened to it: `(+2 -1)`, `(deleted)`. */
export function formatChange({
  before,
  after,
  lines,
}: Pick<LedgerEntry, "before" | "after" | "lines">): string {
  if (after === null) return "(deleted)";
  if (lines === null) return before === null ? "(created, no text)" : "(no text)";
  const { added, removed } = lineStats(lines);
  return `(${before === null ? "created " : ""}+${added} -${removed})`;
}

/** Format a write with the intent that the task worked for: `wrote a.ts (+2 -1), intent INT-1`. */
export const formatWrite = ({
  path,
  intent,
  ...change
}: Pick<LedgerEntry, "path" | "before" | "after" | "lines" | "intent">): string =>
  `wrote ${path} ${formatChange(change)}${intent === null ? "" : `, intent ${intent}`}`;

/** Minimum characters of a short id: it stays unique when more tasks come. */
const CHARS_MIN = 8;

/** Find the shortest unique prefixes of ids. A subtask uses its parent's: `3f2a91c0.1`. */
export function shortenIds(ids: readonly string[]): (id: string) => string {
  const sorted = ids.toSorted();
  const beginnings = new Map<string, string>();
  for (const [index, id] of sorted.entries()) {
    const parent = id.slice(0, Math.max(0, id.lastIndexOf(".")));
    const short = beginnings.get(parent);
    if (short !== undefined) {
      beginnings.set(id, `${short}${id.slice(parent.length)}`);
      continue;
    }
    // Neighbors in sorted order share the longest prefixes; a subtask's id extends its parent's.
    const shared = Math.max(
      sharedWith(id, sorted[index - 1]),
      sharedWith(
        id,
        sorted.slice(index + 1).find((other) => !other.startsWith(`${id}.`)),
      ),
    );
    const [{ length }] = splitId(id);
    const end = Math.max(CHARS_MIN, shared + 1);
    beginnings.set(id, end > length ? id : id.slice(0, end));
  }
  return (id) => beginnings.get(id) ?? id;
}

function sharedWith(id: string, other = ""): number {
  let count = 0;
  while (count < id.length && id[count] === other[count]) count += 1;
  return count;
}

/** Format what a task was forked from, for the end of its title. Empty for no fork. */
export const formatOrigin = (
  { forkedFrom }: Pick<TaskSummary, "forkedFrom">,
  short: (id: string) => string,
): string => (forkedFrom === undefined ? "" : `  (fork of ${short(forkedFrom.taskId)} at ${forkedFrom.seq})`);
