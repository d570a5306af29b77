import { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import type { OwnerAddress, TaskOwners } from "../../ports/owners.ts";
import { send } from "./owner-requests.ts";

export interface RelayedEventsOptions {
  readonly taskId: string;
  readonly owners: TaskOwners;
  /** The path and query of the stream at its owner. */
  readonly path: string;
  /** The events from after this id, of the journal in the database, until the signal is aborted. */
  readonly recorded: (lastId: string | undefined, signal: WakeSignal) => AsyncIterable<string>;
  /** The id of the last event that the reader has. */
  readonly lastId: string | undefined;
  /** Aborted when the reader leaves. */
  readonly signal: WakeSignal;
}

/**
 * The events of a task as server-sent events: from its owner while it has one, with what is not recorded yet, else from its
 * journal. Each begins after the last id of the one before, so that no event is missing or repeated. An empty text is a pause.
 */
export async function* relayedEvents(options: RelayedEventsOptions): AsyncGenerator<string, void> {
  const { taskId, owners, path, recorded, signal } = options;
  const segments = new Segments(signal);
  const unwatch = owners.watch({
    onOpened: (opened) => {
      if (opened === taskId) segments.end();
    },
    onGap: () => segments.end(),
  });
  let { lastId } = options;
  try {
    while (!signal.isAborted) {
      const segment = segments.begin();
      const owner = await owners.ownerOf(taskId);
      const followed = owner === undefined ? undefined : await follow(owner, path, lastId, segment);
      for await (const text of followed ?? recorded(lastId, segment)) {
        lastId = idIn(text) ?? lastId;
        yield text;
      }
    }
  } finally {
    segments.close();
    unwatch();
  }
}

/** The part of a stream that comes from one source. The next one begins when a process opens the task. */
class Segments {
  readonly #reader: WakeSignal;
  #current: WakeSignal | undefined;

  constructor(reader: WakeSignal) {
    this.#reader = reader;
    reader.onAbort(() => this.end());
  }

  begin(): WakeSignal {
    this.#current = new WakeSignal();
    if (this.#reader.isAborted) this.#current.abort();
    return this.#current;
  }

  end(): void {
    this.#current?.abort();
  }

  close(): void {
    this.end();
    this.#current = undefined;
  }
}

/** The events of a worker. Undefined if it does not have the task. They end when it dies. */
async function follow(
  owner: OwnerAddress,
  path: string,
  lastId: string | undefined,
  segment: WakeSignal,
): Promise<AsyncIterable<string> | undefined> {
  const request = new AbortController();
  segment.onAbort(() => request.abort());
  const response = await send(owner, {
    method: "GET",
    path,
    signal: request.signal,
    ...(lastId !== undefined && { headers: { "last-event-id": lastId } }),
  });
  return response?.ok === true && response.body !== null ? eventsIn(response.body) : undefined;
}

/** The events of a body, without comments. A body that breaks off ends after its last whole event. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const chunk = await reader.read().catch(() => BROKEN);
    if (chunk.done) return;
    const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    const events = blocks.filter(isEvent).map((block) => `${block}\n\n`);
    if (events.length > 0) yield events.join("");
    yield "";
  }
}

const BROKEN = { done: true, value: undefined } as const;

/** The end of a reader that fell behind is not the end of this one. */
const isEvent = (block: string): boolean => /^data: /m.test(block) && !/^event: end$/m.test(block);

/** The last id in a text of events. */
const idIn = (text: string): string | undefined => /.*(?:^|\n)id: ([^\n]+)/s.exec(text)?.[1];
