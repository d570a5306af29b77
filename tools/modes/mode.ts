import type { ToolGroup } from "../tool.ts";

/** A group of tools that a mode permits. The tools of group `always` are permitted in each mode. */
export type ModeGroup = Extract<ToolGroup, "read" | "edit" | "command" | "mcp">;

/** What a mode permits of one group. */
export interface ModePermission {
  readonly group: ModeGroup;
  /** Of `edit`: the files that may be changed. Absent: all. */
  readonly files?: {
    /** A regular expression that is searched in the path, relative to the workspace, with forward slashes. */
    readonly pattern: string;
    /** Such as `Markdown files only`. */
    readonly description?: string;
  };
}

/** One kind of work: who the model is, and which tools it may use. */
export interface Mode {
  readonly slug: string;
  readonly name: string;
  /** The first part of the system prompt. */
  readonly role: string;
  /** When to select it: for the model that switches modes. */
  readonly whenToUse?: string;
  readonly permissions: readonly ModePermission[];
  /** Added to the system prompt, after the rules of the workspace. */
  readonly instructions?: string;
  /** Name of the profile whose model its requests go to. Absent: the task's model. */
  readonly profile?: string;
  /** The file that defines it. Absent: built in. */
  readonly origin?: string;
}
