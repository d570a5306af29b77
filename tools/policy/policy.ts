import type { Input, Verdict } from "../../machines/tool-call/index.ts";
import type { Description, Tool } from "../tool.ts";

/** A call that a policy judges. */
export interface PolicyCall {
  readonly tool: Pick<Tool, "name" | "group" | "effect" | "ask">;
  readonly input: Input;
}

/** What is known of it. */
export interface PolicyFacts {
  readonly workspace: string;
  readonly description: Description;
  /** The task is a subtask: then its completion can be allowed too. */
  readonly subtask?: boolean;
}

/** Who may do what: judges a call before any ask of it is complete. */
export type Policy = (call: PolicyCall, facts: PolicyFacts) => Verdict | Promise<Verdict>;
