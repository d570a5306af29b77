import { describe, expect, test } from "vitest";
import type { PermissionMode } from "../../../machines/tool-call/permissions.ts";
import type { Restriction } from "../../../machines/tool-call/restriction.ts";
import { allowEverything, byRules, type Policy } from "../../../tools/index.ts";
import { restrictedPolicy } from "../../../tools/judge/restricted.ts";
import { suggestedRules } from "../../../tools/policy/suggested-rules.ts";

const SHELL = { name: "execute_command", group: "command", effect: "executes", ask: "command" } as const;
const rules = (...given: NonNullable<Restriction["rules"]>): readonly Restriction[] => [{ rules: given }];
const asks = (rule: string) => ({ level: "ask", rule }) as const;
const denies = (rule: string) => ({ level: "deny", rule }) as const;

const factsOf = (command: string, mode: PermissionMode) => ({
  workspace: "/w",
  description: { text: command, command, paths: [] },
  permissions: { mode, rules: [] },
});
const verdictOf = async (policy: Policy, command: string, mode: PermissionMode = "ask") =>
  (await policy({ tool: SHELL, input: { command } }, factsOf(command, mode))).kind;

describe("a policy with restrictions (GRANT)", () => {
  const open = byRules({
    sources: [{ origin: "x", allow: ["command(npm *)"], deny: ["command(npm publish *)"] }],
  });

  test("has the stricter verdict of both, also where its own judge reads no rules", async () => {
    for (const policy of [open, allowEverything()]) {
      const restricted = restrictedPolicy(
        policy,
        rules(denies("command(npm test *)"), asks("command(npm run *)")),
      );
      expect(await verdictOf(restricted, "npm test a")).toBe("deny");
      expect(await verdictOf(restricted, "npm run a")).toBe("ask");
      expect(await verdictOf(restricted, "npm view a")).toBe("allow");
    }
    const asking = restrictedPolicy(open, rules(asks("command(npm publish *)")));
    expect(await verdictOf(asking, "npm publish a")).toBe("deny");
    expect(await verdictOf(asking, "npm publish a", "bypass")).toBe("deny");
  });

  test("in mode bypass lets no rule ask, and denies what a rule that denies may match", async () => {
    const restricted = restrictedPolicy(open, rules(asks("command(npm run *)"), denies("command(rm *)")));
    expect(await verdictOf(restricted, "npm run a", "bypass")).toBe("allow");
    expect(await verdictOf(restricted, "$X a", "bypass")).toBe("deny");
    expect(await verdictOf(restricted, "$X a", "auto")).toBe("ask");
  });

  test("is the policy itself where no rule restricts it", () => {
    expect(restrictedPolicy(open, [{ level: "ask", tools: ["read"] }])).toBe(open);
  });

  test("explains a verdict with the rule and its origin, and no other rule is suggested", () => {
    const restricted = restrictedPolicy(open, rules(asks("command(npm run *)")));
    const call = { tool: SHELL, input: {} };
    const facts = factsOf("npm run a", "ask");
    expect(restricted.explain?.(call, facts)).toMatchObject({
      verdict: { kind: "ask" },
      because: "command(npm run *) in the call that started this subtask matches 'npm run a'",
      matches: [{ rule: "command(npm run *)" }, { rule: "command(npm *)" }],
    });
    expect(restricted.explain?.(call, factsOf("npm view a", "ask"))).toMatchObject({
      verdict: { kind: "allow" },
    });
    expect(suggestedRules(restricted, call, facts)).toEqual([]);
    expect(restrictedPolicy(allowEverything(), rules(asks("command(*)"))).explain).toBeUndefined();
  });
});
