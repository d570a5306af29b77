import { type ClineMessage, isRequestOpen } from "../../machines/message/index.ts";
import { closingOf } from "./ask.ts";
import type { Placed } from "./indexed.ts";
import { rowsIn } from "./message-fields.ts";
import type { Report } from "./report.ts";
import { closedText } from "./request.ts";

/** The rows of `ui_messages.json`, as the laws want them of a task at rest; `report` is told each change. */
export function messagesOf(values: readonly unknown[], report: Report): readonly ClineMessage[] {
  const rows = rowsIn(values, report);
  return rows.map(({ index, value }, position) => {
    let row = value;
    if (isRequestOpen(row)) {
      report.add(index, "L4", "The request was never closed; it was closed with a cost of 0.");
      row = { ...row, text: closedText(rows, position) };
    }
    if (row.type === "ask" && row.closing === undefined) row = closed(rows, position, row, report);
    if (row.partial !== true) return row;
    report.add(index, "L3", `${nameOf(row)} was still partial; it was closed with the text that it has.`);
    return { ...row, partial: false };
  });
}

function closed(
  rows: readonly Placed<ClineMessage>[],
  position: number,
  row: ClineMessage,
  report: Report,
): ClineMessage {
  const index = rows[position]?.index ?? position;
  const closing = closingOf(rows, position);
  if (closing === "withdrawn") {
    report.add(index, "L8", `${nameOf(row)} has no answer; it was closed as withdrawn.`);
    // The frozen product also marks asks that an answer to a later one was not for.
    const { isAnswered: _mark, ...unanswered } = row;
    return { ...unanswered, closing };
  }
  report.count(index, "L8", closing, (times) =>
    times === 1
      ? `1 ask has no word of how it ended; it was closed as ${closing}.`
      : `${times} asks have no word of how they ended; they were closed as ${closing}.`,
  );
  return closing === "answered" ? { ...row, isAnswered: true, closing } : { ...row, closing };
}

const nameOf = ({ type, ask, say }: ClineMessage): string =>
  `The row ${type}:${(type === "ask" ? ask : say) ?? "(no kind)"}`;
