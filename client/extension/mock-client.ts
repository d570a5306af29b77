import { ExtensionClient } from "./extension-client.ts";
import type { WebviewMessage } from "./messages.ts";

/** Create a client that sends with this function. */
export const createClient = (sendMessage: (message: WebviewMessage) => unknown): ExtensionClient =>
  new ExtensionClient({ sendMessage });

/** A client without an agent, for tests. */
export interface MockClient {
  readonly client: ExtensionClient;
  /** The sent messages, oldest first. */
  readonly sentMessages: readonly WebviewMessage[];
  /** Clear the sent messages. */
  readonly clearMessages: () => void;
}

/** Create a client that collects the messages it sends. */
export function createMockClient(): MockClient {
  const sentMessages: WebviewMessage[] = [];
  return {
    client: createClient((message) => sentMessages.push(message)),
    sentMessages,
    clearMessages: () => {
      sentMessages.length = 0;
    },
  };
}
