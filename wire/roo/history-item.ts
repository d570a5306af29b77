import * as z from "zod";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import { excerpt } from "../excerpt.ts";
import { TASK_ID } from "../task-id.ts";
import { ROO_FILES } from "./error.ts";
import { isJson } from "./json.ts";
import { type Repair, Report } from "./report.ts";

const STATUSES = ["active", "delegated", "completed"] as const;

/** Summary of a task in Roo Code: `history_item.json`. Tokens are counts, `totalCost` is US dollars. */
export interface HistoryItem {
  readonly id: string;
  /** Position in the list of tasks. */
  readonly number: number;
  /** Time of the last change, in ms since the epoch. */
  readonly ts: number;
  /** The prompt. */
  readonly task: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
  /** Absent: unknown. */
  readonly totalCost?: number;
  /** Size of the task's other files, in bytes. */
  readonly size: number;
  readonly workspace?: string;
  readonly mode: string;
  readonly rootTaskId?: string;
  readonly parentTaskId?: string;
  /** `delegated`: it waits for a subtask. */
  readonly status: (typeof STATUSES)[number];
  readonly delegatedToId?: string;
  readonly awaitingChildId?: string;
  readonly childIds?: readonly string[];
}

const taskId = z.string().regex(TASK_ID).exactOptional();

/** The fields that an import uses: the messages and the conversation have the others. */
const importedSchema = z.object({
  /** An absolute path. */
  workspace: z
    .string()
    .regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/)
    .exactOptional(),
  mode: z.string().regex(MODE_SLUG).exactOptional(),
  parentTaskId: taskId,
  rootTaskId: taskId,
  status: z.enum(STATUSES).exactOptional(),
});

export interface ParsedHistoryItem {
  readonly item: z.output<typeof importedSchema>;
  readonly report: readonly Repair[];
}

/** Parse the text of `history_item.json`. Invalid fields are left out and reported, as is a text that is no JSON object. */
export function parseHistoryItem(text: string): ParsedHistoryItem {
  const report = new Report(ROO_FILES.history);
  const value = parseObject(text);
  if (value === undefined) {
    report.add(0, "format", `The file was left out: expected a JSON object, got ${excerpt(text)}.`);
    return { item: {}, report: report.all() };
  }
  const parsed = importedSchema.safeParse(value);
  const wrong = new Set((parsed.error?.issues ?? []).map(({ path: [name] }) => String(name)));
  for (const name of wrong)
    report.add(0, "format", `The invalid field ${name} was left out: ${excerpt(value[name])}.`);
  const valid = Object.fromEntries(Object.entries(value).filter(([name]) => !wrong.has(name)));
  return { item: importedSchema.parse(valid), report: report.all() };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isJson(value) ? value : undefined;
  } catch {
    // Reported by the caller: the other files are imported without it.
    return undefined;
  }
}
