import type { Input, PermissionState, Verdict } from "../../machines/tool-call/index.ts";
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
  /** What the user permits at run time. Default: mode `ask` without rules of the session. */
  readonly permissions?: Pick<PermissionState, "mode" | "rules">;
}

/** Judges a tool call: allow, deny, or ask the user. */
export type Policy = (call: PolicyCall, facts: PolicyFacts) => Verdict | Promise<Verdict>;
