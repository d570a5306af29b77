// cspell:words checkpointer langchain langgraph
import type { z } from "zod";
import { type Agents, API_KEY, INSTRUCTIONS, MODEL, type Peer, type PeerRun } from "../peer.ts";

interface Message {
  /** With getters: text blocks joined. */
  readonly text: string;
  getType(): string;
}
type Chunk =
  | readonly ["messages", readonly [Message, object]]
  | readonly ["updates", Readonly<Record<string, { readonly messages?: readonly Message[] }>>];
interface Graph {
  stream(input: object, config: object): Promise<AsyncIterable<Chunk>>;
}
interface Prebuilt {
  readonly createReactAgent: (options: object) => Graph;
}
interface LangGraph {
  readonly MemorySaver: new () => object;
  readonly interrupt: (value: unknown) => unknown;
}
interface ChatModels {
  readonly ChatAnthropic: new (options: object) => object;
}
interface Tools {
  readonly tool: (
    run: (input: unknown) => unknown,
    options: { readonly name: string; readonly description: string; readonly schema: z.ZodObject },
  ) => object;
}
type Library = Prebuilt & ChatModels & Tools;

const GRAPH = "@langchain/langgraph";
const PREBUILT = "@langchain/langgraph/prebuilt";
const CHAT = "@langchain/anthropic";
const TOOLS = "@langchain/core/tools";

export const langGraph: Peer = {
  name: "LangGraph.js",
  packages: [GRAPH, CHAT, "@langchain/core", "zod"],
  imports: [GRAPH, PREBUILT, CHAT],
  endsWith: "text",
  load: async (importPackage): Promise<Agents> => {
    const { MemorySaver, interrupt } = await importPackage<LangGraph>(GRAPH, ["MemorySaver", "interrupt"]);
    const library: Library = {
      ...(await importPackage<Prebuilt>(PREBUILT, ["createReactAgent"])),
      ...(await importPackage<ChatModels>(CHAT, ["ChatAnthropic"])),
      ...(await importPackage<Tools>(TOOLS, ["tool"])),
    };
    return {
      run: async (run) => (await stream(createGraph(library, run), run)).text,
      async waiting(run) {
        const checkpointer = new MemorySaver();
        const tools = run.tools.map((tool) => ({
          ...tool,
          run: async () => String(interrupt({ tool: tool.name })),
        }));
        const graph = createGraph(library, { ...run, tools }, { checkpointer });
        let threads = 0;
        return async () => {
          threads += 1;
          const config = { configurable: { thread_id: `thread-${threads}` } };
          const { isInterrupted } = await stream(graph, run, config);
          if (!isInterrupted) throw new Error("The run ended without an approval.");
          // Held by the checkpointer.
          return checkpointer;
        };
      },
    };
  },
};

function createGraph({ createReactAgent, ChatAnthropic, tool }: Library, run: PeerRun, more = {}): Graph {
  return createReactAgent({
    llm: new ChatAnthropic({ model: MODEL, apiKey: API_KEY, anthropicApiUrl: run.url, streaming: true }),
    tools: run.tools.map(({ name, description, input, run: execute }) =>
      tool((args) => execute(args), { name, description, schema: input }),
    ),
    prompt: INSTRUCTIONS,
    ...more,
  });
}

async function stream(
  graph: Graph,
  run: PeerRun,
  config = {},
): Promise<{ readonly text: string; readonly isInterrupted: boolean }> {
  const input = { messages: [{ role: "user", content: run.prompt }] };
  const chunks = await graph.stream(input, {
    streamMode: ["messages", "updates"],
    // Two nodes for a turn: the model and its tools.
    recursionLimit: 2 * run.requestsMax,
    signal: run.signal,
    ...config,
  });
  let text = "";
  let isInterrupted = false;
  for await (const [mode, chunk] of chunks) {
    if (mode === "messages") {
      const [message] = chunk;
      if (message.getType() === "ai" && message.text !== "") run.onText(message.text);
    } else {
      isInterrupted ||= "__interrupt__" in chunk;
      for (const { messages = [] } of Object.values(chunk)) text = messages.at(-1)?.text ?? text;
    }
  }
  return { text, isInterrupted };
}
