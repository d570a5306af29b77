import type { Random } from "../../../verify/simulation/random.ts";
import { RequestCheck } from "./request-check.ts";
import { type MutatedResponse, mutatedResponse } from "./response.ts";

/** What an endpoint reports. */
export interface EndpointEvents {
  /** A part of a response is read. */
  readonly onRead: () => void;
  /** The API would reject a request. */
  readonly onProblem: (problem: string) => void;
}

/** An endpoint in this process: its `fetch` returns mutated responses and checks each request as the API does. */
export class Endpoint {
  readonly #random: Random;
  readonly #events: EndpointEvents;
  readonly #check = new RequestCheck();
  readonly #responses = new Map<object, MutatedResponse>();
  #last: MutatedResponse | undefined;
  #count = 0;
  /** Responses that never end, and those of them that are being read. */
  #silences = 0;
  readonly #silent = new Set<MutatedResponse>();

  constructor(random: Random, events: EndpointEvents) {
    this.#random = random;
    this.#events = events;
  }

  /** Number of responses so far. */
  get count(): number {
    return this.#count;
  }

  /** The newest response. */
  get last(): MutatedResponse | undefined {
    return this.#last;
  }

  /** Number of responses so far that never end. */
  get silences(): number {
    return this.#silences;
  }

  /** Whether a response waits without an end. */
  get isSilent(): boolean {
    return this.#silent.size > 0;
  }

  /** The newest response to a client. */
  responseTo(client: object): MutatedResponse | undefined {
    return this.#responses.get(client);
  }

  /** The `fetch` of a client. */
  fetchOf(client: object): typeof fetch {
    return async (_url, init) => {
      for (const problem of this.#check.problemsOf(String(init?.body))) this.#events.onProblem(problem);
      const response = mutatedResponse(this.#random);
      this.#last = response;
      this.#responses.set(client, response);
      this.#count += 1;
      const { status, headers, chunks } = response;
      return new Response(chunks.length === 0 ? null : this.#body(response), { status, headers });
    };
  }

  #body(response: MutatedResponse): ReadableStream<Uint8Array> {
    const { chunks, end } = response;
    const left = [...chunks];
    const { onRead } = this.#events;
    if (end === "is silent") {
      this.#silences += 1;
      this.#silent.add(response);
    }
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          onRead();
          const chunk = left.shift();
          if (chunk !== undefined) controller.enqueue(chunk);
          else if (end === "closes") controller.close();
          else if (end === "breaks") controller.error(new TypeError("terminated"));
          return chunk === undefined && end === "is silent" ? new Promise(() => {}) : undefined;
        },
        cancel: () => void this.#silent.delete(response),
      },
      { highWaterMark: 0 },
    );
  }
}
