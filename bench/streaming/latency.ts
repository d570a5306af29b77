import { anthropic } from "../../adapters/index.ts";
import { createHost } from "../../runtime/host.ts";
import { createFolders, streamedChars } from "../harness/index.ts";

const END_OF_EVENT = "\n\n";

/** The times at which text deltas arrived at the socket. */
class Arrivals {
  readonly times: number[] = [];
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** A fetch function that notes the text deltas of each chunk of its response. */
  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const noted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#note(chunk);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(noted) ?? null, response);
  };

  #note(chunk: Uint8Array): void {
    const now = performance.now();
    const events = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split(END_OF_EVENT);
    this.#rest = events.pop() ?? "";
    for (const event of events) if (event.includes('"text_delta"')) this.times.push(now);
  }
}

/** Milliseconds from the arrival of each text delta at the socket until a subscriber has its text. */
export async function latencies(
  model: { readonly model: string; readonly baseURL: string },
  folder: string,
  deltaChars: number,
): Promise<readonly number[]> {
  const { workspace, dataDir } = await createFolders(folder);
  const host = createHost({ dataDir });
  const arrivals = new Arrivals();
  const task = await host.create({
    model: anthropic({ ...model, apiKey: "bench", fetch: arrivals.fetch }),
    workspace,
  });
  const ms: number[] = [];
  let chars = 0;
  task.events$.subscribe(({ commit }) => {
    const now = performance.now();
    chars += streamedChars(commit.log);
    for (const arrived of arrivals.times.slice(ms.length, Math.floor(chars / deltaChars)))
      ms.push(now - arrived);
  });
  await task.run("Go.");
  await host.closeAll();
  return ms;
}
