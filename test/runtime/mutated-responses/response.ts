import type { Random } from "../../../verify/simulation/random.ts";
import { BYTE_MUTATIONS } from "./byte-mutations.ts";
import { CORPUS, type RawEvent } from "./corpus.ts";
import { EVENT_MUTATIONS } from "./event-mutations.ts";
import { rawJson } from "./odd-values.ts";

/** How the connection of a response behaves after its last byte. */
export type End = "closes" | "breaks" | "is silent";

/** A response of the endpoint. */
export interface MutatedResponse {
  /** The valid response and its mutations. */
  readonly name: string;
  readonly mutations: readonly string[];
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its events, unless bytes were changed. */
  readonly events?: readonly RawEvent[];
  readonly chunks: readonly Uint8Array[];
  readonly end: End;
}

type Mutation<T> = readonly (readonly [name: string, mutate: T])[];
const eventMutations: Mutation<(typeof EVENT_MUTATIONS)[keyof typeof EVENT_MUTATIONS]> =
  Object.entries(EVENT_MUTATIONS);
const byteMutations: Mutation<(typeof BYTE_MUTATIONS)[keyof typeof BYTE_MUTATIONS]> =
  Object.entries(BYTE_MUTATIONS);

/** Probabilities of a number of mutations, from 0 to 3. */
const COUNTS = [0, 0, 1, 1, 1, 1, 1, 2, 2, 3];
const BYTE_SHARE = 0.3;

const STREAM = { "content-type": "text/event-stream" };
const STATUSES = [400, 401, 413, 429, 500, 503, 529, 302, 204];
const RETRY_AFTER = ["1", "0", "-1", "1e400", "900", "soon", "Thu, 01 Jan 1970 00:00:02 GMT", ""];

/** A response of the corpus with some mutations: the same one for the same numbers. */
export function mutatedResponse(random: Random): MutatedResponse {
  const { name, events } = random.pick(CORPUS) ?? { name: "nothing", events: [] };
  if (random.chance(0.02)) return rejection(random);
  const mutations: string[] = [];
  const changed = [...events];
  let bytes: Buffer | undefined;
  for (let count = random.pick(COUNTS) ?? 0; count > 0; count -= 1) {
    if (bytes === undefined && !random.chance(BYTE_SHARE)) mutate(eventMutations, changed);
    else bytes = mutateBytes(bytes ?? bytesOf(changed));
  }
  function mutate(of: typeof eventMutations, list: RawEvent[]): void {
    const [label, change] = random.pick(of) ?? ["nothing", () => {}];
    mutations.push(label);
    if (list.length > 0) change(list, random);
  }
  function mutateBytes(from: Buffer): Buffer {
    const [label, change] = random.pick(byteMutations) ?? ["nothing", () => from];
    mutations.push(label);
    return change(from, random);
  }
  const end = random.chance(0.96) ? "closes" : random.chance(0.5) ? "breaks" : "is silent";
  const chunks = chunksOf(bytes ?? bytesOf(changed), random);
  const whole = bytes === undefined ? { events: changed } : {};
  return { name, mutations, status: 200, headers: STREAM, ...whole, chunks, end };
}

/** A response that is no event stream. */
function rejection(random: Random): MutatedResponse {
  const status = random.pick(STATUSES) ?? 500;
  const isJson = random.chance(0.7);
  const error = { type: "error", error: { type: "rate_limit_error", message: "Too fast ⏳" } };
  const body = isJson ? JSON.stringify(error) : "<html>Bad gateway</html>";
  const headers = {
    "content-type": isJson ? "application/json" : "text/html",
    ...(random.chance(0.5) && { "retry-after": random.pick(RETRY_AFTER) ?? "" }),
  };
  const chunks = status === 204 ? [] : [Buffer.from(body)];
  return { name: `status ${status}`, mutations: [], status, headers, chunks, end: "closes" };
}

/** The bytes of an event stream. */
export const bytesOf = (events: readonly RawEvent[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${rawJson(event)}\n\n`).join(""));

/** The bytes in one piece, or in pieces that are cut anywhere. */
function chunksOf(bytes: Buffer, random: Random): readonly Uint8Array[] {
  if (random.chance(0.6)) return [bytes];
  const cuts = Array.from({ length: 1 + random.below(6) }, () => random.below(bytes.length + 1));
  const sorted = [0, ...cuts.sort((one, other) => one - other), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
