import { TASK_GROUPS, TASK_STATUS_NAMES } from "../../../present/task-status.ts";
import type { ListedTask } from "./listed-task.ts";
import { COMPARISONS, fieldIn, parseNumber, queryTerms } from "./query-terms.ts";

/** A search in the texts of all tasks. */
export interface TextSearch {
  readonly key: string;
  readonly text?: string;
  readonly tool?: string;
}

/** Whether a task matches. `now`: ms since 1970. `isHit`: whether a search, by its key, found something in the task. */
export type TaskFilter = (
  task: ListedTask,
  now: number,
  isHit: (key: string, taskId: string) => boolean,
) => boolean;

/** A parsed query, or the terms that are wrong with what is expected. */
export type TaskQuery =
  | { readonly matches: TaskFilter; readonly searches: readonly TextSearch[]; readonly problem?: undefined }
  | { readonly problem: string; readonly searches: readonly [] };

/**
 * Parse a query of the task list: terms that all must match, separated by spaces. A term is a word of the title, the
 * reason, the workspace or the id; a text in quotes; a field with a value (`state:failed`, `group:needs-you`, `mode:code`,
 * `workspace:web`); a text in the task's messages and events (`text:"no such file"`) or a tool that it called
 * (`tool:execute_command`); or a number with a limit (`cost>1`, `requests>=10`, `age<1h`). A term after `-` must not match.
 */
export function parseTaskQuery(text: string): TaskQuery {
  const filters: TaskFilter[] = [];
  const searches: TextSearch[] = [];
  for (const { text: term, isExcluded } of queryTerms(text)) {
    const search = parseSearch(term);
    if (search !== undefined) searches.push(search);
    const filter = search === undefined ? parseTerm(term) : hitBy(search);
    if (typeof filter === "string") return { problem: filter, searches: [] };
    filters.push(isExcluded ? (...args) => !filter(...args) : filter);
  }
  return { matches: (...args) => filters.every((matches) => matches(...args)), searches };
}

/** A term with a text to search; undefined for any other, and without a text. */
function parseSearch(term: string): TextSearch | undefined {
  const [, name, given = ""] = /^(text|tool):(.*)$/is.exec(term) ?? [];
  const value = given.replaceAll('"', "");
  if (name === undefined || value === "") return undefined;
  return name.toLowerCase() === "text" ? { key: term, text: value } : { key: term, tool: value };
}

const hitBy =
  ({ key }: TextSearch): TaskFilter =>
  ({ id }, _now, isHit) =>
    isHit(key, id);

function parseTerm(term: string): TaskFilter | string {
  const parsed = fieldIn(term);
  if (parsed === undefined) return containing(term.replaceAll('"', ""));
  const { name: field, operator, value } = parsed;
  if (field === "state" || field === "group" || field === "mode" || field === "workspace")
    return operator === ":" ? parseFacet(field, value) : `Expected ${field}:VALUE, got ${term}.`;
  if (field === "cost" || field === "requests" || field === "age")
    return parseLimit(field, operator, value, term);
  if (field === "text" || field === "tool") return `Expected ${field}:VALUE, got ${term}.`;
  // A word with a colon, such as an address.
  if (operator === ":" && value.startsWith("//")) return containing(term);
  return `There is no field ${field}. Expected ${FIELDS}.`;
}

const FIELDS = "state:, group:, mode:, workspace:, text:, tool:, cost>, requests> or age<";

function containing(word: string): TaskFilter {
  const wanted = word.toLowerCase();
  return ({ info, status }) =>
    [info.title, status.reason, info.workspace ?? "", info.id].some((text) =>
      text.toLowerCase().includes(wanted),
    );
}

function parseFacet(field: "state" | "group" | "mode" | "workspace", value: string): TaskFilter | string {
  const wanted = value.toLowerCase();
  if (wanted === "") return `Expected a value after ${field}:, got none.`;
  switch (field) {
    case "state":
      return TASK_STATUS_NAMES.includes(wanted)
        ? ({ status }) => status.name === wanted
        : `There is no state ${value}. Expected ${listOf(TASK_STATUS_NAMES)}.`;
    case "group": {
      const group = TASK_GROUPS.find((each) => each.replace("_", "-") === wanted.replaceAll(/[_ ]/g, "-"));
      return group === undefined
        ? `There is no group ${value}. Expected ${listOf(TASK_GROUPS.map((each) => each.replace("_", "-")))}.`
        : (task) => task.group === group;
    }
    case "mode":
      return ({ info }) => info.mode?.toLowerCase() === wanted;
    case "workspace":
      return ({ info }) => info.workspace?.toLowerCase().includes(wanted) ?? false;
  }
}

function parseLimit(
  field: "cost" | "requests" | "age",
  operator: string,
  value: string,
  term: string,
): TaskFilter | string {
  const compare = COMPARISONS[operator];
  const limit = field === "age" ? parseAge(value) : parseNumber(value);
  if (compare === undefined || limit === undefined)
    return `Expected ${field === "age" ? "age<1h, with s, min, h or d" : `${field}>NUMBER`}, got ${term}.`;
  // A task without the number does not match.
  const numberOf = ({ info }: ListedTask, now: number): number | undefined => {
    if (field === "age") return now - info.updatedAt;
    return field === "cost" ? (info.cost ?? undefined) : info.requests;
  };
  return (task, now) => {
    const number = numberOf(task, now);
    return number !== undefined && compare(number, limit);
  };
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function parseAge(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(s|min|m|h|d)$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs;
}

const listOf = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
