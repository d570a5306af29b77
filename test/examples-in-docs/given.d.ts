/** The names that the short examples take as given. An example that uses none of them is run as well. */
declare global {
  const child: import("../../client/index.ts").RemoteProcess;
  const edge: import("../../actors/index.ts").Edge;
  const options: import("../../actors/environment.ts").EdgeOptions;
  const tools: readonly import("../../tools/index.ts").Tool[];
  const parseScript: typeof import("../../testing/index.ts").parseScript;
  const startMock: typeof import("../../testing/index.ts").startMock;
  const Anthropic: typeof import("@anthropic-ai/sdk").default;
  const databaseUrl: string;
}

export {};
