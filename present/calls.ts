import type { Todo } from "../wire/descriptor.ts";

/** A part of a call's title. A `verb` says what the call does, a `value` to what, and a `note` adds a remark. */
export interface TitlePart {
  readonly kind: "verb" | "value" | "note";
  /** A word before the text, such as `for`. */
  readonly word?: string;
  readonly text: string;
}

/** The content of a call: a change, a message, a command, or arguments. */
export type CallContent =
  /** A call that only reads: its title says all. */
  | { readonly kind: "none" }
  | { readonly kind: "command"; readonly command: string }
  /** Files to read, each with the lines if only a part of it is read. */
  | { readonly kind: "files"; readonly files: readonly { readonly path: string; readonly lines: string }[] }
  /** The text of a new file. */
  | { readonly kind: "file"; readonly text: string }
  /** A unified diff, or another text that says what changes. */
  | { readonly kind: "change"; readonly text: string }
  | { readonly kind: "plan"; readonly todos: readonly Todo[] }
  /** `given`: what the subtask is given besides, a line for each. */
  | {
      readonly kind: "subtask";
      readonly message: string;
      readonly todos: string;
      readonly given: readonly string[];
    }
  /** Arguments that were cut when they were recorded have no `fields`. */
  | { readonly kind: "arguments"; readonly given: string; readonly fields?: CallFields }
  /** The fields of a call without a text. */
  | { readonly kind: "fields"; readonly fields: CallFields };

type CallFields = Readonly<Record<string, unknown>>;

/** A tool call as its message describes it. */
export interface Call {
  /** The tool of the description, such as `appliedDiff`; `command` or `use_mcp_server` for the calls of these asks. */
  readonly tool: string;
  readonly title: readonly TitlePart[];
  readonly paths: readonly string[];
  readonly content: CallContent;
  /** Numbers of lines that a change adds and removes. */
  readonly stats?: { readonly added: number; readonly removed: number };
  readonly isOutsideWorkspace?: boolean | undefined;
  readonly isProtected?: boolean | undefined;
  /** Whether its lists were shortened when it was recorded. */
  readonly isCut?: boolean | undefined;
}
