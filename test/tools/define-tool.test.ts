import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PARTIAL_MAX_BYTES } from "../../tools/descriptor.ts";
import { builtinTools, defineTool, type Tool } from "../../tools/index.ts";
import { createRegistry } from "../../tools/registry.ts";

const sample = defineTool({
  name: "sample",
  description: "For tests.",
  inputSchema: z.object({
    path: z.string(),
    count: z.int().min(1).max(5).optional(),
    kind: z.enum(["a", "b"]).optional(),
  }),
  effect: "reads",
  execute: ({ path, count }) => `${path} ${count}`,
});

const errorOf = (tool: Tool, input: Record<string, unknown>): string => {
  const prepared = tool.prepare(input);
  return prepared.ok ? "" : prepared.error;
};

describe("invalid arguments return an error with path, expected and received value", () => {
  test.each([
    [{}, "'path': expected a string, received nothing"],
    [{ path: 7 }, "'path': expected a string, received a number (7)"],
    [{ path: null }, "'path': expected a string, received null"],
    [{ path: "a", count: 9 }, "'count': expected at most 5, received a number (9)"],
    [{ path: "a", count: 1.5 }, "'count': expected an integer, received a number (1.5)"],
    [{ path: "a", kind: "c" }, `'kind': expected one of "a", "b", received a string ("c")`],
    [{ path: ["x"] }, "'path': expected a string, received an array of 1"],
  ])("%j", (input, issue) => {
    expect(errorOf(sample, input)).toBe(
      `The arguments of sample are invalid: ${issue}. Send the call again with arguments that match its schema.`,
    );
  });

  test("a text over its limit returns the limit and its length", () => {
    const completion = createRegistry(builtinTools()).find("attempt_completion");
    const input = { result: "r".repeat(200_001) };
    expect(completion === undefined ? "" : errorOf(completion, input)).toBe(
      "The arguments of attempt_completion are invalid: 'result': expected at most 200000 characters, received 200001. Send the call again with arguments that match its schema.",
    );
  });

  test("unknown arguments are rejected if the tool has an effect", () => {
    const input = { path: "a", content: "b", dry_run: true };
    const write = createRegistry(builtinTools()).find("write_file");
    expect(write?.name).toBe("write_to_file");
    expect(write === undefined ? "" : errorOf(write, input)).toContain("unknown argument 'dry_run'");
    expect(errorOf(sample, { path: "a", mode: "slice" })).toBe("");
  });

  test("an error that the schema throws is an argument error", () => {
    const input = z.object({ a: z.string() }).refine(() => {
      throw new Error("boom");
    });
    const tool = defineTool({
      name: "t",
      description: "",
      inputSchema: input,
      effect: "none",
      execute: () => "",
    });
    expect(errorOf(tool, { a: "x" })).toBe("The arguments of t could not be validated: Error: boom");
  });
});

test("any JSON arguments return an error or a call and have a bounded partial text", () => {
  const tools = builtinTools();
  const names = [
    "path",
    "content",
    "diff",
    "command",
    "todos",
    "question",
    "follow_up",
    "result",
    "regex",
    "__proto__",
  ];
  const input = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 })),
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
    fc.dictionary(fc.constantFrom(...names), fc.string({ unit: "binary", minLength: 3000, maxLength: 9000 })),
  );
  fc.assert(
    fc.property(input, fc.constantFrom(...tools), (args, tool) => {
      const prepared = tool.prepare(args);
      if (!prepared.ok) expect(prepared.error).toMatch(/^The arguments of \w+ are invalid: .+\.$/su);
      const partial = tool.partial(args);
      expect(Buffer.byteLength(partial ?? "")).toBeLessThanOrEqual(PARTIAL_MAX_BYTES);
    }),
    { numRuns: 1000 },
  );
});

test("a tool has a JSON Schema", () => {
  expect(sample.inputSchema).toEqual({
    type: "object",
    properties: {
      path: { type: "string" },
      count: { type: "integer", minimum: 1, maximum: 5 },
      kind: { type: "string", enum: ["a", "b"] },
    },
    required: ["path"],
  });
  for (const tool of builtinTools()) expect(tool.inputSchema).toMatchObject({ type: "object" });
});

test("defineTool throws for an invalid name and for a schema without JSON Schema", () => {
  const base = { description: "", effect: "none", execute: () => "" } as const;
  expect(() => defineTool({ ...base, name: "a b", inputSchema: z.object({}) })).toThrow(
    /Expected a tool name of 1 to 64 letters/,
  );
  expect(() => defineTool({ ...base, name: "t", inputSchema: z.object({ a: z.date() }) })).toThrow(
    /JSON Schema/,
  );
});

test("createRegistry throws if two tools share a name or alias", () => {
  const other = defineTool({
    name: "other",
    aliases: ["sample"],
    description: "",
    inputSchema: z.object({}),
    effect: "none",
    execute: () => "",
  });
  expect(() => createRegistry([sample, other])).toThrow(
    'Two tools have the name "sample": sample and other.',
  );
});

test("only tools that read, have no effect or may stop twice are replayable (L12)", () => {
  const again = builtinTools().filter((tool) => tool.replayable);
  expect(again.map((tool) => tool.name)).toEqual([
    "read_file",
    "list_files",
    "glob",
    "search_files",
    "codebase_search",
    "command_output",
    "stop_command",
    "web_fetch",
    "subtask_state",
    "update_todo_list",
    "skill",
    "read_artifact",
  ]);
});

test("a call is shown by its description, or by its arguments", async () => {
  const workspace = { root: "/w" };
  const base = {
    description: "",
    inputSchema: z.object({ a: z.string() }),
    effect: "none",
    execute: () => "",
  } as const;
  const shown = async (tool: Tool): Promise<string> => {
    const prepared = tool.prepare({ a: "x" });
    if (!prepared.ok) throw new Error(prepared.error);
    // Neither of these uses the workspace.
    return (await prepared.call.describe({ workspace: workspace as never })).text;
  };
  expect(await shown(defineTool({ ...base, name: "t", describe: ({ a }) => `shows ${a}` }))).toBe("shows x");
  expect(JSON.parse(await shown(defineTool({ ...base, name: "t" })))).toEqual({
    tool: "t",
    content: '{\n  "a": "x"\n}',
  });
});
