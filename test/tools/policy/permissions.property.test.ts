import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Verdict } from "../../../machines/tool-call/call.ts";
import type { PermissionMode } from "../../../machines/tool-call/permissions.ts";
import { builtinTools, byRules, defineTool } from "../../../tools/index.ts";
import type { PermissionSource } from "../../../tools/policy/permission-rule.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { runs } from "../../support/campaigns.ts";

const mcpTool = defineTool({
  name: "use_mcp_tool",
  group: "mcp",
  description: "Uses a tool of an MCP server.",
  inputSchema: z.object({}),
  effect: "executes",
  execute: () => "",
});
const registry = createRegistry([...builtinTools(), mcpTool]);

interface Call {
  readonly tool: string;
  readonly paths: readonly string[];
  readonly command?: string;
  readonly fetches?: string;
  readonly mcp?: { readonly server: string; readonly tool: string };
}

async function judge(
  sources: readonly PermissionSource[],
  { tool: name, paths, ...uses }: Call,
  mode: PermissionMode = "ask",
): Promise<Verdict["kind"]> {
  const tool = registry.find(name);
  if (tool === undefined) throw new Error(name);
  const resolved = paths.map((each) => ({ path: each, real: `/w/${each}`, inside: true, ignored: false }));
  const description = { text: "", paths: resolved, ...uses };
  const facts = { workspace: "/w", description, permissions: { mode, rules: [] } };
  return (await byRules({ sources })({ tool, input: {} }, facts)).kind;
}

const rule = fc.constantFrom(
  ...["read(**)", "read(src/**)", "read(*.ts)", "read(src/a.ts)"],
  ...["edit(**)", "edit(src/**)", "edit(*.ts)", "edit(.git/**)", "edit(*)"],
  ...["command(*)", "command(npm *)", "command(npm test)", "command(npm test *)", "command(rm *)"],
  ...["fetch(*)", "fetch(a.test)", "fetch(*.a.test)", "mcp(*/*)", "mcp(git/*)", "mcp(git/log)", "mcp(*/log)"],
  ...["tool(write_to_file)", "tool(execute_command)", "tool(web_fetch)", "tool(use_mcp_tool)", "subtask"],
);
const ruleList = fc.array(rule, { maxLength: 4 });
const sources = fc.array(
  fc.record({ origin: fc.constant("any"), allow: ruleList, ask: ruleList, deny: ruleList }),
  { minLength: 1, maxLength: 3 },
);
const paths = fc.array(fc.constantFrom("src/a.ts", "src/b", "lib/a.ts", ".git/config"), { maxLength: 2 });
const line = fc
  .array(fc.constantFrom("npm test", "npm test -w", "rm a", "npm $x", "sudo rm a", "ls"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join("; "));
const call = fc.oneof(
  fc.record({
    tool: fc.constantFrom("read_file", "search_files", "write_to_file", "new_task"),
    paths,
  }),
  line.map((command): Call => ({ tool: "execute_command", paths: ["."], command })),
  fc
    .constantFrom("a.test", "b.a.test", "c.test", "a b")
    .map((fetches): Call => ({ tool: "web_fetch", paths: [], fetches })),
  fc
    .record({ server: fc.constantFrom("git", "GIT", "fs"), tool: fc.constantFrom("log", "push") })
    .map((mcp): Call => ({ tool: "use_mcp_tool", paths: [], mcp })),
);
const mode = fc.constantFrom<PermissionMode>("plan", "ask", "auto-edit", "auto", "bypass");

describe("for any rules, call and mode", () => {
  const numRuns = runs(5_000, 1_000);

  test("an additional deny rule never turns a call that is not allowed into an allowed one", async () => {
    await fc.assert(
      fc.asyncProperty(sources, call, mode, rule, fc.nat(3), async (given, judged, mode, added, at) => {
        fc.pre((await judge(given, judged, mode)) !== "allow");
        const more = given.toSpliced(at, 0, { origin: "any", allow: [], ask: [], deny: [added] });
        expect(await judge(more, judged, mode)).not.toBe("allow");
      }),
      { numRuns, maxSkipsPerRun: 1_000 },
    );
  });

  test("without one of its allow rules, no other call is allowed", async () => {
    await fc.assert(
      fc.asyncProperty(sources, call, mode, fc.nat(2), fc.nat(3), async (given, judged, mode, at, rule) => {
        const fewer = given.map((each, n) =>
          n === at ? { ...each, allow: each.allow.toSpliced(rule, 1) } : each,
        );
        if ((await judge(fewer, judged, mode)) === "allow")
          expect(await judge(given, judged, mode)).toBe("allow");
      }),
      { numRuns },
    );
  });

  test("the order of sources and rules changes no kind of verdict", async () => {
    await fc.assert(
      fc.asyncProperty(sources, call, mode, async (given, judged, mode) => {
        const reversed = given.toReversed().map(({ origin, allow, ask, deny }) => ({
          origin,
          allow: allow.toReversed(),
          ask: ask.toReversed(),
          deny: deny.toReversed(),
        }));
        expect(await judge(reversed, judged, mode)).toBe(await judge(given, judged, mode));
      }),
      { numRuns },
    );
  });
});
