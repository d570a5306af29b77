import { expect, test } from "vitest";
import { callLines, callQuestion, callTitle } from "../../present/call-text.ts";
import { parseCall } from "../../present/parse-call.ts";

const shown = (fields: object) => {
  const call = parseCall({ ask: "use_mcp_server", text: JSON.stringify(fields) });
  return call && { question: callQuestion(call), title: callTitle(call), body: callLines(call) };
};
const call = (input: unknown) =>
  shown({
    type: "use_mcp_tool",
    serverName: "files",
    toolName: "list_directory",
    arguments: typeof input === "string" ? input : JSON.stringify(input, undefined, 2),
  });

test("a call of an MCP server is shown with its server, its tool and short arguments in one line", () => {
  expect(call({ path: "." })).toEqual({
    question: "Call files/list_directory",
    title: "files/list_directory path: .",
    body: [],
  });
  expect(call({ path: "., deep: true", n: 2, list: ["a"] })?.title).toBe(
    'files/list_directory path: "., deep: true", n: 2, list: ["a"]',
  );
  expect(call({})?.title).toBe("files/list_directory");
});

test("long arguments, and arguments of several lines, are shown below it", () => {
  const long = "x".repeat(100);
  expect(call({ path: "a.txt", content: "one\ntwo\n" })).toMatchObject({
    title: "files/list_directory",
    body: ["path: a.txt", "content:", "  one", "  two"],
  });
  expect(call({ long })).toMatchObject({ title: "files/list_directory", body: [`long: ${long}`] });
});

test("arguments that were cut are shown as they are", () => {
  const cut = `{"content": "${"x".repeat(100)}`;
  expect(call(cut)).toMatchObject({ title: "files/list_directory", body: [cut] });
});

test("a resource is shown with its URI", () => {
  const resource = { type: "access_mcp_resource", serverName: "docs", uri: "file:///a" };
  expect(shown(resource)?.question).toBe("Read the resource file:///a of docs");
  expect(shown({ type: "access_mcp_resource", serverName: "my docs" })?.title).toBe(
    'List the resources of "my docs"',
  );
});

test("a text of another form is not a call of an MCP server", () => {
  expect(parseCall({ ask: "use_mcp_server", text: "{" })).toBeUndefined();
  expect(shown({ tool: "readFile" })).toBeUndefined();
});
