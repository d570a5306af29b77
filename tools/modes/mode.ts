import type { ToolGroup } from "../tool.ts";

/** A group of tools that a mode permits. The tools of group `always` are permitted in each mode. */
type ModeGroup = Extract<ToolGroup, "read" | "edit" | "command" | "fetch" | "mcp">;

/** The files that a mode may edit. */
export interface FilePattern {
  /**
   * A regular expression of RE2, at most 1,000 characters, that is searched in the path: relative to the workspace, with
   * forward slashes.
   */
  readonly pattern: string;
  /** Such as `Markdown files only`. */
  readonly description?: string;
}

/** The permission of a mode for one group. */
export type ModePermission =
  | { readonly group: Exclude<ModeGroup, "edit"> }
  /** Without `files`, every file can be edited. */
  | { readonly group: "edit"; readonly files?: FilePattern };

/** One kind of work: who the model is, and which tools it can use. */
export interface Mode {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly slug: string;
  readonly name: string;
  /** The first part of the system prompt. */
  readonly role: string;
  /** When to select it: for the model that switches modes. */
  readonly whenToUse?: string;
  /** At most one of each group. */
  readonly permissions: readonly ModePermission[];
  /** Added to the system prompt, after the rules of the workspace. */
  readonly instructions?: string;
  /** The file that defines it. Absent: built in. */
  readonly origin?: string;
}
