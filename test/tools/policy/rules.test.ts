import { describe, expect, test } from "vitest";
import type { ResolvedPath } from "../../../ports/workspace.ts";
import {
  allowEverything,
  allowReadsInside,
  allowTodoList,
  allowWritesInside,
  askAPerson,
  builtinTools,
  denyEverything,
  firstOf,
  type Policy,
} from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const registry = createRegistry(builtinTools());
const inside: ResolvedPath = { path: "a", real: "/w/a", inside: true, ignored: false };
const outside: ResolvedPath = { path: "/x", real: "/x", inside: false, ignored: false };

async function judge(
  policy: Policy,
  name: string,
  paths: readonly ResolvedPath[] = [inside],
): Promise<string> {
  const tool = registry.find(name);
  if (tool === undefined) throw new Error(name);
  return (await policy({ tool, input: {} }, { workspace: "/w", description: { text: "", paths } })).kind;
}

describe("allowReadsInside", () => {
  test("allows tools that only read inside, and nothing else", async () => {
    expect(await judge(allowReadsInside(), "read_file")).toBe("allow");
    expect(await judge(allowReadsInside(), "search_files", [inside, inside])).toBe("allow");
    expect(await judge(allowReadsInside(), "read_file", [inside, outside])).toBe("ask");
    expect(await judge(allowReadsInside(), "read_file", [{ ...inside, ignored: true }])).toBe("ask");
    expect(await judge(allowReadsInside(), "read_file", [])).toBe("ask");
    expect(await judge(allowReadsInside(), "skill", [])).toBe("allow");
    expect(await judge(allowReadsInside(), "skill", [outside])).toBe("ask");
    expect(await judge(allowReadsInside(), "read_artifact", [])).toBe("allow");
    expect(await judge(allowReadsInside(), "command_output", [])).toBe("allow");
    for (const name of [
      "stop_command",
      "write_to_file",
      "execute_command",
      "attempt_completion",
      "update_todo_list",
    ]) {
      expect(await judge(allowReadsInside(), name)).toBe("ask");
    }
  });
});

test("allowWritesInside allows edits of files inside, and nothing else", async () => {
  expect(await judge(allowWritesInside(), "apply_diff")).toBe("allow");
  expect(await judge(allowWritesInside(), "write_to_file", [outside])).toBe("ask");
  expect(await judge(allowWritesInside(), "read_file")).toBe("ask");
  expect(await judge(allowWritesInside(), "execute_command")).toBe("ask");
});

test("allowTodoList allows updates of the todo list only", async () => {
  expect(await judge(allowTodoList(), "update_todo_list")).toBe("allow");
  expect(await judge(allowTodoList(), "read_file")).toBe("ask");
});

test("firstOf uses the first policy that decides, and asks if none does", async () => {
  expect(await judge(firstOf(askAPerson(), denyEverything(), allowEverything()), "read_file")).toBe("deny");
  expect(await judge(firstOf(allowReadsInside(), denyEverything()), "read_file")).toBe("allow");
  expect(await judge(firstOf(allowReadsInside(), askAPerson()), "write_to_file")).toBe("ask");
  expect(await judge(firstOf(), "read_file")).toBe("ask");
});

test("a verdict has the name of its rule", async () => {
  const tool = registry.tools[0];
  if (tool === undefined) throw new Error("no tool");
  const facts = { workspace: "/w", description: { text: "", paths: [inside] } };
  expect(await allowReadsInside()({ tool, input: {} }, facts)).toEqual({
    kind: "allow",
    rule: "allow-reads-inside",
  });
});
