import type { AskClosing, ClineMessage } from "../../machines/message/message.ts";
import { isRequestOpen } from "../../machines/message/request.ts";
import { closingOf, RESUMED } from "./ask.ts";
import { parseMessages } from "./message-parser.ts";
import type { Report } from "./report.ts";
import { closedText } from "./request.ts";

/** Convert the values of `ui_messages.json` to the log of a task at rest; changes are added to `report`. */
export function repairMessages(values: readonly unknown[], report: Report): readonly ClineMessage[] {
  const messages = parseMessages(values, report);
  return messages.map(({ index, value }, position) => {
    let message = value;
    if (isRequestOpen(message)) {
      report.add(index, "L4", "The open request was closed with cost 0.");
      message = { ...message, text: closedText(messages, position) };
    }
    if (message.type === "ask" && message.closing === undefined)
      message = closeAsk(message, closingOf(messages, position), index, report);
    if (message.partial !== true) return message;
    report.add(index, "L3", `The partial message ${kindOf(message)} was closed with its text.`);
    return { ...message, partial: false };
  });
}

function closeAsk(ask: ClineMessage, closing: AskClosing, index: number, report: Report): ClineMessage {
  if (closing === "withdrawn") {
    // A task that nobody runs ends with such an ask: it is no damage.
    if (!RESUMED.has(ask.ask))
      report.add(index, "L8", `The message ${kindOf(ask)} has no answer; it was closed as withdrawn.`);
    // Roo Code also marks asks that the answer to a later one was not for.
    const { isAnswered: _mark, ...unanswered } = ask;
    return { ...unanswered, closing };
  }
  report.count(index, "L8", `Asks without a recorded end that were closed as ${closing}`);
  return closing === "answered" ? { ...ask, isAnswered: true, closing } : { ...ask, closing };
}

const kindOf = ({ type, ask, say }: ClineMessage): string =>
  `${type}:${(type === "ask" ? ask : say) ?? "(no kind)"}`;
