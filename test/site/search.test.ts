import { beforeAll, describe, expect, test } from "vitest";
import { buildSite, copyDocs, openSearch, writeReference } from "./site.ts";

/** Tasks of readers, with the page that says how. */
const TASKS = [
  ["stream text to stdout", "guide/output-and-prompts"],
  ["deny a command", "guide/command-rules"],
  ["resume after a crash", "guide/task-history"],
  ["add an MCP server", "guide/mcp"],
  ["write a tool", "guide/write-a-tool"],
  ["ask the user a question", "guide/write-a-tool"],
  ["limit the cost", "guide/models"],
  ["use a local model", "guide/models"],
  ["custom mode", "guide/modes"],
  ["undo file changes", "guide/checkpoints"],
  ["test without a network", "reference/mock"],
  ["show the state in React", "guide/react"],
  ["debugger", "guide/debugger"],
  ["policy over time", "guide/temporal-policies"],
  ["hooks before a tool call", "guide/hooks"],
  ["subtasks", "guide/subtasks"],
  ["retry after an error", "guide/models"],
  ["export telemetry", "guide/telemetry"],
  ["use in Zed / ACP", "guide/acp"],
  ["migrate from LangGraph", "guide/coming-from"],
  ["import Roo Code tasks", "guide/import-export"],
  ["verify a journal", "guide/monitor"],
  ["condense the conversation", "guide/context"],
  ["run headless in CI", "reference/cli"],
  ["permission rules", "guide/policies"],
] as const;

let site: string;
let pagesFor: (query: string) => readonly string[];
beforeAll(async () => {
  const docs = copyDocs();
  writeReference(docs);
  const { status, output } = buildSite(docs);
  expect(status, output).toBe(0);
  site = `${docs}/.vitepress/dist`;
  const search = await openSearch(site);
  pagesFor = (query) => search(query).map(({ id }) => String(id).replace(/^\/|\.html(?:#.*)?$/g, ""));
});

describe("the search of the site", () => {
  test.each(TASKS)("finds first, for '%s', the page %s", (query, page) => {
    expect(pagesFor(query)[0]).toBe(page);
  });

  test.each(["createHost", "openHistory", "ExtensionClient"])("finds the reference of %s", (name) => {
    expect(pagesFor(name).slice(0, 3)).toContainEqual(expect.stringMatching(new RegExp(`^api/.*/${name}$`)));
  });
});
