import { describe, expect, it } from "vitest";
import { listedTask } from "../../../visualize/page/model/listed-task.ts";
import { parseTaskQuery } from "../../../visualize/page/model/task-query.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";

const NOW = 10_000_000;
const BASE = {
  state: "idle",
  path: "idle",
  createdAt: 1,
  updatedAt: NOW - 60_000,
  isOpen: false,
} as const;
const TASKS: readonly TaskInfo[] = [
  {
    ...BASE,
    asks: [],
    id: "a",
    title: "Fix the build",
    cost: 2,
    requests: 30,
    rest: "completed",
    mode: "code",
    workspace: "/web/app",
  },
  {
    ...BASE,
    asks: [],
    ...{
      id: "b",
      title: "Write docs",
      cost: null,
      rest: "failed",
      updatedAt: NOW - 7_200_000,
      mode: "architect",
    },
    error: { code: "authentication_error", message: "401 invalid x-api-key" },
  },
  { ...BASE, asks: [], id: "c", title: "Build docs", cost: 0.5, requests: 3, state: "waiting_for_input" },
];

/** The tasks in which each search found something. */
const HITS: Readonly<Record<string, readonly string[]>> = {
  'text:"no such file"': ["a", "b"],
  "tool:web_fetch": ["b"],
};

/** The ids of the tasks that match a query, or what is wrong with it. */
function found(query: string): string {
  const parsed = parseTaskQuery(query);
  if (parsed.problem !== undefined) return parsed.problem;
  return TASKS.map(listedTask)
    .filter((task) => parsed.matches(task, NOW, (key, id) => HITS[key]?.includes(id) ?? false))
    .map(({ id }) => id)
    .join(" ");
}

describe("a query of the task list", () => {
  it.each([
    ["", "a b c"],
    ["build", "a c"],
    ["build docs", "c"],
    ['"fix the"', "a"],
    ["x-api-key", "b"],
    ["state:failed", "b"],
    ["STATE:Waiting", "c"],
    ["group:needs-you", "c"],
    ["group:done", "a"],
    ["mode:code", "a"],
    ["workspace:web", "a"],
    ["-state:failed", "a c"],
    ["-docs", "a"],
    ["cost>1", "a"],
    ["cost<=0.5", "c"],
    ["requests>=30", "a"],
    ["age<1h", "a c"],
    ["age>90min", "b"],
    ["build cost<$1", "c"],
    ["http://a", ""],
  ])("matches all of its terms: %s", (query, ids) => {
    expect(found(query)).toBe(ids);
  });

  it.each([
    ["state:broken", /^There is no state broken\. Expected waiting, .* or new\.$/],
    ["group:mine", /^There is no group mine\. Expected needs-you, failed, running or done\.$/],
    ["state:", /^Expected a value after state:, got none\.$/],
    ["cost>much", /^Expected cost>NUMBER, got cost>much\.$/],
    ["cost:1", /^Expected cost>NUMBER, got cost:1\.$/],
    ["age<1", /^Expected age<1h, with s, min, h or d, got age<1\.$/],
    ["mode>1", /^Expected mode:VALUE, got mode>1\.$/],
    ["color:red", /^There is no field color\. Expected state:, group:, /],
  ])("that is wrong names the term and what is expected: %s", (query, problem) => {
    expect(found(query)).toMatch(problem);
  });

  it("matches no task by a number that it does not have", () => {
    expect(found("cost<1000000")).toBe("a c");
    expect(found("requests>0")).toBe("a c");
  });
});

it("a query has the texts and tools to search for, and matches the tasks that have them", () => {
  const { searches } = parseTaskQuery('docs text:"no such file" -tool:web_fetch');
  expect(searches).toEqual([
    { key: 'text:"no such file"', text: "no such file" },
    { key: "tool:web_fetch", tool: "web_fetch" },
  ]);
  expect(found('text:"no such file"')).toBe("a b");
  expect(found('text:"no such file" -tool:web_fetch')).toBe("a");
  expect(found('text:"no such file" docs')).toBe("b");
  expect(found("text:")).toBe("Expected text:VALUE, got text:.");
});
