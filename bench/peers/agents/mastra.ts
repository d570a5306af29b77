import type { z } from "zod";
import { type Agents, INSTRUCTIONS, type Peer, type PeerRun } from "../peer.ts";
import { type AiSdkAnthropic, aiSdkModel } from "./ai-sdk.ts";

interface Chunk {
  readonly type: string;
  readonly payload?: { readonly text?: string; readonly error?: unknown };
}
interface Stream {
  readonly fullStream: AsyncIterable<Chunk>;
  readonly text: Promise<string>;
}
interface Agent {
  stream(prompt: string, options: object): Promise<Stream>;
}
interface AgentModule {
  readonly Agent: new (options: object) => Agent;
}
interface Tools {
  readonly createTool: (options: {
    readonly id: string;
    readonly description: string;
    readonly inputSchema: z.ZodObject;
    readonly execute: (input: unknown) => Promise<string>;
  }) => object;
}
interface Core {
  readonly Mastra: new (options: object) => { getAgent(name: string): Agent };
}
interface Storage {
  readonly InMemoryStore: new () => object;
}
type Library = AgentModule & Tools & Core & Storage;

const AGENT = "@mastra/core/agent";
const TOOLS = "@mastra/core/tools";
const CORE = "@mastra/core";
const STORAGE = "@mastra/core/storage";
const PROVIDER = "@ai-sdk/anthropic";

export const mastra: Peer = {
  name: "Mastra",
  packages: [CORE, PROVIDER, "zod"],
  imports: [AGENT, TOOLS, PROVIDER],
  endsWith: "text",
  load: async (importPackage): Promise<Agents> => {
    const library: Library = {
      ...(await importPackage<AgentModule>(AGENT, ["Agent"])),
      ...(await importPackage<Tools>(TOOLS, ["createTool"])),
      ...(await importPackage<Core>(CORE, ["Mastra"])),
      ...(await importPackage<Storage>(STORAGE, ["InMemoryStore"])),
    };
    const provider = await importPackage<AiSdkAnthropic>(PROVIDER, ["createAnthropic"]);
    return {
      async run(run) {
        const agent = createAgent(library, run, aiSdkModel(provider, run));
        const stream = await agent.stream(run.prompt, optionsOf(run));
        await read(stream.fullStream, run.onText);
        return await stream.text;
      },
      async waiting(run) {
        const agent = createAgent(library, run, aiSdkModel(provider, run));
        // Suspended runs are kept in the storage.
        const owner = new library.Mastra({
          agents: { agent },
          storage: new library.InMemoryStore(),
          logger: false,
        });
        const stored = owner.getAgent("agent");
        return async () => {
          const { fullStream } = await stored.stream(run.prompt, {
            ...optionsOf(run),
            requireToolApproval: true,
          });
          const types = await read(fullStream, run.onText);
          if (!types.has("tool-call-approval")) throw new Error("The run ended without an approval.");
          return owner;
        };
      },
    };
  },
};

const optionsOf = ({ requestsMax, signal }: PeerRun) => ({ maxSteps: requestsMax, abortSignal: signal });

const createAgent = ({ Agent, createTool }: Library, run: PeerRun, model: object): Agent =>
  new Agent({
    id: "bench",
    name: "bench",
    instructions: INSTRUCTIONS,
    model,
    tools: Object.fromEntries(
      run.tools.map(({ name, description, input, run: execute }) => [
        name,
        createTool({ id: name, description, inputSchema: input, execute: (args) => execute(args) }),
      ]),
    ),
  });

/** Read the stream to its end. @returns the types of its chunks */
async function read(
  chunks: AsyncIterable<Chunk>,
  onText: (delta: string) => void,
): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for await (const { type, payload } of chunks) {
    types.add(type);
    if (type === "text-delta") onText(payload?.text ?? "");
    if (type === "error") throw payload?.error;
    if (type === "abort") throw new Error("The run was aborted.");
  }
  return types;
}
