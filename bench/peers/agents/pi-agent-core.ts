// cspell:words earendil
import { z } from "zod";
import { type Agents, API_KEY, INSTRUCTIONS, MODEL, type Peer, type PeerRun } from "../peer.ts";
import { untilAsked } from "./approval.ts";

interface Event {
  readonly type: string;
  readonly assistantMessageEvent?: { readonly type: string; readonly delta?: string };
}
interface Message {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}
interface Agent {
  readonly state: { readonly errorMessage?: string; readonly messages: readonly Message[] };
  subscribe(listener: (event: Event) => void): void;
  prompt(text: string): Promise<void>;
  abort(): void;
}
interface Core {
  readonly Agent: new (options: object) => Agent;
}
interface Models {
  setProvider(provider: object): void;
  getModel(provider: string, id: string): object | undefined;
  streamSimple(...args: readonly unknown[]): unknown;
}
interface Ai {
  readonly createModels: () => Models;
}
interface Provider {
  readonly anthropicProvider: () => object;
}
type Library = Core & Ai & Provider;

const AGENT = "@earendil-works/pi-agent-core";
const AI = "@earendil-works/pi-ai";
const PROVIDER = "@earendil-works/pi-ai/providers/anthropic";

/** Not the newest version: see below. */
export const piAgentCore: Peer = {
  name: "pi-agent-core",
  packages: [AGENT, AI],
  imports: [AGENT, AI, PROVIDER],
  endsWith: "text",
  load: async (importPackage): Promise<Agents> => {
    const library: Library = {
      ...(await importPackage<Core>(AGENT, ["Agent"])),
      ...(await importPackage<Ai>(AI, ["createModels"])),
      ...(await importPackage<Provider>(PROVIDER, ["anthropicProvider"])),
    };
    return {
      async run(run) {
        const agent = createAgent(library, run);
        agent.subscribe(({ assistantMessageEvent: event }) => {
          if (event?.type === "text_delta") run.onText(event.delta ?? "");
        });
        run.signal.addEventListener("abort", () => agent.abort());
        await agent.prompt(run.prompt);
        const { errorMessage, messages } = agent.state;
        if (errorMessage !== undefined) throw new Error(errorMessage);
        return (messages.at(-1)?.content ?? []).map(({ text = "" }) => text).join("");
      },
      async waiting(run) {
        return () =>
          untilAsked((never) => createAgent(library, run, { beforeToolCall: never }).prompt(run.prompt));
      },
    };
  },
};

/** The newest version. A dependency of it didn't install when this was written. */
export const piAgentCoreLatest: Peer = {
  ...piAgentCore,
  name: "pi-agent-core, latest",
  versions: { [AGENT]: "1.5.2", [AI]: "1.5.2" },
};

function createAgent({ Agent, createModels, anthropicProvider }: Library, run: PeerRun, hooks = {}): Agent {
  const models = createModels();
  models.setProvider(anthropicProvider());
  const model = models.getModel("anthropic", MODEL);
  if (model === undefined) throw new Error(`pi-ai has no model ${MODEL}.`);
  return new Agent({
    initialState: {
      systemPrompt: INSTRUCTIONS,
      model: { ...model, baseUrl: run.url },
      tools: run.tools.map(({ name, description, input, run: execute }) => ({
        name,
        label: name,
        description,
        parameters: z.toJSONSchema(input),
        execute: async (_id: string, params: unknown) => ({
          content: [{ type: "text", text: await execute(params) }],
          details: {},
        }),
      })),
    },
    streamFn: models.streamSimple.bind(models),
    getApiKey: () => API_KEY,
    ...hooks,
  });
}
