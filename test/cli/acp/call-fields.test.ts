import { describe, expect, test } from "vitest";
import { callFields } from "../../../cli/acp/call-fields.ts";
import { changeOf } from "../../../tools/diff/unified.ts";

const fieldsOf = (ask: "tool" | "command" | "use_mcp_server", text: string) =>
  callFields({ ts: 1, type: "ask", ask, text, partial: false }, "/home/me/project");

describe("a tool call", () => {
  test("that changes a file has each hunk as a diff, and its first line", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const before = `${lines.join("\n")}\n`;
    const after = before.replace("line 5\n", "five\n").replace("line 25\n", "");
    const { diff } = changeOf("a.txt", before, after);
    const fields = fieldsOf("tool", JSON.stringify({ tool: "appliedDiff", path: "src/a.txt", diff }));
    expect(fields).toMatchObject({
      kind: "edit",
      locations: [{ path: "/home/me/project/src/a.txt", line: 3 }],
    });
    expect(fields?.content).toEqual([
      {
        type: "diff",
        path: "/home/me/project/src/a.txt",
        oldText: "line 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n",
        newText: "line 2\nline 3\nline 4\nfive\nline 6\nline 7\nline 8\n",
      },
      {
        type: "diff",
        path: "/home/me/project/src/a.txt",
        oldText: "line 22\nline 23\nline 24\nline 25\nline 26\nline 27\nline 28\n",
        newText: "line 22\nline 23\nline 24\nline 26\nline 27\nline 28\n",
      },
    ]);
  });

  test("that runs several lines has all of them as content, in which nothing is hidden", () => {
    expect(fieldsOf("command", "echo a\nrm \u202eb\u001b[8m")).toEqual({
      title: "echo a ...",
      kind: "execute",
      content: [
        { type: "content", content: { type: "text", text: String.raw`echo a${"\n"}rm \u202eb\u001b[8m` } },
      ],
      locations: [],
    });
  });

  test("of an MCP server is titled by server and tool, and has long arguments as content", () => {
    const call = { type: "use_mcp_tool", serverName: "files", toolName: "write" };
    const fieldsWith = (input: object) =>
      fieldsOf("use_mcp_server", JSON.stringify({ ...call, arguments: JSON.stringify(input) }));
    expect(fieldsWith({ path: "." })).toMatchObject({ title: "files/write path: .", content: [] });
    expect(fieldsWith({ text: "one\ntwo" })).toMatchObject({
      title: "files/write",
      content: [{ type: "content", content: { type: "text", text: "text:\n  one\n  two" } }],
    });
  });

  test("that changes no file has all of its text as content", () => {
    const text = JSON.stringify({ tool: "ring", content: "the bell" });
    expect(fieldsOf("tool", text)).toMatchObject({
      kind: "other",
      content: [{ type: "content", content: { type: "text", text: "the bell" } }],
    });
  });

  test("of an unknown tool has its text as title", () => {
    expect(fieldsOf("tool", "Ring the bell")).toMatchObject({ title: "Ring the bell", kind: "other" });
  });
});
