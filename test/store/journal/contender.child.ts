import { fileJournal, type JournalDriver, JournalError } from "../../../store/journal/index.ts";
import { crashingJournal } from "../../../testing/index.ts";
import { commit, header, lines } from "../../testing/conformance.ts";
import { type End, orderSchema } from "./contender.ts";

/** A process that wants to write to the journals that it is told of. */
const opened: JournalDriver[] = [];

async function contend(dir: string): Promise<End> {
  const driver = fileJournal({ dir });
  opened.push(driver);
  const pid = process.pid;
  try {
    await driver.append(lines(header, commit(1, `by ${pid}`)), { first: true });
    await Promise.all([2, 3, 4].map((seq) => driver.append(lines(commit(seq, `by ${pid}`)))));
    return { pid, won: true };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { pid, won: false, code: error.code, message: error.message };
  }
}

async function obey(message: unknown): Promise<readonly End[]> {
  const order = orderSchema.parse(message);
  if (order.do === "contend")
    return Promise.all(Array.from({ length: order.drivers }, () => contend(order.dir)));
  if (order.do === "crash") {
    await crashingJournal(order).append(order.lines);
    return [];
  }
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
  return [];
}

process.on("message", (message) => void obey(message).then((ends) => process.send?.(ends)));
process.on("disconnect", () => process.exit(0));
process.send?.([]);
