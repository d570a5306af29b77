import type { ImageBlock, TextBlock } from "../machines/conversation/index.ts";
import type { CallAsk, Effect, Input } from "../machines/tool-call/index.ts";
import type { NamedPath } from "./named-path.ts";
import type { DescribePorts, RunPorts } from "./ports.ts";

export type ToolGroup = "read" | "edit" | "command" | "mcp" | "always" | "custom";

/** What a person sees of a call before it runs, and what a policy decides by. */
export interface Description {
  /** The text of the call's row (a descriptor, the command, the question, the result). */
  readonly text: string;
  readonly paths: readonly NamedPath[];
  /** The command line of a call that executes. */
  readonly command?: string;
}

export interface ToolResult {
  readonly content: readonly (TextBlock | ImageBlock)[];
  /** The tool did its work and the work says that it failed: the model is told so, as an error. */
  readonly failed?: boolean;
  /** Of a command: what it wrote, bounded, and how it exited. */
  readonly command?: { readonly output: string; readonly exitCode?: number };
}

/** One call with arguments that fit: what it would do, and the doing. */
export interface PreparedCall {
  describe(ports: DescribePorts): Promise<Description>;
  run(ports: RunPorts): Promise<ToolResult>;
}

export type Preparation =
  | { readonly ok: true; readonly call: PreparedCall }
  /** One sentence for the model: which argument, what was expected, what came. */
  | { readonly ok: false; readonly error: string };

/** A tool as the runtime sees it: its arguments' type is closed over by `prepare`. */
export interface Tool {
  /** The canonical name: what every check sees. */
  readonly name: string;
  readonly displayName: string;
  readonly aliases: readonly string[];
  readonly group: ToolGroup;
  readonly description: string;
  /** JSON Schema of the arguments, as the model is told it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** Whether a call may be run again without harm (L12). */
  readonly replayable: boolean;
  readonly ask: CallAsk;
  /** The partial row's text from what has come of the arguments; undefined while there's nothing to show. */
  readonly partial: (input: Input) => string | undefined;
  readonly prepare: (input: Input) => Preparation;
}
