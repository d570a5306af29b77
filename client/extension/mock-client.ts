import { ExtensionClient } from "./extension-client.ts";
import type { WebviewMessage } from "./messages.ts";

/** A client that sends by this function. */
export const createClient = (sendMessage: (message: WebviewMessage) => unknown): ExtensionClient =>
  new ExtensionClient({ sendMessage });

/** A client in front of nobody, for tests. */
export interface MockClient {
  readonly client: ExtensionClient;
  /** What it sent, oldest first. */
  readonly sentMessages: readonly WebviewMessage[];
  /** Forgets what it sent. */
  readonly clearMessages: () => void;
}

/** A client that keeps what it sends. */
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
