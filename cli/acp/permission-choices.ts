import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import { printable } from "../../client/printable/printable.ts";
import type { ApprovalAsk, Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";

type PermissionsResult = ReturnType<Task["changePermissions"]>;

/** One answer that a person can give to an ask. */
export interface PermissionChoice extends PermissionOption {
  /** Give it. Refused for an ask that was answered or withdrawn in between (L8). */
  give(): AnswerResult | PermissionsResult;
}

/** Rules that are offered: the narrowest, and a wider one. */
const RULES_MAX = 2;

/**
 * The answers to an ask about a tool call. "Always" adds a rule to those of the session.
 *
 * @param root the task whose permissions change, with those of its subtasks
 * @param offersRules whether the user did not ask to see every call
 */
export function permissionChoices(
  ask: ApprovalAsk,
  root: Task,
  offersRules: boolean,
): readonly PermissionChoice[] {
  const rules = offersRules ? ask.rules.slice(0, RULES_MAX) : [];
  return [
    { optionId: "allow", name: "Allow", kind: "allow_once", give: () => ask.approve() },
    ...rules.map(
      (rule): PermissionChoice => ({
        optionId: `allow ${rule}`,
        name: `Always allow ${printable(rule)} in this session`,
        kind: "allow_always",
        give: () => ask.approve({ rule }),
      }),
    ),
    { optionId: "reject", name: "Reject", kind: "reject_once", give: () => ask.reject() },
    ...rules.slice(0, 1).map(
      (rule): PermissionChoice => ({
        optionId: `reject ${rule}`,
        name: `Never allow ${printable(rule)} in this session`,
        kind: "reject_always",
        // The ask is withdrawn, and the rule denies its call.
        give: () => denyAlways(root, rule),
      }),
    ),
  ];
}

function denyAlways(root: Task, rule: string): PermissionsResult {
  return root.changePermissions(({ rules }) => ({ rules: [...rules, { level: "deny", rule }] }));
}

/** The answers to the ask that a subtask rests on. Undefined: its parent's answer is also its own. */
export function subtaskChoices(ask: Ask): readonly PermissionChoice[] | undefined {
  const either = (yes: string, no: string, accept: () => AnswerResult, decline: () => AnswerResult) =>
    [
      { optionId: "allow", name: yes, kind: "allow_once", give: accept },
      { optionId: "reject", name: no, kind: "reject_once", give: decline },
    ] as const;
  switch (ask.kind) {
    case "completion_result":
      return either("Accept the result of the subtask", "Decline it", ask.accept, ask.decline);
    case "api_req_failed":
      return either("Retry the failed request of the subtask", "End the subtask", ask.retry, ask.decline);
    case "mistake_limit_reached":
    case "auto_approval_max_req_reached":
      return either("Continue the subtask beyond its limit", "End the subtask", ask.proceed, ask.decline);
    default:
      return undefined;
  }
}
