const MARK = Buffer.from("[masked]");
/** Bytes of a secret at least: a shorter text may be anything. */
const SECRET_MIN_BYTES = 8;

/**
 * Replaces a secret in a stream, also where it is split between chunks. A server gets the token of each request: what it
 * repeats must not reach a journal, a log or the model.
 */
export function withoutSecret(secret: string): TransformStream<Uint8Array, Uint8Array> {
  const wanted = Buffer.from(secret);
  if (wanted.length < SECRET_MIN_BYTES) return new TransformStream();
  let held = Buffer.alloc(0);
  return new TransformStream({
    transform(chunk, controller) {
      let rest = Buffer.concat([held, chunk]);
      for (let at = rest.indexOf(wanted); at >= 0; at = rest.indexOf(wanted)) {
        controller.enqueue(Buffer.concat([rest.subarray(0, at), MARK]));
        rest = rest.subarray(at + wanted.length);
      }
      const begun = startOf(wanted, rest);
      held = rest.subarray(rest.length - begun);
      controller.enqueue(rest.subarray(0, rest.length - begun));
    },
    flush(controller) {
      controller.enqueue(held);
    },
  });
}

/** Bytes at the end of `bytes` with which `wanted` begins: the next chunk may have its rest. */
function startOf(wanted: Buffer, bytes: Buffer): number {
  for (let length = Math.min(wanted.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(-length).equals(wanted.subarray(0, length))) return length;
  return 0;
}
