import { expect, test } from "vitest";
import { formatMcpCall } from "../../../cli/show/mcp-call.ts";

const call = (input: unknown) =>
  formatMcpCall(
    JSON.stringify({
      type: "use_mcp_tool",
      serverName: "files",
      toolName: "list_directory",
      arguments: JSON.stringify(input, undefined, 2),
    }),
  );

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

test("long arguments, and those of several lines, are shown below it", () => {
  const long = "x".repeat(100);
  expect(call({ path: "a.txt", content: "one\ntwo\n" })).toMatchObject({
    title: "files/list_directory",
    body: ["path: a.txt", "content:", "  one", "  two"],
  });
  expect(call({ long })).toMatchObject({ title: "files/list_directory", body: [`long: ${long}`] });
});

test("a resource is shown with its URI, and another text is none", () => {
  const resource = { type: "access_mcp_resource", serverName: "docs", uri: "file:///a" };
  expect(formatMcpCall(JSON.stringify(resource))?.question).toBe("Read the resource file:///a of docs");
  expect(formatMcpCall("{")).toBeUndefined();
  expect(formatMcpCall('{"tool":"readFile"}')).toBeUndefined();
});
