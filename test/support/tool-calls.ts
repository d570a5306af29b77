import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemShell } from "../../adapters/shell/shell.ts";
import { openWorkspace } from "../../adapters/workspace/workspace.ts";
import {
  builtinTools,
  type CodebaseIndex,
  type Description,
  OPTIONAL_TOOLS,
  type Tool,
  type ToolResult,
  type Workspace,
} from "../../tools/index.ts";
import { createRegistry } from "../../tools/registry.ts";
import type { PreparedCall } from "../../tools/tool.ts";

type Input = Readonly<Record<string, unknown>>;

/** All built-in tools over a workspace in a new folder. */
export interface ToolCalls extends AsyncDisposable {
  readonly root: string;
  readonly workspace: Workspace;
  tool(name: string): Tool;
  prepare(name: string, input: Input): PreparedCall;
  describe(name: string, input: Input): Promise<Description>;
  descriptor(name: string, input: Input): Promise<Readonly<Record<string, unknown>>>;
  run(name: string, input: Input, codebaseIndex?: CodebaseIndex): Promise<ToolResult>;
  /** The text of a result. */
  text(name: string, input: Input, codebaseIndex?: CodebaseIndex): Promise<string>;
}

export async function openToolCalls(): Promise<ToolCalls> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "tool-calls-")));
  const workspace = await openWorkspace(base);
  const registry = createRegistry(builtinTools({ include: OPTIONAL_TOOLS }));
  const tool = (name: string): Tool => {
    const found = registry.find(name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const prepare = (name: string, input: Input): PreparedCall => {
    const preparation = tool(name).prepare(input);
    if (!preparation.ok) throw new Error(preparation.error);
    return preparation.call;
  };
  const describe = (name: string, input: Input) => prepare(name, input).describe({ workspace });
  const run = (name: string, input: Input, codebaseIndex?: CodebaseIndex) =>
    prepare(name, input).execute({
      workspace,
      shell: systemShell(),
      codebaseIndex,
      signal: new AbortController().signal,
      output: () => {},
      progress: () => {},
    });
  return {
    root: base,
    workspace,
    tool,
    prepare,
    describe,
    descriptor: async (name, input) => JSON.parse((await describe(name, input)).text),
    run,
    text: async (name, input, codebaseIndex) => {
      const [block] = (await run(name, input, codebaseIndex)).content;
      return block?.type === "text" ? block.text : "";
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}
