import { z } from "zod";
import { type Agents, API_KEY, INSTRUCTIONS, MODEL, type Peer, type PeerRun } from "../peer.ts";
import { untilAsked } from "./approval.ts";

interface Event {
  readonly type: string;
  readonly text?: string;
}
interface Agent {
  run(prompt: string): Promise<{
    readonly status: string;
    readonly outputText: string;
    readonly error?: unknown;
  }>;
  abort(): void;
  subscribe(listener: (event: Event) => void): () => void;
}
interface ClineAgents {
  readonly Agent: new (config: object) => Agent;
}

const AGENTS = "@cline/agents";

export const cline: Peer = {
  name: "Cline agents",
  packages: [AGENTS],
  imports: [AGENTS],
  endsWith: "text",
  load: async (importPackage): Promise<Agents> => {
    const library = await importPackage<ClineAgents>(AGENTS, ["Agent"]);
    return {
      async run(run) {
        const agent = createAgent(library, run);
        agent.subscribe(({ type, text = "" }) => {
          if (type === "assistant-text-delta") run.onText(text);
        });
        run.signal.addEventListener("abort", () => agent.abort());
        const { status, outputText, error } = await agent.run(run.prompt);
        if (status !== "completed") throw error ?? new Error(`The run ended as ${status}.`);
        return outputText;
      },
      async waiting(run) {
        const toolPolicies = Object.fromEntries(run.tools.map(({ name }) => [name, { autoApprove: false }]));
        return () =>
          untilAsked((never) =>
            createAgent(library, run, { toolPolicies, requestToolApproval: never }).run(run.prompt),
          );
      },
    };
  },
};

const createAgent = ({ Agent }: ClineAgents, run: PeerRun, more = {}): Agent =>
  new Agent({
    providerId: "anthropic",
    modelId: MODEL,
    apiKey: API_KEY,
    baseUrl: `${run.url}/v1`,
    systemPrompt: INSTRUCTIONS,
    tools: run.tools.map(({ name, description, input, run: execute }) => ({
      name,
      description,
      inputSchema: z.toJSONSchema(input),
      execute: (args: unknown) => execute(args),
    })),
    maxIterations: run.requestsMax,
    ...more,
  });
