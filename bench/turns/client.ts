import Anthropic from "@anthropic-ai/sdk";
import { from, NEVER } from "rxjs";
import { z } from "zod";
import { systemPrompt } from "../../actors/index.ts";
import { anthropic } from "../../adapters/index.ts";
import { observeTelemetry } from "../../client/telemetry/index.ts";
import { trustedMonitoring } from "../../control/protocols/trusted-monitoring.ts";
import { createHost } from "../../runtime/host.ts";
import type { PermissionOptions, TaskOptions } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { openIntents } from "../../settings/index.ts";
import { allowEverything, builtinTools, defineTool, type Tool } from "../../tools/index.ts";
import { type Commands, command, createFolders, stopwatch, type Timing } from "../harness/index.ts";

const MODEL = "bench-model";
const RESULT = "Noted.";
const BARE_PROMPT = "You are an agent that works with the tools it has.";
const Side = z.object({ url: z.string(), folder: z.string(), turns: z.number() });
type Side = z.infer<typeof Side>;

/** The time of each turn: from the run of one tool to the run of the next. */
class Laps {
  readonly laps: Timing[] = [];
  #read = stopwatch();

  turn(): void {
    this.laps.push(this.#read());
    this.#read = stopwatch();
  }
}

function noting(laps: Laps): Tool {
  return defineTool({
    name: "note",
    description: "Notes an item.",
    inputSchema: z.object({ item: z.number() }),
    effect: "writes",
    execute: () => {
      laps.turn();
      return RESULT;
    },
  });
}

type Governance = Pick<TaskOptions, "hooks" | "intents" | "control"> & Pick<PermissionOptions, "policies">;

/** The whole engine, with its journal. */
async function engine(
  { url, folder, turns }: Side,
  { policies = [], ...governance }: Governance = {},
): Promise<readonly Timing[]> {
  const { workspace, dataDir } = await createFolders(folder);
  const host = createHost({ dataDir });
  const laps = new Laps();
  const task = await host.create({
    model: anthropic({ model: MODEL, apiKey: "bench", baseURL: url }),
    workspace,
    tools: [...builtinTools(), noting(laps)],
    permissions: { judge: allowEverything(), policies },
    limits: { requests: turns + 2 },
    ...governance,
  });
  task.events$.subscribe(() => undefined);
  await task.run("Go.");
  await host.closeAll();
  return laps.laps;
}

/** The engine as a program configures it that has no hooks and no policies, in a workspace without intents and ledger. */
const ungoverned = (side: Side) => engine(side, { hooks: [], intents: openIntents, policies: [] });

/** The engine with a protocol that scores each call by a function. Its conversation and its decisions are the same. */
const monitored = (side: Side) =>
  engine(side, {
    control: {
      protocol: trustedMonitoring({ threshold: 0.5 }),
      monitors: { trusted: () => ({ score: 0.1, rationale: "A note is harmless." }) },
    },
  });

/** The cost of telemetry without an SDK, for the commits of a task; each item of the result is all of its turns. */
async function telemetry({ url, folder, turns }: Side): Promise<readonly Timing[]> {
  const { workspace, dataDir } = await createFolders(folder);
  const host = createHost({ dataDir });
  const task = await host.create({
    model: anthropic({ model: MODEL, apiKey: "bench", baseURL: url }),
    workspace,
    tools: [...builtinTools(), noting(new Laps())],
    permissions: { judge: allowEverything() },
    limits: { requests: turns + 2 },
  });
  const shown: TaskCommit[] = [];
  task.events$.subscribe((commit) => shown.push(commit));
  await task.run("Go.");
  await host.closeAll();
  return Array.from({ length: REPLAYS }, () => replay(task, shown));
}

const REPLAYS = 21;

/** The time that telemetry takes to read these commits. */
function replay({ id, rootId, parent }: Task, shown: readonly TaskCommit[]): Timing {
  const task = { id, rootId, parent, events$: from(shown) };
  const read = stopwatch();
  observeTelemetry({ tasks: new Map([[id, task]]), opened$: NEVER }).close();
  return read();
}

/** Tokens of the window of a task that is condensed every few dozen turns. */
const CONDENSED_WINDOW = 20_000;

/** The whole engine, with a small context window. It is cancelled after the last turn: its script has no end. */
async function condensed({ url, folder, turns }: Side): Promise<readonly Timing[]> {
  const { workspace, dataDir } = await createFolders(folder);
  const host = createHost({ dataDir });
  const laps = new Laps();
  const task = await host.create({
    model: anthropic({ model: MODEL, apiKey: "bench", baseURL: url, contextWindow: CONDENSED_WINDOW }),
    workspace,
    tools: [...builtinTools(), noting(laps)],
    permissions: { judge: allowEverything() },
    limits: { requests: turns + 2, repetitions: 0 },
  });
  task.events$.subscribe(() => {
    if (laps.laps.length >= turns) task.cancel();
  });
  await task.run("Go.");
  if (!task.log.toArray().some(({ say }) => say === "condense_context"))
    throw new Error(`The conversation was not condensed in ${turns} turns.`);
  await host.closeAll();
  return laps.laps.slice(0, turns);
}

/** What a hand-written loop sends besides the conversation. */
interface Sent {
  readonly tools: readonly Tool[];
  readonly system: string;
  /** The text after the results of a turn, if any. */
  readonly environment: () => string | undefined;
}

/** A minimal loop on the SDK: the same prompt, tools and environment, no journal, no state, no asks. */
async function raw(side: Side): Promise<readonly Timing[]> {
  const { workspace } = await createFolders(side.folder);
  const laps = new Laps();
  const tools = [...builtinTools(), noting(laps)];
  const system = systemPrompt({ tools, workspace, rules: [] }).join("\n\n");
  return loop(side, laps, { tools, system, environment: () => environment(workspace) });
}

/** The same loop with one tool and a prompt of one line. */
async function bare(side: Side): Promise<readonly Timing[]> {
  const laps = new Laps();
  return loop(side, laps, { tools: [noting(laps)], system: BARE_PROMPT, environment: () => undefined });
}

async function loop(
  { url, turns }: Side,
  laps: Laps,
  { tools, system, environment }: Sent,
): Promise<readonly Timing[]> {
  const note = tools.at(-1);
  const client = new Anthropic({ apiKey: "bench", baseURL: url, maxRetries: 0, logLevel: "off" });
  const offered = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: "object" as const },
  }));
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Go." }];
  for (let turn = 0; turn < turns; turn += 1) {
    const { content, calls } = await ask(client, {
      model: MODEL,
      max_tokens: 16_384,
      system,
      tools: offered,
      messages,
    });
    messages.push({ role: "assistant", content });
    const results: Anthropic.ContentBlockParam[] = [];
    for (const { id, input } of calls) {
      const parsed = z.record(z.string(), z.unknown()).parse(input);
      const prepared = note?.prepare(parsed);
      if (prepared?.ok !== true) throw new Error("The tool rejected the call.");
      laps.turn();
      results.push({ type: "tool_result", tool_use_id: id, content: RESULT });
    }
    const text = environment();
    if (text !== undefined) results.push({ type: "text", text });
    messages.push({ role: "user", content: results });
  }
  return laps.laps;
}

function environment(workspace: string): string {
  return `<environment_details>\n# Current Time\n${new Date().toISOString()}\n\n# Workspace (${workspace})\nNo files.\n</environment_details>`;
}

async function ask(client: Anthropic, params: Omit<Anthropic.MessageCreateParamsStreaming, "stream">) {
  const content: (Anthropic.TextBlockParam | Anthropic.ToolUseBlockParam)[] = [];
  let text = "";
  let call: { readonly id: string; readonly name: string } | undefined;
  for await (const event of await client.messages.create({ ...params, stream: true })) {
    if (event.type === "content_block_start") {
      text = "";
      call = event.content_block.type === "tool_use" ? event.content_block : undefined;
    } else if (event.type === "content_block_delta") {
      text += deltaText(event.delta);
    } else if (event.type === "content_block_stop") {
      content.push(
        call === undefined
          ? { type: "text", text }
          : { type: "tool_use", id: call.id, name: call.name, input: JSON.parse(text) },
      );
    }
  }
  return { content, calls: content.filter((block) => block.type === "tool_use") };
}

function deltaText(delta: Anthropic.RawContentBlockDelta): string {
  if (delta.type === "text_delta") return delta.text;
  return delta.type === "input_json_delta" ? delta.partial_json : "";
}

export const commands: Commands = {
  engine: command(Side, (side) => engine(side)),
  ungoverned: command(Side, ungoverned),
  monitored: command(Side, monitored),
  condensed: command(Side, condensed),
  raw: command(Side, raw),
  bare: command(Side, bare),
  telemetry: command(Side, telemetry),
};
