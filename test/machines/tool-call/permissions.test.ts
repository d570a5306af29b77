import { describe, expect, test } from "vitest";
import {
  onlyPermitsMore,
  type PermissionMode,
  type SessionRule,
} from "../../../machines/tool-call/permissions.ts";

const [ALLOW, ASK, DENY] = (["allow", "ask", "deny"] as const).map(
  (level): SessionRule => ({ level, rule: "edit(a)" }),
);
const now = (mode: PermissionMode, ...rules: readonly (SessionRule | undefined)[]) => ({
  mode,
  rules: rules.filter((rule) => rule !== undefined),
});

describe("a change of what is permitted only permits more", () => {
  test.each([
    ["with a later mode", now("ask"), { mode: "auto-edit" as const }],
    ["with a rule that allows", now("ask", DENY), now("ask", DENY, ALLOW)],
    ["without a rule that denies", now("ask", DENY), now("ask")],
    ["without a rule that asks", now("plan", ASK, ALLOW), now("auto", ALLOW)],
  ])("%s", (_, before, change) => {
    expect(onlyPermitsMore(before, change)).toBe(true);
  });
});

describe("a change of what is permitted may permit less", () => {
  test.each([
    ["that names nothing: the policy has changed", now("ask"), {}],
    ["that names what is permitted now", now("ask", DENY), now("ask", DENY)],
    ["with an earlier mode", now("auto"), { mode: "ask" as const }],
    ["with a rule that denies, also beside a later mode", now("ask"), now("bypass", DENY)],
    ["with a rule that asks, also beside one that allows", now("ask"), now("ask", ASK, ALLOW)],
    ["without a rule that allows", now("ask", ALLOW), now("ask")],
  ])("%s", (_, before, change) => {
    expect(onlyPermitsMore(before, change)).toBe(false);
  });
});
