import type { z } from "zod";
import { type Agents, API_KEY, INSTRUCTIONS, MODEL, type Peer, type PeerRun } from "../peer.ts";

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly error?: unknown;
}
interface Stream {
  readonly fullStream: AsyncIterable<Part>;
  readonly text: PromiseLike<string>;
  readonly responseMessages: PromiseLike<unknown>;
}
interface AiSdk {
  readonly streamText: (options: object) => Stream;
  readonly tool: (definition: { readonly description: string; readonly inputSchema: z.ZodObject }) => object;
  readonly isStepCount: (count: number) => object;
}
/** The provider, which the adapters of other peers use too. */
export interface AiSdkAnthropic {
  readonly createAnthropic: (options: {
    readonly apiKey: string;
    readonly baseURL: string;
  }) => (model: string) => object;
}

/** The path of the API belongs to the base URL of this provider. */
export const aiSdkModel = ({ createAnthropic }: AiSdkAnthropic, { url }: PeerRun): object =>
  createAnthropic({ apiKey: API_KEY, baseURL: `${url}/v1` })(MODEL);

export const aiSdk: Peer = {
  name: "AI SDK",
  packages: ["ai", "@ai-sdk/anthropic", "zod"],
  imports: ["ai", "@ai-sdk/anthropic"],
  endsWith: "text",
  load: async (importPackage): Promise<Agents> => {
    const sdk = await importPackage<AiSdk>("ai", ["streamText", "tool", "isStepCount"]);
    const provider = await importPackage<AiSdkAnthropic>("@ai-sdk/anthropic", ["createAnthropic"]);
    return {
      async run(run) {
        const stream = start(sdk, run, aiSdkModel(provider, run));
        await read(stream, run.onText);
        return await stream.text;
      },
      async waiting(run) {
        const model = aiSdkModel(provider, run);
        return async () => {
          const toolApproval = Object.fromEntries(run.tools.map(({ name }) => [name, "user-approval"]));
          const stream = start(sdk, run, model, { toolApproval });
          const types = await read(stream, run.onText);
          if (!types.has("tool-approval-request")) throw new Error("The run ended without an approval.");
          // The run has ended: the next one takes the messages and the answer.
          return await stream.responseMessages;
        };
      },
    };
  },
};

function start({ streamText, tool, isStepCount }: AiSdk, run: PeerRun, model: object, more = {}): Stream {
  return streamText({
    model,
    instructions: INSTRUCTIONS,
    prompt: run.prompt,
    tools: Object.fromEntries(
      run.tools.map(({ name, description, input, run: execute }) => [
        name,
        tool({ description, inputSchema: input, ...{ execute } }),
      ]),
    ),
    stopWhen: isStepCount(run.requestsMax),
    abortSignal: run.signal,
    // Errors come as parts of the stream too.
    onError: () => undefined,
    ...more,
  });
}

/** Read the stream to its end. @returns the types of its parts */
async function read({ fullStream }: Stream, onText: (delta: string) => void): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for await (const { type, text = "", error } of fullStream) {
    types.add(type);
    if (type === "text-delta") onText(text);
    if (type === "error") throw error;
    if (type === "abort") throw new Error("The run was aborted.");
  }
  return types;
}
