import { z } from "zod";

/** Fields in which endpoints say why a request failed, the best one first. */
const FIELDS = [
  "error",
  "message",
  "detail",
  "details",
  "errors",
  "error_description",
  "msg",
  "reason",
  "title",
];
/** Levels of an error in an error that are read. */
const MAX_DEPTH = 6;

/**
 * The words of an endpoint in the body of a failed response: JSON in any of the known forms, plain text or a page. Undefined if
 * there are no words in it.
 */
export function wordsIn(body: unknown, depth = 0): string | undefined {
  if (typeof body === "string") return wordsOfText(body, depth);
  if (depth > MAX_DEPTH || typeof body !== "object" || body === null) return undefined;
  if (Array.isArray(body)) {
    const parts = body.flatMap((each) => wordsIn(each, depth + 1) ?? []);
    return parts.length === 0 ? undefined : parts.join("; ");
  }
  const fields: Readonly<Record<string, unknown>> = { ...body };
  for (const name of FIELDS) {
    const words = wordsIn(fields[name], depth + 1);
    if (words !== undefined) return [placeOf(fields.loc), words, originIn(fields, depth)].join("");
  }
  return undefined;
}

/** Bytes of the body of a failed response that are read. */
const BODY_MAX_BYTES = 256 * 1024;

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** The chunks at the start of a body. What follows is not read. */
async function startOf(reader: BodyReader): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size >= BODY_MAX_BYTES) break;
  }
  return chunks;
}

/** A body whose start was read. */
function bodyWith(start: readonly Uint8Array[], reader: BodyReader): ReadableStream<Uint8Array> {
  const left = [...start];
  return new ReadableStream({
    async pull(controller) {
      const chunk = left.shift() ?? (await reader.read()).value;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * `fetch`, with a failed response for an error that an endpoint sends with a status of success: the clients of endpoints take
 * it for a stream without events. Its status is the error's, or 400.
 */
export const withErrors =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    const isJson = response.headers.get("content-type")?.includes("application/json") === true;
    if (!response.ok || !isJson || response.body === null) return response;
    const reader = response.body.getReader();
    const start = await startOf(reader);
    const body = parsed(Buffer.concat(start).toString());
    const { status, headers } = response;
    return new Response(bodyWith(start, reader), {
      status: isErrorBody(body) ? statusIn(body) : status,
      headers,
    });
  };

/** The status that an error names. */
function statusIn(body: unknown): number {
  const Status = z.object({ code: z.int().min(400).max(599) });
  const named = z.object({ error: Status }).safeParse(body);
  return named.success ? named.data.error.code : 400;
}

/** Whether a body of JSON says that a request failed. */
const isErrorBody = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  (("error" in body && body.error != null && body.error !== "") ||
    ("detail" in body && body.detail != null) ||
    ("message" in body && typeof body.message === "string"));

/** Where FastAPI found the fault: `body.messages.0: `. */
const placeOf = (place: unknown): string => (Array.isArray(place) ? `${place.join(".")}: ` : "");

/** The words of the provider behind a router. */
function originIn({ metadata }: Readonly<Record<string, unknown>>, depth: number): string {
  const raw =
    typeof metadata === "object" && metadata !== null && "raw" in metadata ? metadata.raw : undefined;
  const words = wordsIn(raw, depth + 1);
  return words === undefined ? "" : ` (${words})`;
}

function wordsOfText(text: string, depth: number): string | undefined {
  const trimmed = text.trim();
  const json = depth <= MAX_DEPTH && /^[[{"]/.test(trimmed) ? parsed(trimmed) : undefined;
  const words = json === undefined ? undefined : wordsIn(json, depth + 1);
  if (words !== undefined) return words;
  const plain = /^<(?:!doctype|html|\?xml|head|body)\b/i.test(trimmed) ? textOfPage(trimmed) : trimmed;
  return plain === "" ? undefined : plain;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a page, without its markup. */
const textOfPage = (page: string): string =>
  page
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
