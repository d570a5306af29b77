import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import { printable } from "../../client/printable/printable.ts";
import type { IdleAsk } from "../../machines/message/asks.ts";
import { ASK_VIEWS, callAnswers } from "../../present/asks.ts";
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
 * The answers to an ask about a tool call. "Always" adds a rule to the session.
 *
 * @param root the task whose permissions change, with the permissions of its subtasks
 * @param offersRules whether the user did not ask to see every call
 */
export function permissionChoices(
  ask: ApprovalAsk,
  root: Task,
  offersRules: boolean,
): readonly PermissionChoice[] {
  const { yes, no } = callAnswers(ask);
  const rules = offersRules ? ask.rules.slice(0, RULES_MAX) : [];
  return [
    { optionId: "allow", name: yes, kind: "allow_once", give: () => ask.approve() },
    ...rules.map(
      (rule): PermissionChoice => ({
        optionId: `allow ${rule}`,
        name: `Always allow ${printable(rule)} in this session`,
        kind: "allow_always",
        give: () => ask.approve({ rule }),
      }),
    ),
    { optionId: "reject", name: no, kind: "reject_once", give: () => ask.reject() },
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
  switch (ask.kind) {
    case "completion":
      return either(ask.type, ask.approve, ask.reject);
    case "failure":
      return either(ask.type, ask.approve, ask.reject);
    case "mistakes":
    case "limit":
      return either(ask.type, ask.approve, ask.reject);
    default:
      return undefined;
  }
}

function either(
  type: Exclude<IdleAsk, "resume_completed_task">,
  accept: () => AnswerResult,
  decline: () => AnswerResult,
): readonly PermissionChoice[] {
  const { yes, no } = ASK_VIEWS[type];
  return [
    { optionId: "allow", name: yes, kind: "allow_once", give: accept },
    { optionId: "reject", name: no, kind: "reject_once", give: decline },
  ];
}
