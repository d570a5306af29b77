import type { Clock } from "../actors/index.ts";
import type { Access } from "./access.ts";
import type { ServerBounds } from "./bounds.ts";
import type { Feed } from "./feed/index.ts";
import type { Streams } from "./streams.ts";
import type { Book, Desk } from "./tasks/index.ts";

/** What the routes work with. */
export interface Services {
  readonly access: Access;
  readonly desk: Desk;
  readonly book: Book;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly bounds: ServerBounds;
  /** Where it listens. */
  port(): number;
  /** The machine's chart with its layout, as JSON. */
  chart(): Promise<unknown>;
  /** The description of this interface. */
  description(): unknown;
  onError(error: unknown): void;
}
