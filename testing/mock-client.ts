import { ExtensionClient } from "../client/roo/extension/extension-client.ts";
import type { WebviewMessage } from "../client/roo/extension/messages.ts";

/** A client without an agent. */
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
    client: new ExtensionClient({ sendMessage: (message) => sentMessages.push(message) }),
    sentMessages,
    clearMessages: () => {
      sentMessages.length = 0;
    },
  };
}
