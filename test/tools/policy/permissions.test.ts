import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { CallAsk, Effect } from "../../../machines/tool-call/call.ts";
import type { PermissionMode, SessionRule } from "../../../machines/tool-call/permissions.ts";
import type { ResolvedPath } from "../../../ports/workspace.ts";
import {
  allowReadsInside,
  allowWritesInside,
  builtinTools,
  byRules,
  type Description,
  type Policy,
  type PolicyCall,
  type PolicyFacts,
  type RuleOptions,
  suggestedRules,
  ToolError,
} from "../../../tools/index.ts";
import type { PermissionSource } from "../../../tools/policy/permission-rule.ts";
import { createRegistry } from "../../../tools/registry.ts";
import type { ToolGroup } from "../../../tools/tool.ts";

const registry = createRegistry(builtinTools());

function toolNamed(name: string): PolicyCall["tool"] {
  const tool = registry.find(name);
  if (tool === undefined) throw new Error(name);
  return tool;
}

const custom = (effect: Effect, group: ToolGroup = "custom", ask: CallAsk = "tool"): PolicyCall["tool"] => ({
  name: "own",
  effect,
  group,
  ask,
});

const at = (named: string, real = named): ResolvedPath => ({
  path: named,
  real: path.resolve("/w", real),
  inside: path.resolve("/w", real).startsWith("/w"),
  ignored: false,
});

/** A use of something outside of the workspace. */
type Use = Pick<Description, "fetches" | "mcp" | "continues">;
type Call = readonly [tool: string | PolicyCall["tool"], ...args: (string | ResolvedPath | Use)[]];

const isUse = (arg: string | ResolvedPath | Use): arg is Use => typeof arg === "object" && !("real" in arg);

/** A call of a tool on paths. Of a tool that executes: the command line. */
function judge(policy: Policy, [tool, ...args]: Call, subtask = false) {
  const called = typeof tool === "string" ? toolNamed(tool) : tool;
  return policy(
    { tool: called, input: {} },
    { workspace: "/w", description: describeCall(called, args), subtask },
  );
}

function describeCall(
  { effect }: PolicyCall["tool"],
  args: readonly (string | ResolvedPath | Use)[],
): Description {
  const [first] = args;
  const isCommand = effect === "executes" && typeof first === "string";
  const named = args.filter((arg) => !isUse(arg));
  const paths = (isCommand ? ["."] : named).map((each) => (typeof each === "string" ? at(each) : each));
  return Object.assign({ text: "", paths, ...(isCommand && { command: first }) }, ...args.filter(isUse));
}

type Rules = Omit<PermissionSource, "origin">;
const given = (rules: Rules, mode: PermissionMode = "ask") => {
  const policy = byRules({ sources: [{ origin: "s", ...rules }] });
  const inMode = (facts: PolicyFacts) => ({ ...facts, permissions: { mode, rules: [] } });
  const judged = (call: PolicyCall, facts: PolicyFacts) => policy(call, inMode(facts));
  return Object.assign(judged, {
    explain: (call: PolicyCall, facts: PolicyFacts) => policy.explain(call, inMode(facts)),
  });
};

const run = (command: string): Call => ["execute_command", command];
const read = (...paths: (string | ResolvedPath)[]): Call => ["read_file", ...paths];
const edit = (...paths: (string | ResolvedPath)[]): Call => ["write_to_file", ...paths];
const fetches = (host: string, tool: Call[0] = "web_fetch"): Call => [tool, { fetches: host }];
const browser = { ...custom("executes", "fetch", "browser_action_launch"), requires: "browser" } as const;
const continued: Call = [browser, { continues: true }];
const mcp = (server: string, tool: string, called = custom("executes", "mcp", "use_mcp_server")): Call => [
  called,
  { mcp: { server, tool } },
];

describe("a rule is about the calls of its form", () => {
  const rows: readonly (readonly [Rules, Call, kind: string])[] = [
    [{ allow: ["read(src/**)"] }, read("src/a.ts"), "allow"],
    [{ allow: ["read(src/**)"] }, read("lib/a.ts"), "ask"],
    [{ allow: ["read(src/**)"] }, read("lib/src/a.ts"), "ask"],
    [{ allow: ["read(src/**)"] }, ["list_files", "src"], "allow"],
    [{ allow: ["read(src/**)"] }, ["search_files", "src"], "allow"],
    [{ allow: ["read(src/**)"] }, edit("src/a.ts"), "ask"],
    [{ allow: ["read(**)"] }, ["list_files", "."], "allow"],
    [{ allow: ["read(./src)"] }, read("src/a.ts"), "allow"],
    [{ allow: ["read(*.ts)"] }, read("src/deep/a.ts"), "allow"],
    [{ allow: ["read(/*.ts)"] }, read("src/a.ts"), "ask"],
    [{ allow: ["read(a?.ts)"] }, read("ab.ts"), "allow"],
    [{ allow: ["read(#a)"] }, read("#a"), "allow"],
    [{ allow: ["read(app/(group)/**)"] }, read("app/(group)/a"), "allow"],
    [{ allow: ["read(**)"] }, run("ls"), "ask"],
    [{ allow: ["read(**)"] }, ["skill"], "ask"],
    [{ allow: ["tool(skill)"], deny: ["read(**)"] }, ["skill"], "allow"],
    [{ allow: ["edit(src/**)"] }, edit("src/a.ts"), "allow"],
    [{ allow: ["edit(src/**)"] }, ["apply_diff", "src/a.ts"], "allow"],
    [{ allow: ["edit(src/**)"] }, edit("src/a.ts", "lib/a.ts"), "ask"],
    [{ allow: ["edit(src/**)", "edit(lib/**)"] }, edit("src/a.ts", "lib/a.ts"), "allow"],
    [{ allow: ["edit(src/**)"] }, read("src/a.ts"), "ask"],
    [{ allow: ["edit(**)"] }, edit(), "ask"],
    [{ deny: ["edit(*.pem)"] }, edit("src/a.ts", "b.pem"), "deny"],
    [{ allow: ["tool(own)"], deny: ["edit(*.pem)"] }, [custom("writes"), "b.pem"], "deny"],
    [{ allow: ["tool(own)"], deny: ["edit(*.pem)"] }, [custom("writes")], "ask"],
    [{ allow: ["tool(own)"], deny: ["read(*.pem)"] }, [custom("reads"), "b.pem"], "deny"],
    [{ allow: ["tool(own)"], deny: ["read(*.pem)"] }, [custom("none"), "b.pem"], "allow"],
    [{ allow: ["command(npm test)"] }, run("npm test"), "allow"],
    [{ allow: ["command(npm test)"] }, run("npm test -- --watch"), "ask"],
    [{ allow: ["command(npm test)"] }, run("npm test $x"), "ask"],
    [{ allow: ["command(npm test *)"] }, run("npm test"), "allow"],
    [{ allow: ["command(npm test *)"] }, run("npm 'test' -- --watch *.ts"), "allow"],
    [{ allow: ["command(npm test *)"] }, run("npm tests"), "ask"],
    [{ allow: ["command(npm test *)"] }, run("NPM test"), "ask"],
    [{ allow: ["command(git commit -m 'a b')"] }, run('git commit -m "a b"'), "allow"],
    [{ allow: ["command(git commit -m 'a b')"] }, run("git commit -m a b"), "ask"],
    [{ allow: ["command(echo '$x' *)"] }, run("echo '$x' $y"), "allow"],
    [{ allow: ["command(echo '$x' *)"] }, run("echo $x"), "ask"],
    [{ allow: ["command(a)", "command(b *)"] }, run("a && b c | a"), "allow"],
    [{ allow: ["command(a)"] }, run("a && b"), "ask"],
    [{ allow: ["command(*)"] }, run("a; b > c"), "allow"],
    [{ allow: ["command(a *)"] }, run("a > c"), "ask"],
    [{ allow: ["command(*)"] }, run("# nothing"), "ask"],
    [{ allow: ["tool(execute_command)"] }, run("a; b"), "allow"],
    [{ allow: ["tool(execute_command)"] }, run("$x"), "ask"],
    [{ allow: ["command(*)"], deny: ["command(git push)"] }, run("git push"), "deny"],
    [{ allow: ["command(*)"], deny: ["command(git push)"] }, run("git push origin"), "allow"],
    [{ allow: ["command(*)"], deny: ["command(git push *)"] }, run("git push origin"), "deny"],
    [{ allow: ["tool(update_todo_list)"] }, ["update_todo_list"], "allow"],
    [{ allow: ["tool(update_todo_list)"] }, ["skill"], "ask"],
    [{ allow: ["subtask"] }, ["new_task"], "allow"],
    [{ allow: ["subtask"] }, ["update_todo_list"], "ask"],
    [{ deny: ["subtask"] }, ["new_task"], "deny"],
    [{ allow: ["fetch(example.com)"] }, fetches("example.com"), "allow"],
    [{ allow: ["fetch(Example.COM.)"] }, fetches("example.com"), "allow"],
    [{ allow: ["fetch(example.com)"] }, fetches("EXAMPLE.com."), "allow"],
    [{ allow: ["fetch(example.com)"] }, fetches("www.example.com"), "ask"],
    [{ allow: ["fetch(example.com)"] }, fetches("example.com.evil.test"), "ask"],
    [{ allow: ["fetch(*.example.com)"] }, fetches("a.b.example.com"), "allow"],
    [{ allow: ["fetch(*.example.com)"] }, fetches("example.com"), "ask"],
    [{ allow: ["fetch(*.example.com)"] }, fetches("notexample.com"), "ask"],
    [{ allow: ["fetch(b\u00fccher.test)"] }, fetches("xn--bcher-kva.test"), "allow"],
    [{ allow: ["fetch(*)"] }, fetches("a.test"), "allow"],
    [{ allow: ["fetch(*)"] }, fetches("[::1]"), "allow"],
    [{ allow: ["fetch(*)"] }, fetches("a b"), "ask"],
    [{ allow: ["fetch(*)"] }, fetches(""), "ask"],
    [{ allow: ["fetch(127.0.0.1)"] }, fetches("127.0.0.1"), "allow"],
    [{ allow: ["fetch(2130706433)"] }, fetches("127.0.0.1"), "allow"],
    [{ allow: ["fetch([::1])"] }, fetches("[0:0::1]"), "allow"],
    [{ allow: ["fetch(*.com)"] }, fetches("example.com"), "allow"],
    [{ allow: ["fetch(*)"] }, run("curl https://example.com"), "ask"],
    [{ allow: ["fetch(*)"] }, read("src/a.ts"), "ask"],
    [{ allow: ["fetch(*)"] }, ["web_fetch"], "ask"],
    [{ allow: ["fetch(*)"] }, fetches("a.test", custom("reads")), "ask"],
    [{ allow: ["fetch(*)"] }, fetches("a.test", custom("writes", "fetch")), "ask"],
    [{ allow: ["read(**)"] }, fetches("a.test"), "ask"],
    [{ allow: ["read(**)"] }, ["read_file", "a", { fetches: "a.test" }], "ask"],
    [{ allow: ["tool(web_fetch)"] }, fetches("a.test"), "allow"],
    [{ allow: ["fetch(a.test)"], deny: ["read(*.pem)"] }, fetches("a.test"), "allow"],
    [{ allow: ["fetch(*)"], deny: ["fetch(a.test)"] }, fetches("A.test."), "deny"],
    [{ allow: ["fetch(*)"], deny: ["fetch(a.test)"] }, fetches("b.a.test"), "allow"],
    [{ allow: ["fetch(*)"], deny: ["fetch(*.a.test)"] }, fetches("b.a.test"), "deny"],
    [{ allow: ["fetch(*)"], deny: ["fetch(*)"] }, fetches("a.test"), "deny"],
    [{ allow: ["fetch(a.test)"], ask: ["fetch(*)"] }, fetches("a.test"), "ask"],
    [{ allow: ["tool(own)"], deny: ["fetch(a.test)"] }, fetches("a.test", custom("writes")), "deny"],
    [{ allow: ["tool(own)"], deny: ["fetch(a.test)"] }, fetches("a b", custom("writes")), "ask"],
    [{ allow: ["tool(own)"], deny: ["fetch(a.test)"] }, [custom("writes")], "allow"],
    [{ allow: ["tool(web_fetch)"], deny: ["fetch(a.test)"] }, ["web_fetch"], "ask"],
    [{ allow: ["fetch(a.test)"] }, fetches("a.test", browser), "allow"],
    [{ allow: ["fetch(a.test)"] }, fetches("b.test", browser), "ask"],
    [{ allow: ["browser"] }, fetches("a.test", browser), "ask"],
    [{ allow: ["browser"] }, continued, "allow"],
    [{ allow: ["browser"] }, [custom("executes"), { continues: true }], "ask"],
    [{ allow: ["fetch(*)"] }, continued, "ask"],
    [{ allow: ["browser"], deny: ["fetch(a.test)"] }, continued, "allow"],
    [{ allow: ["fetch(*)"], deny: ["browser"] }, fetches("a.test", browser), "deny"],
    [{ allow: ["fetch(*)"], ask: ["browser"] }, continued, "ask"],
    [{ allow: ["mcp(git/log)"] }, mcp("git", "log"), "allow"],
    [{ allow: ["mcp(git/log)"] }, mcp("git", "push"), "ask"],
    [{ allow: ["mcp(git/log)"] }, mcp("Git", "log"), "ask"],
    [{ allow: ["mcp(git/*)"] }, mcp("git", "push"), "allow"],
    [{ allow: ["mcp(git/*)"] }, mcp("gitlab", "push"), "ask"],
    [{ allow: ["mcp(*/log)"] }, mcp("any", "log"), "allow"],
    [{ allow: ["mcp(*/log)"] }, mcp("any", "logs"), "ask"],
    [{ allow: ["mcp(*/*)"] }, mcp("any", "any"), "allow"],
    [{ allow: ["mcp(my server/a/b)"] }, mcp("my server", "a/b"), "allow"],
    [{ allow: ["mcp(a/b/c)"] }, mcp("a/b", "c"), "ask"],
    [{ allow: ["mcp(*/*)"] }, mcp("git", "log", custom("executes")), "ask"],
    [{ allow: ["mcp(*/*)"] }, [custom("executes", "mcp")], "ask"],
    [{ allow: ["mcp(git/*)"] }, [...mcp("git", "log"), { fetches: "a.test" }], "ask"],
    [{ allow: ["tool(own)"] }, mcp("git", "log"), "allow"],
    [{ allow: ["mcp(*/*)"], deny: ["mcp(git/push)"] }, mcp("git", "push"), "deny"],
    [{ allow: ["mcp(*/*)"], deny: ["mcp(git/push)"] }, mcp("GIT", "Push"), "deny"],
    [{ allow: ["mcp(*/*)"], deny: ["mcp(git/push)"] }, mcp("git", "log"), "allow"],
    [{ allow: ["mcp(git/*)"], deny: ["mcp(*/push)"] }, mcp("git", "push"), "deny"],
    [{ allow: ["mcp(git/push)"], ask: ["mcp(git/*)"] }, mcp("git", "push"), "ask"],
    [{ allow: ["tool(own)"], deny: ["mcp(git/*)"] }, mcp("git", "log", custom("none")), "deny"],
    [{ allow: ["tool(own)"], deny: ["mcp(git/*)"] }, [custom("executes", "mcp")], "ask"],
    [{ allow: ["tool(own)"], deny: ["mcp(git/*)"] }, [custom("executes")], "allow"],
    [{ allow: ["mcp(fs/*)"], deny: ["read(*.pem)"] }, mcp("fs", "get", custom("reads", "mcp")), "ask"],
    [{ deny: ["tool(ask_followup_question)"] }, ["ask_followup_question"], "deny"],
    [{ allow: ["tool(ask_followup_question)"] }, ["ask_followup_question"], "ask"],
  ];
  test.each(rows)("%j judges %j: %s", async (rules, call, kind) => {
    expect((await judge(given(rules), call)).kind).toBe(kind);
  });

  test("`subtask` allows the completion of a subtask, and never denies it; the root's goes to a person", async () => {
    const completion: Call = ["attempt_completion"];
    expect((await judge(given({ allow: ["subtask"] }), completion, true)).kind).toBe("allow");
    expect((await judge(given({ deny: ["subtask"] }), completion, true)).kind).toBe("ask");
    for (const mode of ["auto", "bypass"] as const) {
      expect((await judge(given({ allow: ["subtask"] }, mode), completion)).kind).toBe("ask");
      expect((await judge(given({}, mode), completion, true)).kind).toBe("allow");
      expect((await judge(given({}, mode), ["ask_followup_question"])).kind).toBe("ask");
    }
  });
});

describe("a call outside of the workspace", () => {
  test("is not allowed as one inside, by any policy for the workspace", async () => {
    const policies = [allowReadsInside(), allowWritesInside()] as const;
    for (const use of [{ fetches: "a.test" }, { mcp: { server: "s", tool: "t" } }])
      for (const call of [
        [custom("reads", "read"), "a", use],
        [custom("writes", "edit"), "a", use],
      ] as const)
        for (const policy of policies) expect((await judge(policy, call)).kind).toBe("ask");
  });

  test.each([
    [fetches("docs.example.com"), ["fetch(docs.example.com)"]],
    [fetches("[::1]"), ["fetch([::1])"]],
    [fetches("a b"), []],
    [fetches("a.test", custom("writes")), []],
    [mcp("git", "log"), ["mcp(git/log)", "mcp(git/*)"]],
    [mcp("a/b", "c"), []],
    [mcp("git", "*"), ["mcp(git/*)"]],
  ] as const)("%j has the rules that allow it: %j", ([tool, ...args], rules) => {
    const called = typeof tool === "string" ? toolNamed(tool) : tool;
    const facts = { workspace: "/w", description: describeCall(called, args) };
    expect(suggestedRules(byRules({ sources: [] }), { tool: called, input: {} }, facts)).toEqual(rules);
  });

  test("is named by what it uses", async () => {
    const because = async (call: Call, rules: Rules = {}) => {
      const verdict = await judge(given(rules), call);
      return verdict.kind === "allow"
        ? verdict.rule
        : verdict.kind === "deny"
          ? verdict.reason
          : verdict.because;
    };
    expect(await because(fetches("a.test"))).toBe("no rule allows web_fetch from 'a.test'");
    expect(await because(fetches("a.test"), { deny: ["fetch(*)"] })).toMatch(
      /^web_fetch from 'a.test' is not permitted/,
    );
    expect(await because(mcp("git", "log"))).toBe("no rule allows 'log' of the server 'git'");
    expect(await because(mcp("git", "log"), { allow: ["mcp(*/*)", "mcp(git/*)"] })).toBe("mcp(git/*) in s");
  });
});

describe("deny precedes ask, which precedes allow", () => {
  const all = { allow: ["edit(src/a.ts)"], ask: ["edit(src/*.ts)"], deny: ["edit(**)"] };
  test.each([
    [all, "deny"],
    [{ ...all, deny: [] }, "ask"],
    [{ allow: all.allow }, "allow"],
    [{}, "ask"],
  ] as const)("%j: %s", async (rules, kind) => {
    expect((await judge(given(rules), edit("src/a.ts"))).kind).toBe(kind);
    const sources = Object.entries(rules).map(([level, texts]) => ({ origin: level, [level]: texts }));
    for (const order of [sources, sources.toReversed()])
      expect((await judge(byRules({ sources: order }), edit("src/a.ts"))).kind).toBe(kind);
  });

  test("the rule with the longest literal prefix is named with its origin, then the one of the earlier source", async () => {
    const sources = [
      { origin: "a.yaml", allow: ["edit(**)", "edit(src/**)"], deny: ["command(rm *)"] },
      { origin: "b.yaml", allow: ["edit(src/a.ts)", "edit(src/**)"], deny: ["command(rm *)"] },
    ];
    const policy = byRules({ sources });
    expect(await judge(policy, edit("src/a.ts"))).toEqual({
      kind: "allow",
      rule: "edit(src/a.ts) in b.yaml",
    });
    expect(await judge(policy, edit("src/b.ts"))).toEqual({ kind: "allow", rule: "edit(src/**) in a.yaml" });
    expect(await judge(policy, edit("src/a.ts", "lib/a.ts"))).toEqual({
      kind: "allow",
      rule: "edit(src/a.ts) in b.yaml, edit(**) in a.yaml",
    });
    expect(await judge(policy, run("ls; rm x"))).toEqual({
      kind: "deny",
      rule: "command(rm *) in a.yaml",
      reason: "'rm x' is not permitted. Continue without it, or ask the user.",
    });
  });
});

describe("a mode decides about calls that no rule is about", () => {
  const calls = {
    "read inside": read("a"),
    "edit inside": edit("a"),
    "edit outside": [custom("writes", "edit"), at("/x")],
    "edit of a protected file": edit("AGENTS.md"),
    "edit without paths": edit(),
    command: run("make all"),
    "command that computes": run("$x"),
    "command that writes a file": run("ls > a"),
    skill: ["skill"],
    "todo list": ["update_todo_list"],
    subtask: ["new_task"],
    "own tool without paths": [custom("reads")],
    "own tool that executes": [custom("executes")],
    question: ["ask_followup_question"],
    "page of the web": fetches("a.test"),
    "tool of an MCP server": mcp("git", "log"),
    "tool of an MCP server that reads": mcp("git", "log", custom("reads", "mcp")),
    "own tool that uses the web": fetches("a.test", custom("none")),
    "read inside that uses the web": ["read_file", "a", { fetches: "a.test" }],
    "edit inside that uses a server": ["write_to_file", "a", { mcp: { server: "s", tool: "t" } }],
  } as const satisfies Record<string, Call>;
  const allowed: Readonly<Record<PermissionMode, readonly (keyof typeof calls)[]>> = {
    plan: [],
    ask: [],
    "auto-edit": ["edit inside"],
    auto: ["read inside", "edit inside", "command", "skill", "todo list", "subtask"],
    bypass: (Object.keys(calls) as (keyof typeof calls)[]).filter((name) => name !== "question"),
  };
  const modes = Object.keys(allowed) as PermissionMode[];
  const kept = [
    ...["read inside", "skill", "todo list", "own tool without paths", "question", "page of the web"],
    ...["tool of an MCP server that reads", "own tool that uses the web", "read inside that uses the web"],
  ];
  test.each(
    modes.flatMap((mode) => Object.entries(calls).map(([name, call]) => [mode, name, call] as const)),
  )("%s: %s", async (mode, name, call) => {
    const others = mode === "plan" && !kept.includes(name) ? "deny" : "ask";
    const isAllowed = (allowed[mode] as readonly string[]).includes(name);
    expect((await judge(given({}, mode), call)).kind).toBe(isAllowed ? "allow" : others);
  });

  test("no mode overrides a rule that denies, and none but bypass one that asks", async () => {
    for (const mode of modes) {
      expect((await judge(given({ deny: ["read(a)"] }, mode), read("a"))).kind).toBe("deny");
      const asked = await judge(given({ ask: ["read(a)"] }, mode), read("a"));
      expect(asked.kind).toBe(mode === "bypass" ? "allow" : "ask");
    }
    expect(await judge(given({ allow: ["edit(**)"] }, "plan"), edit("a"))).toEqual({
      kind: "deny",
      rule: "mode plan",
      reason: "only reading is permitted now. Plan, and ask the user.",
    });
  });
});

describe("a command that runs in a sandbox with the setting for it", () => {
  const verdict = (command: string, rules: Omit<PermissionSource, "origin">, mode: PermissionMode) =>
    byRules({ sources: [{ origin: "settings", ...rules }] })(
      { tool: toolNamed("execute_command"), input: {} },
      {
        ...{ workspace: "/w", description: describeCall(toolNamed("execute_command"), [command]) },
        ...{ isContained: true, permissions: { mode, rules: [] } },
      },
    );

  test.each(["make", "$x", "ls > a", "echo $(ls)", "if true; then ls; fi"])(
    "is not asked about in mode auto, but in the others: %s",
    async (command) => {
      expect(await verdict(command, {}, "auto")).toEqual({ kind: "allow", rule: "mode auto" });
      for (const mode of ["ask", "auto-edit"] as const)
        expect((await verdict(command, {}, mode)).kind).toBe("ask");
      expect((await verdict(command, {}, "plan")).kind).toBe("deny");
    },
  );

  test("is judged by the rules about commands: a line that may match one that denies or asks is asked about", async () => {
    for (const rules of [{ deny: ["command(git push *)"] }, { ask: ["command(git push *)"] }]) {
      expect((await verdict("git status", rules, "auto")).kind).toBe("allow");
      expect((await verdict("echo $(ls) | sh", rules, "auto")).kind).toBe("ask");
    }
    expect((await verdict("git push origin", { deny: ["command(git push *)"] }, "auto")).kind).toBe("deny");
    expect((await verdict("git push origin", { ask: ["command(git push *)"] }, "auto")).kind).toBe("ask");
  });

  test("is asked about where it names a path that .rooignore denies", async () => {
    const description = { ...describeCall(toolNamed("execute_command"), ["cat .env"]), ignoredPath: ".env" };
    const facts = {
      workspace: "/w",
      description,
      isContained: true,
      permissions: { mode: "auto", rules: [] },
    } as const;
    const call = { tool: toolNamed("execute_command"), input: {} };
    expect((await byRules({ sources: [] })(call, facts)).kind).toBe("ask");
  });
});

describe("a call of unknown scope, under an intent, is asked about unless a rule allows it", () => {
  const verdictIn = (mode: PermissionMode, rules: Rules) =>
    given(rules, mode)(
      { tool: toolNamed("execute_command"), input: {} },
      {
        workspace: "/w",
        description: describeCall(toolNamed("execute_command"), ["make"]),
        isUnscoped: true,
      },
    );

  test.each(["ask", "auto-edit", "auto", "bypass"] as const)("in mode %s", (mode) => {
    expect(verdictIn(mode, {}).kind).toBe("ask");
    expect(verdictIn(mode, { allow: ["command(make)"] }).kind).toBe("allow");
    expect(verdictIn(mode, { allow: ["command(make)"], deny: ["command(make)"] }).kind).toBe("deny");
  });

  test("a rule that may deny it denies it in mode bypass", () => {
    expect(verdictIn("bypass", { deny: ["command(make)"] }).kind).toBe("deny");
  });
});

describe("an edit of a protected file is asked about unless an allow rule names it literally", () => {
  test.each([
    [".git/config", "edit(**)", "ask"],
    [".git/config", "edit(.g*/**)", "ask"],
    [".git/config", "edit(.git/**)", "allow"],
    [".git/config", "edit(.git/config)", "allow"],
    ["sub/.git/config", "edit(sub/**)", "ask"],
    [".git/AGENTS.md", "edit(**/AGENTS.md)", "ask"],
    ["sub/AGENTS.md", "edit(**/AGENTS.md)", "allow"],
    ["AGENTS.md", "edit(*.md)", "ask"],
    ["agents.md", "edit(**)", "ask"],
    ["agents.md", "edit(agents.md)", "allow"],
    [".rooignore", "edit(.*)", "ask"],
    [".signalbox/settings.yaml", "edit(**)", "ask"],
    [".signalbox/settings.yaml", "tool(write_to_file)", "ask"],
    [".orchestration/active_intents.yaml", "edit(**)", "ask"],
    [".orchestration/active_intents.yaml", "edit(.orchestration/**)", "allow"],
    ["CLAUDE.md", "edit(*)", "ask"],
    [".roo/rules/a.md", "edit(*)", "ask"],
    [".clinerules", "edit(*)", "ask"],
    [".roomodes", "edit(*)", "ask"],
    [".roomodes", "edit(.roomodes)", "allow"],
    [".mcp.json", "edit(*.json)", "ask"],
    [".mcp.json", "edit(.mcp.json)", "allow"],
    [".orchestration/agent_trace.jsonl", "edit(**)", "ask"],
    [".orchestration/agent_trace.jsonl", "edit(.orchestration/**)", "allow"],
    [".vscode/tasks.json", "edit(**)", "ask"],
    [".vscode/tasks.json", "edit(.vscode/*)", "allow"],
    [".idea/a.xml", "edit(**)", "ask"],
    [".husky/pre-commit", "edit(**)", "ask"],
    [".envrc", "edit(**)", "ask"],
    ["package-lock.json", "edit(*.json)", "ask"],
    ["package-lock.json", "edit(package-lock.json)", "allow"],
    ["sub/PNPM-lock.yaml", "edit(sub/**)", "ask"],
    ["yarn.lock", "edit(*)", "ask"],
    ["Cargo.lock", "edit(*)", "ask"],
    ["go.sum", "edit(*)", "ask"],
    ["package.json", "edit(*)", "allow"],
    ["go.sum/a.lock", "edit(**/a.lock)", "ask"],
    [".gitignore", "edit(*)", "allow"],
    ["src/AGENTS.md.ts", "edit(*)", "allow"],
  ])("%s with %s: %s", async (file, rule, kind) => {
    expect((await judge(given({ allow: [rule] }), edit(file))).kind).toBe(kind);
  });

  test("its real path also counts", async () => {
    const linked = at("src/a", ".git/config");
    expect((await judge(given({ allow: ["edit(**)"] }), edit(linked))).kind).toBe("ask");
    expect((await judge(given({ allow: ["edit(**)"] }, "auto"), read(linked))).kind).toBe("allow");
  });
});

describe("a rule that is not valid is rejected with its origin and what was expected", () => {
  test.each([
    ["", "one of read(GLOB)"],
    ["read", "one of read(GLOB)"],
    ["Read(a)", "one of read(GLOB)"],
    ["constructor(a)", "one of read(GLOB)"],
    ["subtask()", "one of read(GLOB)"],
    ["read()", "read(GLOB) with a glob"],
    ["read(../a)", "read(GLOB) with a glob"],
    ["read(a//b)", "read(GLOB) with a glob"],
    ["read(a/./b)", "read(GLOB) with a glob"],
    ["edit(~/a)", "edit(GLOB) with a glob"],
    ["edit(!a)", "edit(GLOB) with a glob"],
    ["edit([ab])", "edit(GLOB) with a glob"],
    ["edit({a,b})", "edit(GLOB) with a glob"],
    ["edit(a\\b)", "edit(GLOB) with a glob"],
    ["edit(a\nb)", "edit(GLOB) with a glob"],
    ["command()", "command(WORDS) with the words of one command"],
    ["command(a; b)", "command(WORDS) with the words of one command"],
    ["command(a &)", "command(WORDS) with the words of one command"],
    ["command(a $x)", "command(WORDS) with the words of one command"],
    ["command(a:*)", "command(WORDS) with the words of one command"],
    ["command(* a)", "command(WORDS) with the words of one command"],
    ["command(a > b)", "command(WORDS) with the words of one command"],
    ["command(~/a)", "command(WORDS) with the words of one command"],
    ["command(A=1 b)", "command(WORDS) with the words of one command"],
    ["command('a)", "command(WORDS) with the words of one command"],
    ["fetch()", "fetch(DOMAIN) with a host"],
    ["fetch(https://example.com)", "fetch(DOMAIN) with a host"],
    ["fetch(example.com:443)", "fetch(DOMAIN) with a host"],
    ["fetch(example.com/a)", "fetch(DOMAIN) with a host"],
    ["fetch(me@example.com)", "fetch(DOMAIN) with a host"],
    ["fetch(a..b)", "fetch(DOMAIN) with a host"],
    ["fetch(.example.com)", "fetch(DOMAIN) with a host"],
    ["fetch(a.*.com)", "fetch(DOMAIN) with a host"],
    ["fetch(**.com)", "fetch(DOMAIN) with a host"],
    ["fetch(*.)", "fetch(DOMAIN) with a host"],
    ["fetch(*.0.0.1)", "fetch(DOMAIN) with a host"],
    ["fetch(a b)", "fetch(DOMAIN) with a host"],
    ["fetch(::1)", "fetch(DOMAIN) with a host"],
    ["mcp(git)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["mcp(*)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["mcp(git/)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["mcp(/log)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["mcp(git/get_*)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["mcp(git/a\u0000)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["mcp(git /log)", "mcp(SERVER/TOOL) with the name of an MCP server"],
    ["tool(a b)", "tool(NAME) with the canonical name"],
  ])("%j", (rule, expected) => {
    const parse = () => byRules({ sources: [{ origin: "file.yaml", deny: [rule] }] });
    expect(parse).toThrow(ToolError);
    expect(parse).toThrow(`The rule '${rule}' of deny in file.yaml is not valid: expected ${expected}`);
    expect(parse).toThrow(expect.objectContaining({ code: "RULE_INVALID" }));
  });
});

describe("an explanation has the verdict, its reason and all rules that are about the call", () => {
  const options: RuleOptions = {
    sources: [
      { origin: "a", allow: ["command(npm *)", "read(**)"], ask: ["command(npm publish *)"] },
      { origin: "b", allow: ["command(*)"], deny: ["command(rm *)"] },
    ],
  };
  const explain = (call: Call) =>
    byRules(options).explain(
      { tool: toolNamed("execute_command"), input: {} },
      {
        workspace: "/w",
        description: { text: "", paths: [at(".")], command: String(call[1]) },
      },
    );

  test("by level, the most specific first", () => {
    expect(explain(run("npm publish; rm x"))).toEqual({
      verdict: {
        kind: "deny",
        rule: "command(rm *) in b",
        reason: "'rm x' is not permitted. Continue without it, or ask the user.",
      },
      because: "denied by command(rm *) in b: 'rm x' is not permitted",
      matches: [
        { level: "deny", rule: "command(rm *)", origin: "b", matches: "yes" },
        { level: "ask", rule: "command(npm publish *)", origin: "a", matches: "yes" },
        { level: "allow", rule: "command(npm *)", origin: "a", matches: "part" },
        { level: "allow", rule: "command(*)", origin: "b", matches: "yes" },
      ],
      judges: [
        { judge: "question", level: null, because: null },
        {
          judge: "rules",
          level: "denial",
          because: "denied by command(rm *) in b: 'rm x' is not permitted",
        },
        { judge: "permission mode", level: null, because: null },
      ],
    });
  });

  test.each([
    ["npm test", "allowed by command(npm *) in a"],
    ["npm publish x", "command(npm publish *) in a matches 'npm publish x'"],
    ["npm $x", "command(npm publish *) in a may match 'npm $x'"],
    ["cat <<EOF", "the command line has a here-document"],
    ["source a", "what 'source a' runs is known only at run time"],
  ])("%s: %s", (command, because) => {
    expect(explain(run(command)).because).toBe(because);
  });

  test("also of what no rule allows", () => {
    const call = { tool: toolNamed("write_to_file"), input: {} };
    const facts = { workspace: "/w", description: { text: "", paths: [at("a")] } };
    const because = (rules: Rules) => given(rules).explain(call, facts).because;
    expect(because({})).toBe("no rule allows write_to_file on 'a'");
    expect(given({}, "bypass").explain(call, facts).because).toBe(
      "no rule allows write_to_file on 'a', and mode bypass asks nobody",
    );
    const guarded = { ...facts, description: { text: "", paths: [at(".git/a")] } };
    expect(given({ allow: ["edit(*)"] }).explain(call, guarded).because).toBe(
      "write_to_file on '.git/a' is a protected file, and no rule that allows it names it literally",
    );
    const ignored = { ...facts, description: { text: "", paths: [{ ...at("a"), ignored: true }] } };
    expect(given({ allow: ["edit(*)"] }).explain(call, ignored).because).toBe("'a' is blocked by .rooignore");
  });
});

describe("no spelling of a path evades a deny rule", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "permissions-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, "secret"));
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "secret/key"), "");
  symlinkSync("../secret", path.join(folder, "src/folder"));
  symlinkSync("../secret/key", path.join(folder, "src/file"));
  symlinkSync("../secret/new", path.join(folder, "src/dangling"));

  const kindOf = async (rules: Rules, tool: string, named: string) => {
    const workspace = await openWorkspace(folder);
    const facts = { workspace: folder, description: { text: "", paths: [await workspace.resolve(named)] } };
    return (await given(rules)({ tool: toolNamed(tool), input: {} }, facts)).kind;
  };
  const rules = {
    allow: ["read(**)", "edit(**)"],
    deny: ["read(secret/**)", "edit(secret/**)", "edit(caf\u00e9)", "edit(*.\u00df)"],
  };

  test.each([
    "secret/key",
    "./secret/key",
    "src/../secret/key",
    "SECRET/key",
    "src/folder/key",
    "src/folder/new",
    "src/file",
    "src/dangling",
    "secret",
    "secret/",
    `${folder}/secret/key`,
    "secret/key".replace("s", "\u017f"),
    "caf\u00e9",
    "cafe\u0301",
    "CAFE\u0301/x",
    "a.SS",
  ])("%s", async (named) => {
    expect(await kindOf(rules, "write_to_file", named)).toBe("deny");
  });

  test("an allow rule must match the given and the real path", async () => {
    for (const allow of ["read(src/**)", "read(secret/**)"])
      expect(await kindOf({ allow: [allow] }, "read_file", "src/file")).toBe("ask");
    expect(await kindOf({ allow: ["read(src/**)", "read(secret/**)"] }, "read_file", "src/file")).toBe("ask");
    expect(await kindOf({ allow: ["read(**)"] }, "read_file", "src/file")).toBe("allow");
    expect(await kindOf({ allow: ["read(SRC/**)"] }, "read_file", "src/a")).toBe("ask");
  });

  test("a search of a folder that may contain a denied file is asked about", async () => {
    for (const folder of [".", "secret/..", "src/.."])
      expect(await kindOf(rules, "search_files", folder)).toBe("ask");
    expect(await kindOf(rules, "search_files", "src")).toBe("allow");
    expect(await kindOf(rules, "search_files", "src/folder")).toBe("deny");
    expect(await kindOf(rules, "list_files", ".")).toBe("allow");
    const deep = { allow: ["read(**)"], deny: ["read(a/*/key)", "read(*.pem)"] };
    expect(await kindOf(deep, "search_files", "src")).toBe("ask");
    expect(await kindOf({ ...deep, deny: ["read(a/*/key)"] }, "search_files", "A/b")).toBe("ask");
    expect(await kindOf({ ...deep, deny: ["read(a/*/key)"] }, "search_files", "ab")).toBe("allow");
  });
});

describe("a command line for a shell that is not a POSIX shell is asked about, whatever is allowed", () => {
  const kindIn = (shell: string, rules: Rules, command: string, mode: PermissionMode = "ask") => {
    const facts = { workspace: "/w", shell, description: { text: "", paths: [at(".")], command } };
    return given(rules, mode)({ tool: toolNamed("execute_command"), input: {} }, facts).kind;
  };
  const rules = { allow: ["command(*)", "tool(execute_command)"], deny: ["command(rm *)"] };

  test.each([
    "/usr/bin/fish",
    "/bin/zsh",
    "/bin/csh",
    "C:\\Windows\\cmd.exe",
    "/usr/bin/pwsh",
    "/usr/bin/nu",
    "",
  ])("%s", (shell) => {
    for (const mode of ["ask", "auto"] as const) expect(kindIn(shell, rules, "ls", mode)).toBe("ask");
    expect(kindIn(shell, rules, "ls; rm a")).toBe("deny");
    expect(kindIn(shell, rules, "ls", "bypass")).toBe("deny");
    expect(kindIn(shell, {}, "ls", "bypass")).toBe("allow");
  });

  test.each(["/bin/sh", "/bin/bash", "/usr/bin/dash", "C:\\Git\\bin\\BASH.EXE"])(
    "but not for %s",
    (shell) => {
      expect(kindIn(shell, rules, "ls")).toBe("allow");
    },
  );
});

describe("no form of a command line evades a deny rule", () => {
  const rules = { allow: ["command(*)"], deny: ["command(rm *)"] };
  test.each([
    "a;rm b",
    "a\nrm b",
    "a $(rm b)",
    'a "`rm b`"',
    "sudo -u root rm b",
    "A=1 rm b",
    "env -i A=1 rm b",
    "sh -c 'a; rm b'",
    "sh -c 'sh -c \"rm b\"'",
    "eval rm b",
    "RM b",
    "/bin/rm b",
    "r'm' b",
    "xargs rm < a",
    "cat <<EOF\nrm\nEOF\nrm b",
  ])("%j is denied", async (command) => {
    expect((await judge(given(rules), run(command))).kind).toBe("deny");
    expect((await judge(given(rules, "bypass"), run(command))).kind).toBe("deny");
  });

  test.each(["$x b", "sudo $x", "sh -c $x", "r? b", "sudo -u $x a"])(
    "%j is asked about, and denied where nobody is asked",
    async (command) => {
      expect((await judge(given(rules), run(command))).kind).toBe("ask");
      expect((await judge(given(rules, "bypass"), run(command))).kind).toBe("deny");
      expect((await judge(given({}, "bypass"), run(command))).kind).toBe("allow");
    },
  );

  test("a command line that can't be judged is denied in bypass only where a rule denies commands", async () => {
    const script = run("sh <<EOF\nb\nEOF");
    expect((await judge(given({ deny: ["command(b *)"] }, "bypass"), script)).kind).toBe("deny");
    expect((await judge(given({ deny: ["edit(b)"] }, "bypass"), script)).kind).toBe("allow");
  });

  test.each([
    "npm test; b",
    "npm test $(b)",
    "sudo npm test",
    "A=1 npm test",
    "sh -c 'npm test'",
    "npm test\nb",
  ])("%j is not allowed by a rule for npm", async (command) => {
    expect((await judge(given({ allow: ["command(npm test *)"] }), run(command))).kind).toBe("ask");
  });

  test("the command of find ends at its end mark", async () => {
    const rules = { allow: ["command(*)"], deny: ["command(job build)"] };
    expect((await judge(given(rules), run("find . -exec job a \\; -exec job build \\;"))).kind).toBe("deny");
    expect((await judge(given(rules), run("find . -exec job build {} + -quit"))).kind).toBe("ask");
    expect((await judge(given(rules), run("find . -exec job build a \\;"))).kind).toBe("allow");
  });

  test("quoted digits before a redirect are a word", async () => {
    const rules = { allow: ["command(*)"], deny: ["command(kill 9)"] };
    expect((await judge(given(rules), run("kill '9'>/dev/null"))).kind).toBe("deny");
    expect((await judge(given(rules), run("kill 9>/dev/null"))).kind).toBe("allow");
  });

  test("a word that is known only at run time may be one that is denied", async () => {
    const push = { allow: ["command(git *)"], deny: ["command(git push)"] };
    expect((await judge(given(push), run("git $x"))).kind).toBe("ask");
    expect((await judge(given(push), run("git push $x"))).kind).toBe("ask");
    expect((await judge(given(push), run("git push $x a"))).kind).toBe("allow");
    expect((await judge(given(push), run("git log $x"))).kind).toBe("allow");
  });
});

describe("rules of the session are judged with the rules of the sources", () => {
  const inSession = (rules: readonly SessionRule[], call: Call) => {
    const policy = byRules({ sources: [{ origin: "s", allow: ["read(a)"], deny: ["read(b)"] }] });
    return judge((judged, facts) => policy(judged, { ...facts, permissions: { mode: "ask", rules } }), call);
  };
  const allowAll: SessionRule = { level: "allow", rule: "read(**)" };

  test("and their origin is this session", async () => {
    expect(await inSession([allowAll], read("c"))).toEqual({
      kind: "allow",
      rule: "read(**) in this session",
    });
  });

  test("a denial of either holds", async () => {
    expect((await inSession([allowAll], read("b"))).kind).toBe("deny");
    expect((await inSession([{ level: "deny", rule: "read(a)" }], read("a"))).kind).toBe("deny");
  });

  test("a rule that was removed allows nothing", async () => {
    expect((await inSession([], read("c"))).kind).toBe("ask");
  });
});
