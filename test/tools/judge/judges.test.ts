import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { combine, type Opinion, opinionOf } from "../../../machines/judge/opinion.ts";
import { createModes } from "../../../tools/index.ts";
import { judgedCall } from "../../../tools/judge/call.ts";
import { JUDGES, type JudgeState } from "../../../tools/judge/judges.ts";
import { matchRules } from "../../../tools/judge/rules.ts";
import { parseRules } from "../../../tools/policy/permission-rule.ts";

const path = { path: "a", real: "/w/a", inside: true, ignored: false };
const tool = { name: "write_to_file", group: "edit", effect: "writes", ask: "tool" } as const;
const callOf = (effect: "writes" | "asks", inside = true) =>
  judgedCall(
    { tool: { ...tool, effect }, input: {} },
    { workspace: "/w", description: { text: "", paths: [{ ...path, inside }] } },
  );
const write = callOf("writes");
const rules = matchRules(parseRules([{ origin: "x", deny: ["edit(a)"] }]), write);
const modes = createModes();

const CASES: Record<string, readonly [ReturnType<typeof callOf>, JudgeState, level: string, JudgeState]> = {
  mode: [write, { use: { mode: "ask", modes } }, "denial", { use: { mode: "code", modes } }],
  confinement: [callOf("writes", false), {}, "denial", {}],
  intent: [write, { selectionError: "n" }, "denial", {}],
  subtask: [write, { subtaskError: "n" }, "denial", {}],
  question: [callOf("asks"), {}, "question", {}],
  rules: [write, { rules }, "denial", {}],
  "permission mode": [write, { rules, permissionMode: "plan" }, "denial", { rules, permissionMode: "ask" }],
};

describe("a judge", () => {
  const pure = JUDGES.filter((judge) => judge.stage !== "task");

  test.each(pure)("$name has its opinion, and none where it has no reason", ({ name, opinion }) => {
    const [call, state, level, silent] = CASES[name] ?? [write, {}, "missing", {}];
    expect(opinion(call, state)?.level).toBe(level);
    expect(opinion(write, silent)).toBeUndefined();
  });
});

const because = "any";
const opinion = fc.constantFrom<Opinion>(
  opinionOf({ kind: "deny", rule: "d", reason: "n" }),
  opinionOf({ kind: "ask" }),
  opinionOf({ kind: "allow", rule: "a" }),
  { level: "question", verdict: { kind: "ask" }, because },
  { level: "condition", verdict: { kind: "ask" }, because },
  { level: "default", verdict: { kind: "ask" }, because },
  { level: "substitute", because, instead: () => ({ verdict: { kind: "allow", rule: "s" }, because }) },
);

describe("the combined verdict", () => {
  const has = (all: readonly Opinion[], level: Opinion["level"]) => all.some((each) => each.level === level);

  test("does not depend on the order of the judges, and is deny before ask before allow", () => {
    fc.assert(
      fc.property(fc.array(opinion), (all) => {
        const { kind } = combine(all).verdict;
        expect(combine(all.toReversed()).verdict.kind).toBe(kind);
        const isAsked =
          has(all, "question") || has(all, "condition") || (has(all, "objection") && !has(all, "substitute"));
        if (has(all, "denial")) expect(kind).toBe("deny");
        else if (isAsked) expect(kind).toBe("ask");
        else expect(kind).toBe(has(all, "permission") || has(all, "substitute") ? "allow" : "ask");
      }),
    );
  });
});
