import { methods, type Stream } from "@agentclientprotocol/sdk/unstable";

/**
 * The messages of a client in order: those after `initialize` are read once it is answered. The library rejects a request
 * that comes before that answer, although a client need not wait for it.
 */
export function orderedStream({ readable, writable }: Stream): Stream {
  let initializing: { readonly id: unknown; readonly answered: Promise<void>; answer(): void } | undefined;
  const requests = new TransformStream<Message, Message>({
    async transform(message, controller) {
      await initializing?.answered;
      if ("method" in message && message.method === methods.agent.initialize && "id" in message) {
        let answer = (): void => {};
        const answered = new Promise<void>((resolve) => {
          answer = resolve;
        });
        initializing = { id: message.id, answered, answer };
      }
      controller.enqueue(message);
    },
  });
  const responses = new TransformStream<Message, Message>({
    transform(message, controller) {
      if (!("method" in message) && message.id === initializing?.id) initializing?.answer();
      controller.enqueue(message);
    },
  });
  // A client that has gone reads no answer: the connection reports it.
  responses.readable.pipeTo(writable).catch(() => initializing?.answer());
  return { readable: readable.pipeThrough(requests), writable: responses.writable };
}

type Message = Stream["readable"] extends ReadableStream<infer T> ? T : never;
