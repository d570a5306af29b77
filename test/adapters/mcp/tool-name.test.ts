import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { modelToolName } from "../../../adapters/mcp/server-tool.ts";

const part = fc.oneof(fc.string(), fc.stringMatching(/^[a_]{1,40}$/));

describe("the name of a tool for the model", () => {
  test.each([
    ["git", "log", "git__log"],
    ["my_git", "log__all", "my_git__log__all"],
    ["my git", "log", "mcp-f29e5b433097-my-git-log"],
    ["a__b", "c", "mcp-528239e9b39f-a-b-c"],
  ])("of the server %s and the tool %s is %s", (server, tool, expected) => {
    expect(modelToolName(server, tool)).toBe(expected);
  });

  test.prop([part, part])("is one that endpoints accept", (server, tool) => {
    expect(modelToolName(server, tool)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test.prop([part, part, part, part])("belongs to no other tool", (server, tool, other, otherTool) => {
    if (server === other && tool === otherTool) return;
    expect(modelToolName(server, tool)).not.toBe(modelToolName(other, otherTool));
  });
});
