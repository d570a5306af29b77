// cspell:words aisdk
import type { z } from "zod";
import { type Agents, INSTRUCTIONS, type Peer, type PeerRun } from "../peer.ts";
import { type AiSdkAnthropic, aiSdkModel } from "./ai-sdk.ts";

interface Event {
  readonly type: string;
  readonly data?: { readonly type: string; readonly delta?: string };
}
interface Result extends AsyncIterable<Event> {
  readonly completed: Promise<void>;
  readonly error: unknown;
  readonly finalOutput?: unknown;
  readonly interruptions?: readonly unknown[];
  readonly state: object;
}
interface OpenaiAgents {
  readonly Agent: new (options: object) => object;
  readonly run: (agent: object, input: string, options: object) => Promise<Result>;
  readonly setTracingDisabled: (disabled: boolean) => void;
  readonly tool: (options: {
    readonly name: string;
    readonly description: string;
    readonly parameters: z.ZodObject;
    readonly execute: (input: unknown) => Promise<string>;
    readonly needsApproval: boolean;
    readonly errorFunction?: null;
  }) => object;
}
interface Extensions {
  readonly aisdk: (model: object) => object;
}

const AGENTS = "@openai/agents";
const EXTENSIONS = "@openai/agents-extensions/ai-sdk";
const PROVIDER = "@ai-sdk/anthropic";

/** Reaches the Messages API through the library's adapter for models of the AI SDK. */
export const openaiAgents: Peer = {
  name: "OpenAI Agents",
  packages: [AGENTS, "@openai/agents-extensions", PROVIDER, "ai", "zod"],
  imports: [AGENTS, EXTENSIONS, PROVIDER],
  endsWith: "text",
  load: async (importPackage): Promise<Agents> => {
    const library = await importPackage<OpenaiAgents>(AGENTS, ["Agent", "run", "setTracingDisabled", "tool"]);
    const { aisdk } = await importPackage<Extensions>(EXTENSIONS, ["aisdk"]);
    const provider = await importPackage<AiSdkAnthropic>(PROVIDER, ["createAnthropic"]);
    // Traces would go to another service.
    library.setTracingDisabled(true);
    const create = (run: PeerRun, needsApproval: boolean): object =>
      createAgent(library, run, aisdk(aiSdkModel(provider, run)), needsApproval);
    return {
      async run(run) {
        const { finalOutput } = await start(library, create(run, false), run);
        return typeof finalOutput === "string" ? finalOutput : "";
      },
      async waiting(run) {
        const agent = create(run, true);
        return async () => {
          const { interruptions = [], state } = await start(library, agent, run);
          if (interruptions.length === 0) throw new Error("The run ended without an approval.");
          return state;
        };
      },
    };
  },
};

const createAgent = (
  { Agent, tool }: OpenaiAgents,
  run: PeerRun,
  model: object,
  needsApproval: boolean,
): object =>
  new Agent({
    name: "bench",
    instructions: INSTRUCTIONS,
    model,
    tools: run.tools.map(({ name, description, input, run: execute }) =>
      tool({ name, description, parameters: input, execute, needsApproval }),
    ),
  });

async function start(library: OpenaiAgents, agent: object, run: PeerRun): Promise<Result> {
  const { requestsMax, signal } = run;
  const result = await library.run(agent, run.prompt, { stream: true, maxTurns: requestsMax, signal });
  for await (const { type, data } of result)
    if (type === "raw_model_stream_event" && data?.type === "output_text_delta") run.onText(data.delta ?? "");
  await result.completed;
  if (result.error !== null && result.error !== undefined) throw result.error;
  return result;
}
