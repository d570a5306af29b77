import { createHash } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import type { JournalDriver } from "../ports/journal.ts";
import { type LeftOut, readTreeOf } from "../store/exchange/recorded-tree.ts";
import type { EvalLog, EvalSample } from "../wire/inspect/eval-log.ts";
import type { RecordedTask } from "../wire/inspect/sample-events.ts";
import { toInspect } from "../wire/inspect/to-inspect.ts";
import { CliError } from "./error.ts";
import { writeUserFile } from "./user-file.ts";

interface InspectOptions {
  readonly journal: (taskId: string) => JournalDriver;
  /** Whether to replace an existing file. */
  readonly force: boolean;
}

/** The number of events of an exported log, and the parts of journals that it lacks. */
interface ExportedLog {
  readonly events: number;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Write a task and its subtasks to a file for Inspect: `.eval`, or `.json`.
 *
 * @throws CliError for another ending, or a file that exists or cannot be written
 */
export async function exportInspect(
  id: string,
  file: string,
  { journal, force }: InspectOptions,
): Promise<ExportedLog> {
  const encode = ENCODINGS.get(/\.\w+$/.exec(file)?.[0] ?? "");
  if (encode === undefined)
    throw new CliError(`${file}: expected a file that ends with .eval or .json. Choose another name.`);
  const leftOut: LeftOut[] = [];
  const onLeftOut = (part: LeftOut): void => {
    leftOut.push(part);
  };
  const log = inspectLog(await readTreeOf(id, journal, { where: journal(id).path, onLeftOut }));
  await writeUserFile(file, encode(log), { force });
  return { events: log.samples.reduce((sum, { events }) => sum + events.length, 0), leftOut };
}

/** The log of a task and its subtasks. */
export const inspectLog = (task: RecordedTask): EvalLog => toInspect(task, digest);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** The format `.eval`: a zip file with each sample whole, and without `zstd`, which Node 20 cannot write. */
export function zipped({ samples, ...header }: EvalLog): Uint8Array {
  const { version, eval: spec, plan } = header;
  const files: readonly (readonly [string, unknown])[] = [
    ["_journal/start.json", { version, eval: spec, plan }],
    ...samples.map((sample) => [`samples/${sample.id}_epoch_${sample.epoch}.json`, sample] as const),
    ["summaries.json", samples.map((sample) => summaryOf(header, sample))],
    ["header.json", header],
  ];
  const entries = Object.fromEntries(files.map(([name, value]) => [name, strToU8(JSON.stringify(value))]));
  return zipSync(entries, { level: 6 });
}

/** The sample as a list of samples shows it. */
function summaryOf({ status }: Pick<EvalLog, "status">, sample: EvalSample): object {
  const {
    events: _events,
    attachments: _attachments,
    messages,
    output: _output,
    store: _store,
    ...summary
  } = sample;
  return { ...summary, message_count: messages.length, completed: status !== "started" };
}

const ENCODINGS = new Map<string, (log: EvalLog) => Uint8Array | string>([
  [".eval", zipped],
  [".json", (log) => `${JSON.stringify(log, null, 2)}\n`],
]);
