import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { PermissionMode } from "../../../machines/tool-call/permissions.ts";
import { builtinTools, byRules } from "../../../tools/index.ts";
import type { PermissionSource } from "../../../tools/policy/permission-rule.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { runs } from "../../support/campaigns.ts";
import { commandLine } from "../../support/command-lines.ts";
import { SHELLS, tracedShell } from "../../support/traced-shell.ts";

const tool = createRegistry(builtinTools()).find("execute_command");
if (tool === undefined) throw new Error("no tool");
const call = { tool, input: {} };

interface RuleSet {
  readonly rules: Omit<PermissionSource, "origin">;
  readonly mode: PermissionMode;
  /** What an allowed line may start. */
  readonly permitted: RegExp;
}

const RULE_SETS: readonly RuleSet[] = [
  {
    rules: { allow: ["command(good)", "command(list *)", "command(job test *)"] },
    mode: "ask",
    // What a plain wrapper runs is recorded, too.
    permitted: /^((timeout|nice|nohup|env)( .*)?|good|list( .*)?|job test( .*)?)$/s,
  },
  {
    rules: { allow: ["command(*)"], deny: ["command(bad *)", "command(job build)"] },
    mode: "ask",
    permitted: /^(?!bad( |$)|job build$|job bad$)/,
  },
  { rules: { ask: ["command(bad *)"] }, mode: "auto", permitted: /^(?!bad( |$))/ },
];

const shell = tracedShell(["good", "list", "job", "bad", "test", "echo", "GOOD"]);
afterAll(() => shell[Symbol.dispose]());

/** Judged command lines, of all rule sets together. */
const LINES = runs(40_000, 6_000);

describe("an allowed command line starts no program that the rules don't allow", () => {
  const allowedBy = RULE_SETS.map(() => new Set<string>());

  test(`${LINES} lines are judged, and some are allowed`, () => {
    const judges = RULE_SETS.map(({ rules, mode }) => {
      const policy = byRules({ sources: [{ origin: "s", ...rules }] });
      return (command: string) => {
        const description = { text: command, paths: [], command };
        return policy(call, { workspace: "/w", description, permissions: { mode, rules: [] } }).kind;
      };
    });
    fc.assert(
      fc.property(commandLine, (line) => {
        for (const [at, judge] of judges.entries()) if (judge(line) === "allow") allowedBy[at]?.add(line);
      }),
      { numRuns: LINES },
    );
    // Of 40,000 lines at least 800 different ones.
    for (const allowed of allowedBy) expect(allowed.size).toBeGreaterThanOrEqual(LINES / 100);
    expect(new Set(allowedBy.flatMap((allowed) => [...allowed])).size).toBeGreaterThanOrEqual(LINES / 50);
  });

  test.each(SHELLS)(
    "in %s",
    (program) => {
      const lines = [...new Set(allowedBy.flatMap((allowed) => [...allowed]))];
      const started = shell.run(program, lines);
      for (const [at, { permitted }] of RULE_SETS.entries()) {
        const allowed = allowedBy[at];
        const ofAllowed = started.filter(({ line }) => allowed?.has(line));
        expect(ofAllowed.length).toBeGreaterThan((allowed?.size ?? 0) / 3);
        expect(ofAllowed.filter((each) => !permitted.test(each.program))).toEqual([]);
      }
    },
    // Tens of thousands of lines, of a few processes each.
    1_800_000,
  );
});

test("the stubs record what a line starts, also behind wrappers", () => {
  const lines = ["sudo bad", "sh -c 'bad a; good'", "list $(bad)"];
  expect(shell.run("/bin/sh", lines).map(({ program }) => program)).toEqual([
    ...["sudo bad", "bad", "sh -c bad a; good", "bad a", "good", "bad", "list"],
  ]);
  expect(shell.run("/bin/sh", lines).at(-1)?.line).toBe("list $(bad)");
});
