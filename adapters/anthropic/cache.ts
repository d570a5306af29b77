import type { CacheControlEphemeral } from "@anthropic-ai/sdk/resources/messages";

/** How long the endpoint keeps what it caches, from its last use. */
export type CacheTtl = "5m" | "1h";

/** The cache mark for a time to live. The endpoint's default is not sent. */
export const markOf = (ttl: CacheTtl = "5m"): CacheControlEphemeral =>
  ttl === "5m" ? { type: "ephemeral" } : { type: "ephemeral", ttl };

/** Sets a cache mark on the last block that may have one: a deferred tool may not. Its own mark takes precedence. */
export function marked<T extends object>(blocks: readonly T[], mark: CacheControlEphemeral): T[] {
  const last = blocks.findLastIndex((block) => !("defer_loading" in block && block.defer_loading === true));
  return blocks.map((block, index) => (index === last ? { cache_control: mark, ...block } : block));
}
