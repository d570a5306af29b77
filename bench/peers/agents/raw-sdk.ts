import type { Peer } from "../peer.ts";

/** A loop by hand over the events of the SDK: no state, no retries beyond the SDK's own, nothing stored. */
export const rawSdk: Peer = {
  name: "raw SDK loop",
  packages: [],
  imports: ["@anthropic-ai/sdk"],
  endsWith: "text",
  load: async () => (await import("./raw-sdk-loop.ts")).agents,
};
