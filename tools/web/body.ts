import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolError } from "../error.ts";
import { binary, isReadable } from "./content-type.ts";

/** The body of a response. */
export interface Body {
  /** The type that the response names, in lower case, without parameters; empty for none. */
  readonly type: string;
  /** The character set that the response names. */
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

export interface BodyOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A response of Node, as far as it is read here. Its types need none of Node's. */
export interface IncomingResponse extends AsyncIterable<Uint8Array> {
  readonly headers: {
    readonly "content-type"?: string | undefined;
    readonly "content-length"?: string | undefined;
    readonly "content-encoding"?: string | undefined;
  };
}

/**
 * Read the body of a response, decompressed, if its type can be shown. Both what comes and what it becomes are limited.
 *
 * @throws ToolError `TOO_LARGE`, `BINARY` for another type, `FAILED` for an unknown compression; errors of the stream
 */
export async function readBody(response: IncomingResponse, options: BodyOptions): Promise<Body> {
  const { headers } = response;
  const named = parseType(headers["content-type"] ?? "");
  if (!isReadable(named.type)) throw binary(named.type);
  if (Number(headers["content-length"] ?? 0) > options.maxBytes) throw tooLarge(options.maxBytes);
  const decoder = decoderOf(headers["content-encoding"] ?? "");
  const chunks: Uint8Array[] = [];
  const incoming = (source: AsyncIterable<Uint8Array>) => limited(source, options.maxBytes);
  const keep = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of limited(source, options.maxBytes)) chunks.push(chunk);
  };
  const { signal } = options;
  if (decoder === "identity") await pipeline(response, keep, { signal });
  else await pipeline(response, incoming, decoder, keep, { signal });
  return { ...named, bytes: Buffer.concat(chunks) };
}

async function* limited(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

const tooLarge = (maxBytes: number): ToolError =>
  new ToolError(
    "TOO_LARGE",
    `The response has more than ${maxBytes} bytes, which is the limit. Fetch a smaller resource, or use a command.`,
  );

function decoderOf(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
      return "identity" as const;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new ToolError("FAILED", "The response has an unknown compression: expected gzip, deflate or br.");
  }
}

const TYPE = /^\s*([a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60})\s*(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([a-z0-9_.:-]{1,40})/;

function parseType(header: string): Pick<Body, "type" | "charset"> {
  const lower = header.toLowerCase();
  return { type: TYPE.exec(lower)?.[1] ?? "", charset: CHARSET.exec(lower)?.[1] };
}
