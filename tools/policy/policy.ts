import type { Opinion } from "../../machines/judge/opinion.ts";
import type { Input, Verdict } from "../../machines/tool-call/call.ts";
import type { PermissionLevel, PermissionState } from "../../machines/tool-call/permissions.ts";
import type { Description, Tool } from "../tool.ts";

/** A tool call that a policy judges. */
export interface PolicyCall {
  readonly tool: Pick<Tool, "name" | "group" | "effect" | "ask" | "requires">;
  readonly input: Input;
}

/** Context of the tool call. */
export interface PolicyFacts {
  readonly workspace: string;
  readonly description: Description;
  /** Whether the task is a subtask, whose completion a policy can allow. */
  readonly subtask?: boolean;
  /** Path of the program that interprets command lines. Default: `/bin/sh`. */
  readonly shell?: string;
  /** Whether commands run in a sandbox, so that mode `auto` asks about none of them. Default false. */
  readonly isContained?: boolean;
  /** Whether the task has an intent, and what the call changes is not known: a person is asked unless a rule allows it. */
  readonly isUnscoped?: boolean;
  /** The permissions that the user gives at run time. Default: mode `ask` without rules of the session. */
  readonly permissions?: Pick<PermissionState, "mode" | "rules">;
  /** Unique in the task: a call may be judged again, when the permissions or its arguments change. */
  readonly callId?: string;
}

/** A rule that is about a call. */
export interface PermissionMatch {
  readonly level: PermissionLevel;
  readonly rule: string;
  readonly origin: string;
  /**
   * `yes`: it matches the call; of an allow rule: all of it. `part`: an allow rule matches only some of its paths or
   * commands. `maybe`: what it matches is known only at run time, so a person is asked.
   */
  readonly matches: "yes" | "part" | "maybe";
}

/** The opinion of one judge. `level` is null where it has none; `because` then says why, or is null. */
export interface JudgeLine {
  readonly judge: string;
  readonly level: Opinion["level"] | null;
  readonly because: string | null;
}

/** A verdict with its grounds. */
export interface PermissionExplanation {
  readonly verdict: Verdict;
  /** A clause that says why. */
  readonly because: string;
  /** All rules that are about the call: by level, the most specific first. */
  readonly matches: readonly PermissionMatch[];
  /** The opinion of each judge of the policy, in their order. `level` is null where it has none. */
  readonly judges?: readonly JudgeLine[];
}

/** Judges a tool call: allow, deny, or ask the user. */
export interface Policy {
  (call: PolicyCall, facts: PolicyFacts): Verdict | Promise<Verdict>;
  /** Explain a verdict. Only a policy that takes the rules of the session does it: a person can add one at an ask. */
  readonly explain?: (call: PolicyCall, facts: PolicyFacts) => PermissionExplanation;
}
