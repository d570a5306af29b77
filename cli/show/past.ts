import type { ClineMessage } from "../../machines/message/index.ts";
import { RowFeed, type RowSink } from "./rows.ts";
import type { OutputWriter } from "./writer.ts";

/** How many rows a person sees of what a task did before it goes on. */
const PAST_ROWS_MAX = 20;

/** Shows a row as it stands. */
export function showRow(row: ClineMessage, feed: RowFeed): void {
  feed.take({ commit: { log: [{ type: "message.appended", message: row }] } });
}

/** Shows the prompt of a task and its last rows, and says how many are left out between them. */
export function showPast(
  rows: readonly ClineMessage[],
  sink: RowSink,
  writer: Pick<OutputWriter, "line" | "freshLine">,
  note: (text: string) => string,
): void {
  const feed = new RowFeed(sink);
  const [prompt, ...others] = rows;
  if (prompt !== undefined) showRow(prompt, feed);
  const shown = others.slice(-PAST_ROWS_MAX);
  const left = others.length - shown.length;
  if (left > 0) writer.line(note(`[... ${left} more rows ...]`));
  for (const row of shown) showRow(row, feed);
  writer.freshLine();
}
