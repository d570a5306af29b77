import { createHash } from "node:crypto";

export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** The digest of the first bytes, at most `limit`. */
export async function digestOf(
  chunks: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Digest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, limit - bytes);
    hash.update(part);
    bytes += part.length;
    if (bytes >= limit) break;
  }
  return { bytes, sha256: hash.digest("hex") };
}
