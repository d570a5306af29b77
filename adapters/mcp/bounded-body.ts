import { LongMessage, tooLong } from "./long-message.ts";
import type { McpLimits } from "./options.ts";

export interface BoundedBodyOptions {
  readonly limits: Pick<McpLimits, "messageBytes" | "discardedBytes">;
  /** Whether each message is an event of a stream; otherwise the body is one message. */
  readonly isEvents: boolean;
}

/**
 * A body with an error response in place of a response that is too long; another message that is too long is left out. It
 * fails when more than `discardedBytes` come in one message.
 */
export function boundedBody({
  limits,
  isEvents,
}: BoundedBodyOptions): TransformStream<Uint8Array, Uint8Array> {
  const { messageBytes, discardedBytes } = limits;
  const held: Uint8Array[] = [];
  let size = 0;
  let long: LongMessage | undefined;
  let before = Buffer.alloc(0);
  const add = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (long === undefined && size > messageBytes) {
      long = new LongMessage();
      for (const part of held.splice(0)) long.add(part);
    }
    if (long === undefined) held.push(bytes);
    else long.add(bytes);
  };
  const release = (controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (long === undefined) for (const part of held) controller.enqueue(part);
    else if (long.responseId !== undefined) {
      const response = JSON.stringify(tooLong(long.responseId, long.size, messageBytes));
      controller.enqueue(Buffer.from(isEvents ? `event: message\ndata: ${response}\n\n` : response));
    }
    held.length = 0;
    size = 0;
    long = undefined;
  };
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (const end of isEvents ? endsOfEvents(before, chunk) : []) {
        add(chunk.subarray(from, end));
        release(controller);
        from = end;
      }
      add(chunk.subarray(from));
      before = Buffer.concat([before, chunk.subarray(-BLANK_BYTES)]).subarray(-BLANK_BYTES);
      if (size > discardedBytes)
        controller.error(new Error(`expected messages of at most ${discardedBytes} bytes`));
    },
    flush: (controller) => {
      // A body that is cut off is no response.
      if (!isEvents || long === undefined) release(controller);
    },
  });
}

const BLANK = /\n\n|\n\r\n|\r\r/g;
/** Bytes of a blank line that can end in the next chunk. */
const BLANK_BYTES = 2;

/** The positions in the chunk after each blank line, which may begin in the bytes before. */
const endsOfEvents = (before: Buffer, chunk: Uint8Array): readonly number[] =>
  [...Buffer.concat([before, chunk]).toString("latin1").matchAll(BLANK)]
    .map(({ index, 0: blank }) => index + blank.length - before.length)
    .filter((end) => end > 0);
